#!/usr/bin/env bash
# python_docs.sh PAIRS SOURCE: runs every line of Python in docs/how-to/python.md on a run that is made here.
set -euo pipefail
pairs=$(realpath "$1") source=$(realpath "$2")
python=
for one in /usr/bin/python3 python3; do
  if "$one" -c 'import numpy, tomllib' 2>/dev/null; then python=$one && break; fi
done
[[ -n $python ]] || { echo "no Python 3.11 with numpy: install python3-numpy"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$pairs" --batch run bump-hunt --device cpu --threads 1 --out runs/a --set embedder.layers=8 --set embedder.size=4 \
  --set head.hidden=8 --set pretrain.epochs=1 --set pretrain.steps=3 --set pretrain.validation_sets=200 \
  --set cache.sets=50 --set finetune.epochs=1 --set finetune.steps=3 --set finetune.validation_draws=100 2>/dev/null
"$pairs" --batch evaluate runs/a --sizes 1,10 --sets 50 --samples 19 >/dev/null 2>&1
printf '%s\n' 1.5 2.5 3.5 >events.csv
"$pairs" --batch infer runs/a --data events.csv --out posterior.npz >/dev/null 2>&1
"$pairs" --batch embed runs/a --data events.csv --n 1,3 --out embedded.npz >/dev/null 2>&1
awk '/^```python/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/how-to/python.md" >all.py
grep -q read_safetensors all.py
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$source/assets/python PAIRS=$pairs "$python" all.py
