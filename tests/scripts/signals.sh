#!/usr/bin/env bash
# SIGINT and SIGTERM: the run is saved, the exit code is 128 + signal, within two seconds; a resumed run ends with the same
# weights. Two processes cannot run in one folder.
# signals.sh PAIRS
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1

slow=(--set pretrain.epochs=200 --set checkpoint=3600)
wait_for() {  # wait_for FILE: until it is there, a minute at most
  for _ in $(seq 600); do
    [ -s "$1" ] && return 0
    sleep 0.1
  done
  say_fail "$1 did not appear"
}

for signal in INT TERM; do
  code=$([ "$signal" = INT ] && echo 130 || echo 143)
  rm -rf run
  # A background job of a script ignores SIGINT; env gives it back its default.
  env --default-signal=INT "$PAIRS" --batch run bump-hunt --preset quick --device cpu --threads 1 \
    --set pretrain.validation_sets=512 "${slow[@]}" --out run >out 2>err &
  process=$!
  wait_for run/events.jsonl
  sleep 0.5
  begin=$(date +%s%3N)
  kill -"$signal" "$process"
  wait "$process"
  status=$?
  took=$(($(date +%s%3N) - begin))
  [ "$status" -eq "$code" ] || say_fail "SIG$signal: exit $status, not $code: $(tail -1 err)"
  [ "$took" -le 2000 ] || say_fail "SIG$signal: took $took ms"
  [ -s run/resume.safetensors ] || say_fail "SIG$signal: nothing was saved"
  grep -q "Stopped by SIG$signal" err || say_fail "SIG$signal: $(tail -1 err)"
  echo "SIG$signal: exit $status after $took ms"
done

# Sampling cannot be saved: it ends at once and leaves what is there.
"$PAIRS" --batch render --scene 7 --views 3 --like novel-view --out views >/dev/null || say_fail "render failed"
"$PAIRS" --batch infer novel-view --data views --camera 30,45 --samples 20000 --threads 1 --out seen >/dev/null 2>err &
process=$!
sleep 3
begin=$(date +%s%3N)
kill -TERM "$process"
wait "$process"
status=$?
took=$(($(date +%s%3N) - begin))
[ "$status" -eq 143 ] || say_fail "infer: exit $status, not 143: $(tail -1 err)"
[ "$took" -le 2000 ] || say_fail "infer: took $took ms to end"
grep -q "Stopped by SIGTERM" err || say_fail "infer: $(tail -1 err)"
[ ! -e seen/samples.npz ] || say_fail "infer: wrote samples though it was stopped"

# The folder is locked while a process runs in it.
"$PAIRS" --batch run --resume run --until pretrain >/dev/null 2>&1 &
process=$!
sleep 2
refuses 1 "run" --batch run --resume run
kill -9 "$process" 2>/dev/null
wait "$process" 2>/dev/null

# A stopped run ends like one that never was.
tiny_run bump-hunt --out whole >/dev/null 2>&1
tiny_run bump-hunt --out stopped --until pretrain >/dev/null 2>&1
for _ in 1 2 3; do
  "$PAIRS" --batch run --resume stopped >/dev/null 2>&1 &
  process=$!
  sleep 0.8
  kill -TERM "$process" 2>/dev/null
  wait "$process" 2>/dev/null
done
"$PAIRS" --batch run --resume stopped >/dev/null 2>err || say_fail "resume after a signal: $(tail -1 err)"
cmp -s whole/estimator.safetensors stopped/estimator.safetensors || say_fail "the stopped run ended with other weights"
finish
