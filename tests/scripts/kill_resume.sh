#!/usr/bin/env bash
# Kills a run at random moments in each stage and resumes it until it is finished: the estimator must be that of an
# uninterrupted run, byte for byte. If a task prepares data, this is killed first, and the prepared files must be the same.
# kill_resume.sh PAIRS [TASK] [KILLS_PER_STAGE] [SEED]; with PAIRS_LONG_TESTS=1 four times as many kills
PAIRS=$(realpath "$1")
task=${2:-bump-hunt}
kills=${3:-2}
[ -z "${PAIRS_LONG_TESTS:-}" ] || kills=$((4 * kills))
RANDOM=${4:-1}
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1

milliseconds() { date +%s%3N; }
# How often the run in torn/ resumed from a checkpoint.
resumptions() { cat torn/events.jsonl 2>/dev/null | grep -c '"type":"resumed"'; }

export PAIRS_CACHE=$SCRATCH/prepared
stages=(pretrain cache finetune)
# Stages take a few seconds, so most kills occur during work and not during the program's start.
case $task in
  novel-view)
    run=tiny_views
    longer=(--set pretrain.epochs=12 --set pretrain.steps=15 --set cache.sets=3000 --set finetune.epochs=12
      --set finetune.steps=15)
    ;;
  objects | molecules)
    run=tiny_things
    longer=(--set pretrain.epochs=8 --set pretrain.steps=30 --set cache.sets=20000 --set finetune.epochs=30
      --set finetune.steps=40)
    stages=(prepare "${stages[@]}")
    ;;
  *)
    run=tiny_run
    longer=(--set pretrain.epochs=15 --set pretrain.steps=100 --set pretrain.batch=512 --set cache.sets=60000
      --set finetune.epochs=40 --set finetune.steps=100 --set finetune.batch=128)
    ;;
esac
# Stage 3 may refresh the cache: keeps a copy of the cache of stage 2.
{
  "$run" "$task" "${longer[@]}" --out whole --until cache >/dev/null 2>log &&
    mkdir made && cp whole/pretrained.safetensors whole/aggregates.cache made/ &&
    "$PAIRS" --batch run --resume whole >/dev/null 2>log && cp whole/estimator.safetensors made/
} || {
  cat log >&2
  exit 1
}

"$run" "$task" --out short --until pretrain >/dev/null 2>&1 || say_fail "--until pretrain failed"
[ -s short/pretrained.safetensors ] && [ ! -e short/aggregates.cache ] || say_fail "--until pretrain did not stop there"
total=0
declare -A product=([prepare]=pretrained.safetensors [pretrain]=pretrained.safetensors [cache]=aggregates.cache [finetune]=estimator.safetensors)
for stage in "${stages[@]}"; do
  # Preparing is not a stage with a name: it comes before stage 1, and each round begins with nothing prepared.
  until=$stage
  forget=(true)
  if [ "$stage" = prepare ]; then
    until=pretrain
    export PAIRS_CACHE=$SCRATCH/torn_prepared
    forget=(rm -rf "$PAIRS_CACHE")
  else
    export PAIRS_CACHE=$SCRATCH/prepared
  fi
  # Each round starts from a copy of the folder as it is before the stage, so that the stage is killed again and again.
  rm -rf stage && mkdir stage && cp whole/run.toml stage/
  [ "$until" = pretrain ] || cp made/pretrained.safetensors stage/
  [ "$stage" = finetune ] && cp made/aggregates.cache stage/
  rm -rf timed && cp -r stage timed
  begin=$(milliseconds)
  "$PAIRS" --batch run --resume timed --until "$until" >/dev/null 2>&1 || say_fail "$stage failed without a kill"
  whole_time=$(($(milliseconds) - begin))
  rm -rf torn && cp -r stage torn
  "${forget[@]}"
  count=0
  resumed=0
  # On a fast machine all kills may come before the first checkpoint. Then more follow: one as soon as there is a
  # checkpoint, the next as soon as a run has resumed from it.
  while [ "$count" -lt "$kills" ] ||
    { [ "$stage" != cache ] && [ "$stage" != prepare ] && [ "$((resumed + $(resumptions)))" -eq 0 ] && [ "$count" -lt "$((10 * kills))" ]; }; do
    "$PAIRS" --batch run --resume torn --until "$until" >/dev/null 2>err &
    process=$!
    if [ "$count" -lt "$kills" ]; then
      delay=$((RANDOM * RANDOM % (whole_time + 1)))
      sleep "$((delay / 1000)).$(printf '%03d' $((delay % 1000)))"
    else
      awaited=(test -e torn/resume.safetensors)
      [ ! -e torn/resume.safetensors ] || awaited=(grep -q '"type":"resumed"' torn/events.jsonl)
      until "${awaited[@]}" 2>/dev/null || ! kill -0 "$process" 2>/dev/null; do sleep 0.005; done
    fi
    kill -9 "$process" 2>/dev/null
    wait "$process" 2>/dev/null
    status=$?
    if [ "$status" -eq 137 ]; then
      count=$((count + 1))
    elif [ "$status" -eq 0 ]; then
      # The stage finished before the kill: compare, and begin it again.
      cmp -s "made/${product[$stage]}" "torn/${product[$stage]}" || say_fail "$stage: ${product[$stage]} differs after $count kills"
      resumed=$((resumed + $(resumptions)))
      rm -rf torn && cp -r stage torn
      "${forget[@]}"
    else
      say_fail "$stage: exit $status: $(tail -1 err)"
      break
    fi
  done
  total=$((total + count))
  "$PAIRS" --batch run --resume torn >/dev/null 2>err || say_fail "last resume of $stage: $(tail -1 err)"
  cmp -s whole/pretrained.safetensors torn/pretrained.safetensors || say_fail "$stage: pretrained weights differ"
  cmp -s whole/aggregates.cache torn/aggregates.cache || say_fail "$stage: the cache differs"
  cmp -s whole/estimator.safetensors torn/estimator.safetensors || say_fail "$stage: weights differ"
  resumed=$((resumed + $(resumptions)))
  [ "$stage" != prepare ] || diff -r --exclude='.lock' --exclude=costs.json "$SCRATCH/prepared" "$PAIRS_CACHE" >&2 ||
    say_fail "what was prepared differs after kills"
  [ "$stage" = cache ] || [ "$stage" = prepare ] || [ "$resumed" -gt 0 ] || say_fail "$stage: no kill left a checkpoint to resume from"
  echo "$stage: $count kills, $resumed resumed from a checkpoint, one uninterrupted pass takes $whole_time ms"
done
echo "$total kills in all"
finish
