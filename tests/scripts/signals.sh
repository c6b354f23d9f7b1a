#!/usr/bin/env bash
# SIGINT and SIGTERM save the run and end it within two seconds, with the exit code 128 + signal. A resumed run ends with
# the same weights. Two processes cannot run in one folder.
# signals.sh PAIRS
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1

slow=(--set pretrain.epochs=200 --set checkpoint=3600)

# end_with SIGNAL: sends the signal to $process and waits; sets $status and $took, the time in milliseconds.
end_with() {
  local begin
  begin=$(date +%s%3N)
  kill -"$1" "$process"
  wait "$process"
  status=$?
  took=$(($(date +%s%3N) - begin))
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
  end_with "$signal"
  [ "$status" -eq "$code" ] || say_fail "SIG$signal: exit $status, not $code: $(tail -1 err)"
  [ "$took" -le 2000 ] || say_fail "SIG$signal: took $took ms"
  [ -s run/resume.safetensors ] || say_fail "SIG$signal: nothing was saved"
  grep -q "Stopped by SIG$signal" err || say_fail "SIG$signal: $(tail -1 err)"
  echo "SIG$signal: exit $status after $took ms"
done

# While the time of a run is still estimated, a signal ends it soon and it leaves no folder. After the estimate is
# printed, the run states how to resume it. The shortest of three attempts counts, since other processes on the machine
# lengthen them.
early=0
for wait in 0.3 0.8 1.5; do
  least=
  for try in 1 2 3; do
    "$PAIRS" --batch run novel-view --preset paper --threads 1 --out estimated >/dev/null 2>err &
    process=$!
    sleep "$wait"
    end_with TERM
    [ "$status" -eq 143 ] || say_fail "estimate: exit $status, not 143: $(tail -1 err)"
    if ! grep -q "novel-view, paper, pairs: .*(pretrain" err; then
      early=$((early + 1))
      [ ! -e estimated ] || say_fail "estimate: made the folder though it was stopped"
    else
      # It has begun: one layer of the paper's network takes a second or two on one thread.
      [ "$took" -le 12000 ] || say_fail "a run stopped at its start took $took ms to end"
      took=0
      [ ! -e estimated ] || grep -q "continue with:" err ||
        say_fail "a run stopped at its start does not say how it goes on: $(tail -1 err)"
    fi
    rm -rf estimated
    [ -n "$least" ] && [ "$least" -le "$took" ] || least=$took
    [ "$least" -gt 2000 ] || break
  done
  [ "$least" -le 2000 ] || say_fail "estimate: took $least ms to end, $wait s after its start"
done
[ "$early" -gt 0 ] || say_fail "no signal came while the time was estimated"

# Sampling cannot be saved: it ends at once and leaves what is there.
"$PAIRS" --batch render --scene 7 --views 3 --like novel-view --out views >/dev/null || say_fail "render failed"
"$PAIRS" --batch infer novel-view --data views --camera 30,45 --samples 20000 --threads 1 --out seen >/dev/null 2>err &
process=$!
sleep 3
end_with TERM
[ "$status" -eq 143 ] || say_fail "infer: exit $status, not 143: $(tail -1 err)"
[ "$took" -le 2000 ] || say_fail "infer: took $took ms to end"
grep -q "Stopped by SIGTERM" err || say_fail "infer: $(tail -1 err)"
[ ! -e seen/samples.npz ] || say_fail "infer: wrote samples though it was stopped"

# A folder of views is complete or absent, whether it was made for the views or was empty before.
mkdir emptied
for out in fresh emptied; do
  "$PAIRS" --batch render --scene 7 --views 999 --size 512x512 --threads 1 --out $out >/dev/null 2>err &
  process=$!
  sleep 3
  end_with TERM
  [ "$status" -eq 143 ] || say_fail "render --views: exit $status, not 143: $(tail -1 err)"
  [ -z "$(ls -A $out 2>/dev/null)" ] || say_fail "render --views left $(ls -A $out | head -3)"
  [ -z "$(find . -maxdepth 1 -name '*.tmp')" ] || say_fail "render --views left $(find . -maxdepth 1 -name '*.tmp')"
done

# A followed stream does not end by itself: when stopped, infer leaves the samples of the data so far.
printf '0.1\n0.2\n' >grows.csv
mkfifo pipe
for data in grows.csv -; do
  rm -f followed.npz answers
  sleep 60 >pipe & # holds the pipe open and writes nothing
  holder=$!
  "$PAIRS" --batch infer bump-hunt --data $data --follow --samples 20 --out followed.npz <pipe >answers 2>err &
  process=$!
  [ $data = grows.csv ] || cat grows.csv >pipe
  wait_for answers
  end_with TERM
  kill "$holder"
  [ "$status" -eq 143 ] || say_fail "infer --follow $data: exit $status, not 143: $(tail -1 err)"
  [ "$took" -le 2000 ] || say_fail "infer --follow $data: took $took ms to end"
  [ -s followed.npz ] || say_fail "infer --follow $data: wrote no samples when it was stopped"
  grep -q "Samples: followed.npz" err || say_fail "infer --follow $data: $(tail -2 err)"
done

# A command without unsaved results ends at once, even while it draws a picture, and removes its files.
mkdir temporary
for words in "demo --tasks novel-view,objects,molecules --out pictures --json"; do
  # shellcheck disable=SC2086  # words of a command
  TMPDIR=$SCRATCH/temporary "$PAIRS" --batch $words --threads 1 >out 2>err &
  process=$!
  sleep 1.5 # a fast machine draws a task's pictures in two seconds
  end_with TERM
  [ "$status" -eq 143 ] || say_fail "$words: exit $status, not 143: $(tail -1 err)"
  [ "$took" -le 2000 ] || say_fail "$words: took $took ms to end"
  [ "$(cat out)" = '{"error": "Stopped by SIGTERM"}' ] || say_fail "$words printed: $(cat out)"
  [ -z "$(ls -A temporary)" ] || say_fail "$words left $(ls temporary)"
done

# The demonstration prints the command that resumes it, and this command works.
demo=(--batch demo --tasks bump-hunt --device cpu --threads 1 --set pretrain.validation_sets=512 "${slow[@]}" --out demo)
"$PAIRS" "${demo[@]}" >/dev/null 2>err &
process=$!
wait_for demo/bump-hunt/events.jsonl
sleep 0.5
end_with TERM
[ "$status" -eq 143 ] || say_fail "demo: exit $status, not 143: $(tail -1 err)"
grep -q "run the same command again" err || say_fail "demo does not say how it goes on: $(tail -3 err)"
! grep -q "continue with:" err || say_fail "demo names another command than its own: $(tail -3 err)"
"$PAIRS" "${demo[@]}" >/dev/null 2>err &
process=$!
sleep 4
kill -TERM "$process"
wait "$process"
grep -q "continuing demo/bump-hunt" err || say_fail "the demonstration does not go on: $(tail -3 err)"

# The folder is locked while a process runs in it.
"$PAIRS" --batch run --resume run --until pretrain >/dev/null 2>&1 &
process=$!
sleep 2
refuses 1 "run" --batch run --resume run
kill -9 "$process" 2>/dev/null
wait "$process" 2>/dev/null

# A stopped and resumed run ends like an undisturbed one.
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
