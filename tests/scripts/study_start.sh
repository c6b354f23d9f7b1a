#!/usr/bin/env bash
# Starts many workers of one study at once on a new folder, as a job array does: each must end with 0, and together they
# must have trained and evaluated every run once, to the weights of a study with one worker.
# study_start.sh PAIRS [WORKERS] [ROUNDS]; with PAIRS_LONG_TESTS=1 64 workers, 20 times
PAIRS=$(realpath "$1")
workers=${2:-12}
rounds=${3:-2}
if [ -n "${PAIRS_LONG_TESTS:-}" ]; then
  workers=${2:-64}
  rounds=${3:-20}
fi
SCRATCH=$(mktemp -d)
pids=()
trap 'kill -9 "${pids[@]}" 2>/dev/null; rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1

cat >start.toml <<'TOML'
title = "Started at once"
tasks = ["bump-hunt"]
strategies = ["pairs", "n1"]
seeds = [1, 2]
[set]
threads = 1
device = "cpu"
embedder.layers = [8]
embedder.size = 4
head.hidden = 8
head.transforms = 1
head.bins = 4
pretrain.epochs = 2
pretrain.steps = 10
pretrain.batch = 32
pretrain.validation_sets = 64
cache.sizes = [10]
cache.sets = [100]
finetune.epochs = 2
finetune.steps = 10
finetune.batch = 16
finetune.validation_draws = 64
evaluate.sizes = [1, 10]
evaluate.sets = [20]
evaluate.samples = 19
TOML
export OMP_NUM_THREADS=1
"$PAIRS" --batch study start.toml --out whole >/dev/null 2>log || say_fail "a study with one worker failed: $(tail -1 log)"
runs=$(cd whole && ls -d bump-hunt-*)
[ "$(wc -w <<<"$runs")" -eq 4 ] || say_fail "there are not 4 runs: $runs"

started=0
for round in $(seq "$rounds"); do
  pids=()
  begin=$(date +%s%N)
  for k in $(seq "$workers"); do
    "$PAIRS" --batch study start.toml --out new >/dev/null 2>"worker.$k" &
    pids+=($!)
  done
  for k in $(seq "$workers"); do
    wait "${pids[k - 1]}"
    status=$?
    started=$((started + 1))
    [ "$status" -eq 0 ] || say_fail "round $round: worker $k of $workers exited $status: $(tail -1 "worker.$k")"
  done
  pids=()
  for run in $runs; do
    cmp -s "whole/$run/estimator.safetensors" "new/$run/estimator.safetensors" || say_fail "round $round: $run differs"
    [ -s "new/$run/metrics.json" ] || say_fail "round $round: $run was not evaluated"
    for stage in pretrain finetune; do
      ended=$(grep -c "\"stage\":\"$stage\".*\"type\":\"stage-done\"" "new/$run/events.jsonl")
      [ "$ended" -eq "$(grep -c "\"stage\":\"$stage\".*\"type\":\"stage-done\"" "whole/$run/events.jsonl")" ] ||
        say_fail "round $round: stage $stage of $run ended $ended times"
    done
  done
  left=$(find new -name '*.tmp' | head -3)
  [ -z "$left" ] || say_fail "round $round left $left"
  echo "round $round: $workers workers in $((($(date +%s%N) - begin) / 1000000)) ms"
  rm -rf new
done
echo "$started workers in $rounds rounds"
finish
