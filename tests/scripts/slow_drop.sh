#!/usr/bin/env bash
# slow_drop.sh MODEL_TESTS LIBRARY: a set, and a folder of sets, are dropped from a folder where every look takes 200 ms
# (LIBRARY, of slow_folder.c). The thread that draws never asks that folder for anything.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=$scratch/slow
mkdir -p "$folder/sets"
printf 'x\n0.1\n0.2\n5.5\n1.25\n' >"$folder/events.csv"
for name in a b; do printf 'x\n0.1\n0.2\n5.5\n' >"$folder/sets/$name.csv"; done
: >"$scratch/calls"
if ! LD_PRELOAD=$2 SLOW_FOLDER=$folder SLOW_LOG=$scratch/calls \
  "$1" --gtest_filter=StudioDrop.OpensASetAndManySetsOnAnotherThread >"$scratch/out" 2>&1; then
  cat "$scratch/out"
  exit 1
fi
for file in events.csv sets/a.csv; do
  grep -q "^other .*$file" "$scratch/calls" || {
    echo "$file was not read: $(cat "$scratch/calls")"
    exit 1
  }
done
if grep "^first " "$scratch/calls"; then
  echo "the thread that draws asked the folder of what was dropped"
  exit 1
fi
echo "$(wc -l <"$scratch/calls") calls, none by the thread that draws"
