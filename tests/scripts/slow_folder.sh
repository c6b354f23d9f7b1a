#!/usr/bin/env bash
# slow_folder.sh PAIRS LIBRARY: the real window with a folder of runs in which every access takes 200 ms, like that of a
# mounted server (LIBRARY is compiled from slow_folder.c). The test opens a finished run and visits its tabs; the drawing
# thread never accesses that folder. A run that another program starts there is shown within 2 s of its file, and
# followed. Needs Xvfb and xdotool.
PAIRS=$(realpath "$1")
LIBRARY=$(realpath "$2")
SCRATCH=$(mktemp -d)
trap close_display EXIT
# shellcheck source=tests/scripts/tiny.sh
source "$(dirname "$(realpath "$0")")/tiny.sh"
# shellcheck source=tests/scripts/display.sh
source "$(dirname "$(realpath "$0")")/display.sh"
open_display
runs=$SCRATCH/data/pairs-studio/runs
mkdir -p "$runs"
tiny_run bump-hunt --out "$runs/far" >"$SCRATCH/out" 2>&1 || { say_fail "no run: $(cat "$SCRATCH/out")" && finish; }
items train --task bump-hunt

open_window "LD_PRELOAD=$LIBRARY" "SLOW_FOLDER=$runs" "SLOW_LOG=$SCRATCH/calls"
asked() { grep -qs "^other .*$1" "$SCRATCH/calls"; }
# The run is loaded once the list has read its scores, the last file that it reads of a run.
within 40 asked far/estimator.safetensors || say_fail "the run is not listed: $(cat "$SCRATCH/calls")"
sleep 3
click() {
  point train "$1" 0.5 click 1
  sleep 2
}
: >"$SCRATCH/calls"
click sidebar/run/far
for tab in task train posterior evaluate compare; do click "tab/$tab"; done
asked far/events.jsonl || say_fail "the run was not opened: $(cat "$SCRATCH/calls")"

# Another program trains a run.
tiny_run bump-hunt --out "$runs/training" --set pretrain.epochs=2000 >"$SCRATCH/trained" 2>&1 &
training=$!
within 60 [ -e "$runs/training/run.toml" ] || say_fail "no run began: $(cat "$SCRATCH/trained")"
begin=$(date +%s%N)
within 20 told "training is listed" || say_fail "the run that is trained was not listed: $(cat "$SCRATCH/calls")"
took=$((($(date +%s%N) - begin) / 1000000))
echo "listed after $took ms"
[ $took -lt 2000 ] || say_fail "the run was listed $took ms after its file"
click sidebar/run/far  # the newest run is the first of the list
within 20 asked training/events.jsonl || say_fail "the run is not followed: $(cat "$SCRATCH/calls")"
sleep 3
pkill -P $training  # the program, which the shell of the function waits for
wait $training
if grep "^first " "$SCRATCH/calls"; then say_fail "the window waits for the folder of runs"; fi
finish
