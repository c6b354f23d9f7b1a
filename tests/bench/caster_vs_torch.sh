#!/usr/bin/env bash
# caster_vs_torch.sh PAIRS_BENCH PYTHON PEER [THREADS] [ROUNDS]: images of 64 by 64 a second, in batches of 100, by our
# caster and by a vectorized one in PyTorch, in turn (default: 2 threads, 5 rounds), and the ratio of the medians.
# PEER is a script that, called with THREADS and the word render, prints a line of JSON with images_per_s.
set -euo pipefail
bench=$(realpath "$1") python=$2 peer=$3 threads=${4:-2} rounds=${5:-5}
export OMP_NUM_THREADS=$threads
ours() {
  "$bench" --benchmark_filter='^cast/100/64/1/' --benchmark_format=json 2>/dev/null |
    "$python" -c 'import json, sys; print(json.load(sys.stdin)["benchmarks"][0]["items_per_second"])'
}
theirs() {
  "$python" "$peer" "$threads" render |
    "$python" -c 'import json, sys; print(json.loads(sys.stdin.readlines()[-1])["images_per_s"])'
}
median() { sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for _ in $(seq "$rounds"); do
  ours >>"$work/ours"
  theirs >>"$work/theirs"
done
ours=$(median <"$work/ours") theirs=$(median <"$work/theirs")
awk -v a="$ours" -v b="$theirs" -v t="$threads" 'BEGIN {
  printf "%d threads, images/s: ours %.0f, PyTorch %.0f, ratio %.1f\n", t, a, b, a / b }'
