# Sourced by tests of the real window, after tiny.sh: a virtual display (Xvfb, software OpenGL), a separate home and a
# real mouse (xdotool). Needs PAIRS, the program, and SCRATCH, a folder.
window= display=
close_display() {
  [ -z "$window" ] || kill -9 "$window" 2>/dev/null
  [ -z "$display" ] || kill "$display" 2>/dev/null
  rm -rf "$SCRATCH"
}

# open_display: sets DISPLAY to a display that is not in use, and HOME to a folder whose settings dismiss the welcome.
open_display() {
  local tool number
  for tool in Xvfb xdotool xwd python3; do
    command -v "$tool" >/dev/null || { say_fail "$tool is missing; third_party/install.sh installs it" && finish; }
  done
  export XDG_CONFIG_HOME=$SCRATCH/config XDG_DATA_HOME=$SCRATCH/data HOME=$SCRATCH PAIRS_LOG=debug
  unset WAYLAND_DISPLAY
  mkdir -p "$SCRATCH/config/pairs-studio"
  printf 'width = 1280\nheight = 800\ndismissed = ["welcome"]\n' >"$SCRATCH/config/pairs-studio/settings.toml"
  mkfifo "$SCRATCH/number"
  Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$SCRATCH/number" >"$SCRATCH/xvfb" 2>&1 &
  display=$!
  read -r -t 20 number <"$SCRATCH/number" || { say_fail "Xvfb did not start: $(cat "$SCRATCH/xvfb")" && finish; }
  export DISPLAY=:$number
}

# within SECONDS COMMAND...: repeats the command ten times per second until it succeeds or the time is over.
within() {
  local left=$(($1 * 10))
  shift
  until "$@"; do
    ((left-- > 0)) || return 1
    sleep 0.1
  done
}

# items TAB ARGUMENTS...: draws a tab without a display and lists the positions of its widgets.
items() {
  local tab=$1
  shift
  env -u DISPLAY "$PAIRS" --batch screenshot --tab "$tab" --size 1280x800 --out "$SCRATCH/$tab.png" \
    --items "$SCRATCH/$tab.json" "$@" >/dev/null 2>"$SCRATCH/err" ||
    say_fail "no picture of $tab: $(cat "$SCRATCH/err")"
}

# place TAB NAME [SHARE]: prints x and y of the point at a share of a widget's width, from the list by `items`.
place() {
  python3 - "$SCRATCH/$1.json" "$2" "${3:-0.5}" <<'P'
import json, sys
boxes = [i["box"] for i in json.load(open(sys.argv[1])) if i["name"] == sys.argv[2]]
if not boxes: sys.exit("no widget is called " + sys.argv[2])
x0, y0, x1, y1 = boxes[-1]
print(round(x0 + float(sys.argv[3]) * (x1 - x0)), round((y0 + y1) / 2))
P
}

# point TAB NAME SHARE ACTION...: moves the mouse there; ACTION is xdotool's, e.g. click 1.
point() {
  local at
  at=$(place "$1" "$2" "$3")
  shift 3
  # shellcheck disable=SC2086
  xdotool mousemove $at "$@"
}

told() { grep -qs -- "$1" "$SCRATCH/log"; }

# open_window NAME=VALUE...: starts the window with this environment and waits until it shows a posterior. Its log is
# $SCRATCH/log, its process $window and its number $id.
open_window() {
  env "$@" "$PAIRS" </dev/null >"$SCRATCH/out" 2>"$SCRATCH/log" &
  window=$!
  within 30 told "first frame after" || { say_fail "no window: $(cat "$SCRATCH/log")" && finish; }
  within 30 told "first posterior after" || say_fail "no posterior with the shipped weights"
  id=$(xdotool search --sync --onlyvisible --name "Pairs Studio" | head -1)
  xdotool windowmove "$id" 0 0
  xdotool windowsize "$id" 1280 800
  sleep 1
}
