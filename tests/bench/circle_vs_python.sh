#!/usr/bin/env bash
# circle_vs_python.sh PAIRS_BENCH PYTHON PEER [THREADS] [ROUNDS]: milliseconds of Circle Radius by our networks in
# bfloat16 and by the same in PyTorch and zuko, in turn (default: 2 threads, 3 rounds), and the ratios of the medians: a
# pretraining step of 100 sets of 1 or 2 images, the embedding of 500 images, and 1,500 draws for one context. PEER is a
# script that, called with THREADS and the word circle, prints lines of JSON with workload and ms.
set -euo pipefail
bench=$(realpath "$1") python=$2 peer=$3 threads=${4:-2} rounds=${5:-3}
export OMP_NUM_THREADS=$threads
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for _ in $(seq "$rounds"); do
  "$bench" --benchmark_filter='^(circle_step/bf16|circle_embedding/bf16|draws/umnn_circle)/' --benchmark_format=json \
    2>/dev/null >"$work/ours"
  "$python" "$peer" "$threads" circle >"$work/theirs"
  "$python" - "$work" <<'PY'
import json, os, sys
work = sys.argv[1]
unit = {"us": 1e-3, "ms": 1}
ours = {b["name"].rsplit("/", 1)[0]: b["real_time"] * unit[b["time_unit"]] for b in json.load(open(work + "/ours"))["benchmarks"]}
theirs = {r["workload"]: r["ms"] for r in map(json.loads, open(work + "/theirs"))}
with open(work + "/all", "a") as out:
    for name, mine, other in (("pretraining step", "circle_step/bf16", "circle_pretrain_B100"),
                              ("embedding of 500 images", "circle_embedding/bf16", "circle_embed_500_images"),
                              ("1500 draws", "draws/umnn_circle", "circle_sample_1500")):
        print(json.dumps([name, ours[mine], theirs[other]]), file=out)
PY
done
"$python" - "$work/all" "$threads" <<'PY'
import json, statistics, sys
rows = {}
for name, mine, other in map(json.loads, open(sys.argv[1])): rows.setdefault(name, []).append((mine, other))
for name, pairs in rows.items():
    mine, other = (statistics.median(p[k] for p in pairs) for k in (0, 1))
    print(f"{sys.argv[2]} threads, {name}: ours {mine:.1f} ms, Python {other:.1f} ms, ratio {other / mine:.1f}")
PY
