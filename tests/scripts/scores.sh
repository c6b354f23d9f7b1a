#!/usr/bin/env bash
# scores.sh ROOT: the tables of scores on the tasks' pages are those of the stored evaluations
# (docs/reference/scores.py), and a
# page or an evaluation that was changed is found.
set -euo pipefail
python3 "$1/docs/reference/scores.py" --check
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/docs/reference" "$copy/tasks/circle" "$copy/assets/weights"
cp "$1/docs/reference/scores.py" "$copy/docs/reference"
cp "$1/tasks/circle/README.md" "$copy/tasks/circle"
cp -r "$1/assets/weights/circle" "$copy/assets/weights"
fails() {
  ! python3 "$copy/docs/reference/scores.py" --check >"$copy/out" 2>&1 || { echo "$1 is not found"; exit 1; }
  grep -q "$2" "$copy/out" || { cat "$copy/out"; exit 1; }
}
python3 "$copy/docs/reference/scores.py" --check
sed -i 's/^| NLL \/ nat | [0-9.]*/| NLL \/ nat | 9.99/' "$copy/tasks/circle/README.md"
fails "a changed number" "stale: tasks/circle/README.md"
python3 "$copy/docs/reference/scores.py" >/dev/null
cmp "$copy/tasks/circle/README.md" "$1/tasks/circle/README.md"
sed -i 's/"weights_checksum":"./&0/' "$copy/assets/weights/circle/estimator.safetensors"
fails "an evaluation of other weights" "is of other weights"
