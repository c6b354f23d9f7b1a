#!/usr/bin/env bash
# Starts many workers of one study at once on a new folder, as a job array does. Each must exit with 0. Together they must
# have trained and evaluated every run once, with the weights of a study with one worker.
# study_start.sh PAIRS [WORKERS] [ROUNDS]; with PAIRS_LONG_TESTS=1 64 workers, 20 times
count=${2:-12}
rounds=${3:-2}
if [ -n "${PAIRS_LONG_TESTS:-}" ]; then
  count=${2:-64}
  rounds=${3:-20}
fi
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/study_workers.sh"

write_study "Started at once" "1, 2" <<'TOML'
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
TOML
export OMP_NUM_THREADS=1
study_undisturbed 4

started=0
for round in $(seq "$rounds"); do
  workers=()
  begin=$(date +%s%N)
  for k in $(seq "$count"); do
    start_worker new "worker.$k"
    workers+=($!)
  done
  for k in $(seq "$count"); do
    wait "${workers[k - 1]}"
    status=$?
    started=$((started + 1))
    [ "$status" -eq 0 ] || say_fail "round $round: worker $k of $count exited $status: $(tail -1 "worker.$k")"
  done
  workers=()
  same_weights new "round $round"
  for run in $runs; do
    [ -s "new/$run/metrics.json" ] || say_fail "round $round: $run was not evaluated"
    for stage in pretrain finetune; do
      ended=$(count_stage_ends "new/$run" "$stage")
      [ "$ended" -eq "$(count_stage_ends "whole/$run" "$stage")" ] ||
        say_fail "round $round: stage $stage of $run ended $ended times"
    done
  done
  left=$(find new -name '*.tmp' | head -3)
  [ -z "$left" ] || say_fail "round $round left $left"
  echo "round $round: $count workers in $((($(date +%s%N) - begin) / 1000000)) ms"
  rm -rf new
done
echo "$started workers in $rounds rounds"
finish
