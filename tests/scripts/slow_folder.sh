#!/usr/bin/env bash
# slow_folder.sh PAIRS LIBRARY: the real window beside a folder of runs where every look takes 200 ms (LIBRARY, of
# slow_folder.c), as of a server that is mounted: a finished run is opened and its tabs are gone through, and the thread
# that draws never asks that folder for anything. Needs Xvfb and xdotool.
PAIRS=$(realpath "$1")
LIBRARY=$(realpath "$2")
SCRATCH=$(mktemp -d)
window= display=
cleanup() {
  [ -z "$window" ] || kill -9 "$window" 2>/dev/null
  [ -z "$display" ] || kill "$display" 2>/dev/null
  rm -rf "$SCRATCH"
}
trap cleanup EXIT
# shellcheck source=tests/scripts/tiny.sh
source "$(dirname "$(realpath "$0")")/tiny.sh"
for tool in Xvfb xdotool python3; do
  command -v "$tool" >/dev/null || { say_fail "$tool is missing; third_party/install.sh installs it" && finish; }
done
export XDG_CONFIG_HOME=$SCRATCH/config XDG_DATA_HOME=$SCRATCH/data HOME=$SCRATCH PAIRS_LOG=debug
unset WAYLAND_DISPLAY
runs=$SCRATCH/data/pairs-studio/runs
mkdir -p "$runs" "$SCRATCH/config/pairs-studio"
printf 'width = 1280\nheight = 800\ndismissed = ["welcome"]\n' >"$SCRATCH/config/pairs-studio/settings.toml"
tiny_run bump-hunt --out "$runs/far" >"$SCRATCH/out" 2>&1 || { say_fail "no run: $(cat "$SCRATCH/out")" && finish; }
env -u DISPLAY "$PAIRS" --batch screenshot --task bump-hunt --tab train --size 1280x800 --out "$SCRATCH/picture.png" \
  --items "$SCRATCH/items.json" >/dev/null 2>"$SCRATCH/err" || say_fail "no picture: $(cat "$SCRATCH/err")"
place() { # NAME: x and y of a widget's middle
  python3 - "$SCRATCH/items.json" "$1" <<'P'
import json, sys
boxes = [i["box"] for i in json.load(open(sys.argv[1])) if i["name"] == sys.argv[2]]
if not boxes: sys.exit("no widget is called " + sys.argv[2])
x0, y0, x1, y1 = boxes[-1]
print(round((x0 + x1) / 2), round((y0 + y1) / 2))
P
}

mkfifo "$SCRATCH/number"
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$SCRATCH/number" >"$SCRATCH/xvfb" 2>&1 &
display=$!
read -r -t 20 number <"$SCRATCH/number" || { say_fail "Xvfb did not start: $(cat "$SCRATCH/xvfb")" && finish; }
export DISPLAY=:$number
LD_PRELOAD=$LIBRARY SLOW_FOLDER=$runs SLOW_LOG=$SCRATCH/calls "$PAIRS" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/log" &
window=$!
wait_for() { # SECONDS COMMAND...: until it succeeds
  local left=$(($1 * 10))
  shift
  until "$@"; do
    ((left-- > 0)) || return 1
    sleep 0.1
  done
}
wait_for 30 grep -qs "first posterior after" "$SCRATCH/log" || { say_fail "no window: $(cat "$SCRATCH/log")" && finish; }
asked() { grep -qs "^other .*$1" "$SCRATCH/calls"; }
# Complete where the list has read its scores, the last that it reads of a run.
wait_for 40 asked far/estimator.safetensors || say_fail "the run is not listed: $(cat "$SCRATCH/calls")"
sleep 3
id=$(xdotool search --sync --onlyvisible --name "Pairs Studio" | head -1)
xdotool windowmove "$id" 0 0
xdotool windowsize "$id" 1280 800
sleep 1
click() {
  # shellcheck disable=SC2046
  xdotool mousemove $(place "$1") click 1
  sleep 2
}
: >"$SCRATCH/calls"
click sidebar/run/far
for tab in task train posterior evaluate compare; do click "tab/$tab"; done
asked far/events.jsonl || say_fail "the run was not opened: $(cat "$SCRATCH/calls")"
if grep "^first " "$SCRATCH/calls"; then say_fail "the window waits for the folder of runs"; fi
finish
