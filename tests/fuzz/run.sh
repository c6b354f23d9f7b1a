#!/bin/bash
# Runs every fuzzer for a while: run.sh BUILD_FOLDER [SECONDS_EACH]. Corpora and findings stay in BUILD_FOLDER/fuzz.
set -euo pipefail
build=${1:?usage: run.sh BUILD_FOLDER [SECONDS_EACH]}
seconds=${2:-180}
bin=$build/tests/fuzz
work=$build/fuzz
mkdir -p "$work"
"$bin/fuzz_seeds" "$work/seeds"
status=0
for loader in safetensors npz csv toml idx off ply image events geom table; do
  [[ -x $bin/fuzz_$loader ]] || continue  # of a task that was left out
  mkdir -p "$work/corpus/$loader" "$work/seeds/$loader" "$work/findings"
  echo "fuzzing $loader for $seconds s"
  "$bin/fuzz_$loader" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -max_len=16384 -print_final_stats=1 \
    -artifact_prefix="$work/findings/$loader-" "$work/corpus/$loader" "$work/seeds/$loader" \
    >"$work/$loader.log" 2>&1 || { status=1; echo "$loader: a finding, see $work/$loader.log"; }
  grep -a "number_of_executed_units" "$work/$loader.log" || true
done
exit $status
