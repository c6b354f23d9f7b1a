#!/usr/bin/env bash
# Kills random workers of two studies, each in its own folder, at random moments until all runs are done. Each run must have
# the weights of an undisturbed study, byte for byte, and must have finished once. Between kills the times of the claims
# are set to other years, as by a machine whose clock is wrong.
# study_kills.sh PAIRS [KILLS] [SEED]; with PAIRS_LONG_TESTS=1 200 kills and twice as many runs
kills=${2:-12}
seeds=1
count_runs=4
if [ -n "${PAIRS_LONG_TESTS:-}" ]; then
  kills=200
  seeds=1,2
  count_runs=8
fi
RANDOM=${3:-1}
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/study_workers.sh"

write_study "Runs to be killed" "$seeds" <<'TOML'
checkpoint = 0.1
pretrain.epochs = 6
pretrain.steps = 60
pretrain.batch = 128
pretrain.validation_sets = 256
cache.sizes = [100]
cache.sets = [2000]
finetune.epochs = 8
finetune.steps = 60
finetune.validation_draws = 256
evaluate.sizes = [1, 100]
evaluate.sets = [40]
[vary]
finetune.rate = [1e-3, 2e-3]
TOML
study_undisturbed "$count_runs"

finished() { # finished FOLDER: whether all runs of the study are done
  local run
  for run in $runs; do [ -e "$1/$run/metrics.json" ] || return 1; done
}
count=0
rounds=0
for folder in one one two two; do
  start_worker "$folder" "$folder.log"
  workers+=($!)
done
while [ "$count" -lt "$kills" ]; do
  sleep "0.$((RANDOM % 10))"
  at=$((RANDOM % 4))
  folder=$([ "$at" -lt 2 ] && echo one || echo two)
  if kill -9 "${workers[at]}" 2>/dev/null; then count=$((count + 1)); fi
  wait "${workers[at]}" 2>/dev/null
  [ $((RANDOM % 2)) -eq 0 ] || touch -d '1999-01-01' "$folder"/claims/* 2>/dev/null
  [ $((RANDOM % 2)) -eq 0 ] || touch -d '2099-01-01' "$folder"/claims/* 2>/dev/null
  if finished "$folder"; then
    # All runs are done: compare, and begin this folder anew once the other workers have left it.
    for k in 0 1; do wait "${workers[at / 2 * 2 + k]}" 2>/dev/null; done
    same_weights "$folder" "after $count kills"
    rm -rf "$folder"
    rounds=$((rounds + 1))
    for k in 0 1; do
      start_worker "$folder" "$folder.log"
      workers[at / 2 * 2 + k]=$!
    done
  else
    start_worker "$folder" "$folder.log"
    workers[at]=$!
  fi
done
for worker in "${workers[@]}"; do wait "$worker" || say_fail "a worker failed"; done
for folder in one two; do
  start_worker "$folder" "$folder.log"
  wait $! || { tail -3 "$folder.log" >&2 && say_fail "the last pass over $folder failed"; }
  same_weights "$folder" "$folder"
  for run in $runs; do
    cmp -s "whole/$run/metrics.json" "$folder/$run/metrics.json" || say_fail "$folder/$run has other scores"
    ended=$(count_stage_ends "$folder/$run" finetune)
    [ "$ended" -eq 1 ] || say_fail "$folder/$run was finished $ended times"
  done
done
echo "$count kills, $rounds studies finished under them"
finish
