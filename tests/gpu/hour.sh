#!/usr/bin/env bash
# hour.sh [PART...]: what to ask of a GPU when one is at hand, part by part, each under ten minutes.
#
#   tests       every test that needs a GPU (their names end in _CUDA)
#   selftest    the program's own checks of its numerics
#   repeat      one run twice: the same weights, byte for byte
#   resume      one run killed on the way and resumed: the same weights again
#   ranks       one run by one and by two ranks, which share a card where there is but one: the same weights
#   bench       training steps and simulators of every task, with rates and their share of the best matrix product
#   peer        the same steps in Python, where $PEER names a program that prints them as lines of JSON
#   TASK        a run of the task's preset quick on the GPU and one on the CPU: times and scores
#
# Without a PART all of them, in this order. What a part found is $OUT/PART.json, its output $OUT/PART.log; a part that
# succeeded is not done again. $OUT/hour.json holds them all. Exit code 1 where a part failed.
#
#   OUT             folder of the results (default: build/gpu)
#   PAIRS_BUILD     folder that holds the program and tests/ (default: build/release)
#   PAIRS_REHEARSE  1: on a machine without a GPU the same parts on the CPU, in seconds; says nothing of a GPU
#   PRESETS         presets of the part bench, as a regular expression (default: quick|small|paper)
set -uo pipefail
ROOT=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
BUILD=$(realpath "${PAIRS_BUILD:-$ROOT/build/release}")
OUT=${OUT:-$ROOT/build/gpu}
mkdir -p "$OUT"
OUT=$(realpath "$OUT")
export PAIRS=$BUILD/pairs PAIRS_ASSETS=${PAIRS_ASSETS:-$ROOT/assets}
pairs=("$PAIRS") gpu=cuda steps=100 least_time=0.5 presets=${PRESETS:-quick|small|paper}
if [ -n "${PAIRS_REHEARSE:-}" ]; then
  pairs=("$ROOT/tests/scripts/small_pairs.sh") gpu=cpu steps=20 least_time=0.01 presets=quick
else
  export PAIRS_REQUIRE_CUDA=1
fi
tasks=(gaussian bump-hunt circle digits molecules objects novel-view)

# Each part prints its findings as one JSON value into the file $1, and other output on stdout.

part_tests() { # {"PROGRAM": its report, ...}
  local program failed=0 separator='{'
  for program in "$BUILD"/tests/*_tests; do
    "$program" --gtest_filter='*_CUDA' --gtest_list_tests 2>/dev/null | grep -q _CUDA || continue
    timeout 500 "$program" --gtest_filter='*_CUDA' --gtest_output="json:$OUT/report.json" || failed=1
    { printf '%s"%s": ' "$separator" "${program##*/}" && cat "$OUT/report.json"; } >>"$1" || failed=1
    rm -f "$OUT/report.json"
    separator=,
  done
  echo '}' >>"$1"
  return $failed
}

part_selftest() {
  "$PAIRS" --batch selftest --json >"$1"
}

# A run of seconds on the GPU into the folder $1, of so many epochs in stages 1 and 3.
epochs=10
one_run() {
  local out=$1
  shift
  exec "$PAIRS" --batch run bump-hunt --device $gpu --set pretrain.epochs=$epochs --set pretrain.steps=$steps \
    --set pretrain.batch=128 --set cache.sets=2000 --set finetune.epochs=$epochs --set finetune.steps=$steps --set checkpoint=0 \
    --out "$out" "$@"
}
same_weights() { # same_weights RUN RUN
  cmp "$1/pretrained.safetensors" "$2/pretrained.safetensors" && cmp "$1/estimator.safetensors" "$2/estimator.safetensors"
}

part_repeat() {
  local run
  for run in first second; do
    rm -rf "$OUT/runs/$run"
    (one_run "$OUT/runs/$run") || return 1
  done
  same_weights "$OUT"/runs/{first,second} && echo '{"same_weights": true}' >"$1"
}

part_resume() { # killed after its third epoch of stage 1, and in stage 3
  local run=$OUT/runs/killed stage seen=3
  [ -s "$OUT/runs/first/estimator.safetensors" ] || { rm -rf "$OUT/runs/first" && (one_run "$OUT/runs/first"); } || return 1
  rm -rf "$run"
  one_run "$run" &
  for stage in pretrain finetune; do
    until [ "$(grep -c '"type":"loss"' "$run/events.jsonl" 2>/dev/null)" -ge $seen ] 2>/dev/null; do
      kill -0 $! 2>/dev/null || { echo "the run ended before it was killed in $stage" && return 1; }
      sleep 0.02
    done
    kill -KILL $!
    wait $!
    seen=13
    (exec "$PAIRS" --batch run --resume "$run") &
  done
  wait $! && same_weights "$OUT/runs/first" "$run" && echo '{"same_weights": true, "kills": 2}' >"$1"
}

