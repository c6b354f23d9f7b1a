#!/usr/bin/env bash
# kinds.sh ROOT: fails when a source file under ROOT switches on a kind (kinds.awk).
set -euo pipefail
rules=$(dirname "$(realpath "$0")")/kinds.awk
cd "$1"
folders=()
for folder in core render tasks app; do
  [[ -d $folder ]] && folders+=("$folder")
done
find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  sort -z | xargs -0 -r awk -f "$rules"
