#!/usr/bin/env bash
# schnet_vs_python.sh PAIRS_BENCH PYTHON [THREADS] [ROUNDS]: molecules a second through the published SchNet, ours beside
# the same network written plainly in PyTorch (schnet_peer.py), in turn (default: 2 threads, 3 rounds), and the ratios of
# the medians: forward and backward, and forward alone, of 64 conformers of 45 atoms. Ours finds the neighbors each
# time; PyTorch is given them.
set -euo pipefail
bench=$(realpath "$1") python=$2 threads=${3:-2} rounds=${4:-3}
peer=$(dirname "$(realpath "$0")")/schnet_peer.py
export OMP_NUM_THREADS=$threads
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for _ in $(seq "$rounds"); do
  "$bench" --benchmark_filter='^schnet/(train|forward)/64/' --benchmark_format=json 2>/dev/null >"$work/ours"
  "$python" "$peer" "$threads" >"$work/theirs"
  "$python" - "$work" <<'PY'
import json, sys
work = sys.argv[1]
ours = {b["name"].split("/")[1]: b["real_time"] for b in json.load(open(work + "/ours"))["benchmarks"]}
theirs = json.load(open(work + "/theirs"))
with open(work + "/all", "a") as out:
    for name in ("train", "forward"):
        print(json.dumps([name, ours[name], theirs[name]]), file=out)
PY
done
"$python" - "$work/all" "$threads" <<'PY'
import json, statistics, sys
rows = {}
for name, mine, other in map(json.loads, open(sys.argv[1])): rows.setdefault(name, []).append((mine, other))
for name, pairs in rows.items():
    mine, other = (statistics.median(p[k] for p in pairs) for k in (0, 1))
    print(f"{sys.argv[2]} threads, {name}: ours {64e3 / mine:.0f} molecules/s, PyTorch {64e3 / other:.0f}, ratio {other / mine:.1f}")
PY
