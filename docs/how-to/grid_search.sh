#!/usr/bin/env bash
# The paper's grid search for novel views (appendix "Novel-view synthesis", hyperparameter search): 27 pretrainings with
# one seed, over the U-Net's base channels, the embedding's length and the learning rate, compared by validation loss
# (the mean squared error of the velocity).
#
#   docs/how-to/grid_search.sh [--pairs PROGRAM] [--out FOLDER] [--preset NAME] [--set KEY=VALUE]...
#
# PROGRAM is build/release/pairs, FOLDER runs/grid and NAME paper unless said otherwise; any further --set holds for all
# 27 (the three that the grid varies come last). Started again with the same arguments it skips what is finished and
# resumes what is not, so it may be interrupted at any time. At the end, and after an interruption, the table of
# validation losses is printed, the best first. Needs no GPU, but days without one: try
#
#   docs/how-to/grid_search.sh --preset quick --set pretrain.epochs=1 --set pretrain.steps=20
#
# The variables CHANNELS, SIZES and RATES, lists of numbers, name another grid than the paper's.
set -uo pipefail
pairs=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../../build/release/pairs
out=runs/grid
preset=paper
common=()
read -ra all_channels <<<"${CHANNELS:-32 64 96}"
read -ra all_sizes <<<"${SIZES:-16 32 64}"
read -ra all_rates <<<"${RATES:-5e-4 1e-3 3e-3}"
points=$((${#all_channels[@]} * ${#all_sizes[@]} * ${#all_rates[@]}))

usage() {
  echo "grid_search.sh: $1; see the first lines of this file" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage "$1 needs a value"
  case $1 in
    --pairs) pairs=$2 ;;
    --out) out=$2 ;;
    --preset) preset=$2 ;;
    --set) common+=("$1" "$2") ;;
    *) usage "there is no option $1" ;;
  esac
  shift 2
done
common=(--preset "$preset" "${common[@]}")
[ -x "$pairs" ] || usage "there is no program $pairs, name it with --pairs"

mkdir -p "$out" || exit 1
settings=$(printf '%q ' "${common[@]}")
if [ -e "$out/settings.txt" ] && [ "$settings" != "$(cat "$out/settings.txt")" ]; then
  usage "$out was begun with $(cat "$out/settings.txt"): use the same arguments or another --out"
fi
echo "$settings" >"$out/settings.txt"

table() {
  echo
  printf '%-10s  %-10s  %-8s  %s\n' channels embedding rate 'validation loss'
  sort -t, -k4,4g "$out/losses.csv" | while IFS=, read -r channels size rate loss; do
    printf '%-10s  %-10s  %-8s  %s\n' "$channels" "$size" "$rate" "$loss"
  done
}

: >"$out/losses.csv"
number=0 failures=0 stopped=0
trap 'stopped=130' INT
trap 'stopped=143' TERM
for channels in "${all_channels[@]}"; do
  for size in "${all_sizes[@]}"; do
    for rate in "${all_rates[@]}"; do
      number=$((number + 1))
      run=$out/channels-$channels-size-$size-rate-$rate
      point=(--set "head.channels=$channels" --set "embedder.size=$size" --set "pretrain.rate=$rate")
      echo "$number of $points: head.channels = $channels, embedder.size = $size, pretrain.rate = $rate" >&2
      if [ -e "$run/run.toml" ]; then
        answer=$("$pairs" --batch run --resume "$run" --until pretrain --json)
      else
        answer=$("$pairs" --batch run novel-view "${common[@]}" "${point[@]}" --until pretrain --out "$run" --json)
      fi
      code=$?
      [ $code -lt 128 ] || stopped=$code
      if [ $stopped -ne 0 ]; then
        table
        exit $stopped
      fi
      loss=$(sed -n 's/^ *"validation": \([^,]*\),\{0,1\}$/\1/p' <<<"$answer" | head -1)
      if [ $code -ne 0 ] || [ -z "$loss" ]; then
        failures=$((failures + 1))
        continue
      fi
      echo "$channels,$size,$rate,$loss" >>"$out/losses.csv"
    done
  done
done
table
[ $failures -eq 0 ] || echo "$failures of $points failed: see above" >&2
[ $failures -eq 0 ]