part_ranks() {
  local ranks epochs=3
  for ranks in 1 2; do
    rm -rf "$OUT/runs/ranks-$ranks"
    (one_run "$OUT/runs/ranks-$ranks" --ranks $ranks --threads 1) || return 1
  done
  same_weights "$OUT"/runs/ranks-{1,2} || return 1
  printf '{"same_weights": true, "route": "%s"}\n' \
    "$(sed -n "s/.*The ranks' GPUs exchange gradients //p" "$OUT/ranks.log" | tr -d '"\\' | head -1)" >"$1"
}

part_bench() {
  local filter="^device_(pretrain|finetune|simulate)/.*/($presets)/"
  [ -z "${PAIRS_REHEARSE:-}" ] || filter="^device_(pretrain|finetune|simulate)/gaussian/quick/"
  timeout 550 "$BUILD/tests/pairs_bench" --benchmark_filter="$filter" --benchmark_min_time=$least_time \
    --benchmark_out="$1" --benchmark_out_format=json
}

part_peer() {
  [ -n "${PEER:-}" ] || { echo 'not asked for: $PEER names no program' && echo null >"$1" && return; }
  local lines
  lines=$(timeout 500 $PEER) || return 1
  echo "$lines"
  { echo '[' && sed '$!s/$/,/' <<<"$lines" && echo ']'; } >"$1"
}

part_task() { # part_task FILE TASK: {"gpu": {"seconds": ..., "scores": ...}, "cpu": ...}
  local device start seconds separator='{' name
  for name in gpu cpu; do
    device=$([ $name = gpu ] && echo $gpu || echo cpu)
    rm -rf "$OUT/runs/$2-$name"
    start=$(date +%s%3N)
    "${pairs[@]}" --batch run "$2" --preset quick --device "$device" --out "$OUT/runs/$2-$name" || return 1
    seconds=$(($(date +%s%3N) - start))
    printf '%s"%s": {"milliseconds": %d, "scores": ' "$separator" $name $seconds >>"$1"
    "${pairs[@]}" --batch evaluate "$OUT/runs/$2-$name" --device "$device" --json >>"$1" || return 1
    echo '}' >>"$1"
    separator=,
  done
  echo '}' >>"$1"
}

failed=0
(($# > 0)) || set -- tests selftest repeat resume ranks bench peer "${tasks[@]}"
for part in "$@"; do
  if grep -q '^{.*"ok": true' "$OUT/$part.json" 2>/dev/null; then
    echo "$part: done before"
    continue
  fi
  rm -f "$OUT/found"
  start=$(date +%s) ok=true
  case $part in
    tests | selftest | repeat | resume | ranks | bench | peer) "part_$part" "$OUT/found" ;;
    *)
      printf '%s\n' "${tasks[@]}" | grep -qxF -- "$part" || { echo "hour.sh: there is no part $part" >&2 && exit 2; }
      part_task "$OUT/found" "$part"
      ;;
  esac >"$OUT/$part.log" 2>&1 || ok=false failed=1
  $ok || cat "$OUT/found" >>"$OUT/$part.log" 2>/dev/null
  {
    printf '{"part": "%s", "ok": %s, "seconds": %d, "found": ' "$part" $ok $(($(date +%s) - start))
    if [ $ok = true ]; then cat "$OUT/found"; else echo null; fi
    echo '}'
  } >"$OUT/$part.json.new"
  mv "$OUT/$part.json.new" "$OUT/$part.json"
  rm -f "$OUT/found"
  echo "$part: $([ $ok = true ] && echo done || echo "failed, see $OUT/$part.log")"
done

"$PAIRS" --batch devices --json >"$OUT/found"
{
  printf '{"rehearsal": %s, "devices": ' "$([ -n "${PAIRS_REHEARSE:-}" ] && echo true || echo false)"
  cat "$OUT/found"
  separator=', "parts": ['
  for part in tests selftest repeat resume ranks bench peer "${tasks[@]}"; do
    [ -s "$OUT/$part.json" ] || continue
    printf '%s' "$separator" && cat "$OUT/$part.json"
    separator=,
  done
  echo ']}'
} >"$OUT/hour.json.new"
mv "$OUT/hour.json.new" "$OUT/hour.json"
rm -f "$OUT/found"
exit $failed
