#!/usr/bin/env bash
# ranks.sh PAIRS [TASK] [STEPS] [ROUNDS]: steps a second of stage 1 of a task (default: circle, preset small, 60 steps, 3
# rounds), by one process with all cores, without slots, with 2 and with 8, and by 2 and 4 ranks with their shares of the
# cores, in turn; the medians, and each as a share of the first.
set -euo pipefail
pairs=$(realpath "$1") task=${2:-circle} steps=${3:-60} rounds=${4:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# measure NAME ARGUMENTS...
measure() {
  local name=$1
  shift
  rm -rf run
  "$pairs" --batch run "$task" --preset small --device cpu --out run --until pretrain --json \
    --set pretrain.epochs=1 --set pretrain.steps="$steps" --set pretrain.sets=0 --set pretrain.budget=0 \
    --set pretrain.curriculum= --set pretrain.validation_sets=16 "$@" 2>err |
    python3 -c 'import json, sys; print(json.dumps([sys.argv[1], int(sys.argv[2]) / json.load(sys.stdin)["stages"][0]["seconds"]]))' \
      "$name" "$steps" >>rates
}
for _ in $(seq "$rounds"); do
  measure "one process"
  measure "one process, 2 slots" --ranks 1 --set slots=2
  measure "2 ranks, 2 slots" --ranks 2 --set slots=2
  measure "one process, 8 slots" --ranks 1 --set slots=8
  measure "2 ranks, 8 slots" --ranks 2 --set slots=8
  measure "4 ranks, 8 slots" --ranks 4 --set slots=8
done
python3 - run/pretrained.safetensors <<'PY_END'
import json, statistics, struct, sys
rates = {}
for name, rate in map(json.loads, open("rates")): rates.setdefault(name, []).append(rate)
first = statistics.median(rates["one process"])
for name, all in rates.items():
    rate = statistics.median(all)
    print(f"{name}: {rate:.2f} steps a second (from {min(all):.2f} to {max(all):.2f}), {rate / first:.0%} of one process")
with open(sys.argv[1], "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
floats = 0
for name, tensor in header.items():
    if name == "__metadata__" or tensor["dtype"] != "F32": continue
    count = 1
    for side in tensor["shape"]: count *= side
    floats += count
print(f"{floats} floats of weights: each of 2 ranks sends {4 * floats / 1e6:.2f} MB a step, each of 4 {8 * floats / 1e6:.2f} MB")
PY_END
