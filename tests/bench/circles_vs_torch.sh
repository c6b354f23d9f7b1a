#!/usr/bin/env bash
# circles_vs_torch.sh PAIRS_BENCH PYTHON [THREADS] [ROUNDS]: images of 64 by 64 with four circles a second, in batches of
# 100, by our rasteriser and by a vectorized one in PyTorch, in turn (default: 2 threads, 5 rounds), and the ratio of
# the medians.
set -euo pipefail
bench=$(realpath "$1") python=$2 threads=${3:-2} rounds=${4:-5}
export OMP_NUM_THREADS=$threads
ours() {
  "$bench" --benchmark_filter='^circles/100/' --benchmark_format=json 2>/dev/null |
    "$python" -c 'import json, sys; print(json.load(sys.stdin)["benchmarks"][0]["images_per_s"])'
}
theirs() {
  "$python" - "$threads" <<'PY'
import statistics, sys, time, torch
torch.set_num_threads(int(sys.argv[1]))
axis = torch.arange(64) + 0.5
x, y = axis.view(1, 1, 1, 64), axis.view(1, 1, 64, 1)
circle = torch.cat([64 * torch.rand(100, 4, 2), 15 + 35 * torch.rand(100, 4, 1)], 2)[..., None, None]
def draw():
    dx, dy = (x - circle[:, :, 0]).square_(), (y - circle[:, :, 1]).square_()
    return (dx + dy).sqrt_().sub_(circle[:, :, 2]).abs_().neg_().add_(1.5).clamp_(0, 1).amax(1, True)
seconds = []
with torch.no_grad():
    for i in range(60):
        begin = time.perf_counter()
        draw()
        if i >= 10: seconds.append(time.perf_counter() - begin)
print(100 / statistics.median(seconds))
PY
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
