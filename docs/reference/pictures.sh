#!/usr/bin/env bash
# pictures.sh [PAIRS]: makes the pictures of the README and of docs again, from the shipped weights. Needs no display.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")"
pairs=$(realpath "${1:-../../build/release/pairs}")
unset PAIRS_DATA
XDG_CONFIG_HOME=$(mktemp -d)
XDG_DATA_HOME=$XDG_CONFIG_HOME/data
export XDG_CONFIG_HOME XDG_DATA_HOME
trap 'rm -rf "$XDG_CONFIG_HOME"' EXIT

"$pairs" --batch screenshot --task bump-hunt --tab posterior --n 100 --size 1440x900 --out window-posterior.png
"$pairs" --batch screenshot --task bump-hunt --n 100 --size 1120x700 --scale 0.8 --out window-posterior.webp
"$pairs" --batch screenshot --task gaussian --tab posterior --n 1000 --theme light --size 1440x1000 --out window-gaussian.png
"$pairs" --batch screenshot --task digits --tab task --size 1440x1000 --out window-task.png
"$pairs" --batch figure posterior bump-hunt --overwrite --out ../tutorials/bump-hunt-posterior.png
"$pairs" --batch screenshot --task novel-view --tab posterior --n 100 --size 1440x900 --out window-novel-view.png
