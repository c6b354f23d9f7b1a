#!/usr/bin/env bash
# window.sh PAIRS [SECONDS]: what the window costs, on a virtual display with software OpenGL at 1280x800: start, rest,
# frames while N is dragged and while the quick bump hunt trains, the speed of that training against --batch, the time to
# close, memory over SECONDS of training (default 60). Wants an idle machine. Needs Xvfb and xdotool.
set -euo pipefail
pairs=$(realpath "$1")
long=${2:-60}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data PAIRS_LOG=debug
mkdir -p "$work/config/pairs-studio" "$work/cwd"
cd "$work/cwd"
printf 'width = 1280\nheight = 800\ndismissed = ["welcome"]\n' >"$work/config/pairs-studio/settings.toml"
mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$work/number" >/dev/null 2>&1 &
read -r -t 20 number <"$work/number"
export DISPLAY=:$number

place() { # TAB NAME SHARE
  python3 - "$work/$1.json" "$2" "$3" <<'P'
import json, sys
boxes = [i["box"] for i in json.load(open(sys.argv[1])) if i["name"] == sys.argv[2]]
x0, y0, x1, y1 = boxes[-1]
print(round(x0 + float(sys.argv[3]) * (x1 - x0)), round((y0 + y1) / 2))
P
}
for tab in posterior train; do
  env -u DISPLAY "$pairs" --batch screenshot --task bump-hunt --tab $tab --size 1280x800 --out "$work/$tab.png" \
    --items "$work/$tab.json" >/dev/null
done
ticks() { awk '{print $14 + $15}' "/proc/$window/stat"; }
rss() { awk '/VmRSS/ {printf "%.0f", $2 / 1000}' "/proc/$window/status"; }
median_rate() { # FIRST_LINE: of the frames/s told from there on
  tail -n "+$1" "$work/log" | sed -n 's/.*debug \([0-9.]*\) frames\/s/\1/p' | sort -n |
    awk '{v[NR] = $1} END {print NR ? v[int((NR + 1) / 2)] " (median of " NR " s)" : "none"}'
}
open_window() {
  "$pairs" </dev/null >/dev/null 2>"$work/log" &
  window=$!
  for _ in $(seq 100); do grep -q "first posterior" "$work/log" && break; sleep 0.1; done
  id=$(xdotool search --sync --onlyvisible --name "Pairs Studio" | head -1)
  xdotool windowmove "$id" 0 0
  sleep 3
}
close_window() {
  local begin
  begin=$(date +%s%N)
  kill -TERM "$window"
  wait "$window" || true
  echo "closing: $((($(date +%s%N) - begin) / 1000000)) ms"
}
steps_of() { # RUNS: stage-1 steps per second, from the last loss of pretraining
  python3 - "$1" <<'P'
import glob, json, sys
rows = [json.loads(l) for l in open(glob.glob(sys.argv[1] + "/*/events.jsonl")[0]) if l.endswith("\n")]
rows = [r for r in rows if r.get("type") == "loss" and r["stage"] == "pretrain"]
print((rows[-1]["step"] - rows[0]["step"]) / (rows[-1]["seconds"] - rows[0]["seconds"]))
P
}

open_window
grep -o "first .*" "$work/log"
a=$(ticks)
sleep 10
echo "at rest: $(awk -v t=$(($(ticks) - a)) 'BEGIN {print t / 10}') % of a core over 10 s"
first=$(($(wc -l <"$work/log") + 1))
# shellcheck disable=SC2046
xdotool mousemove $(place posterior posterior/n 0.95) mousedown 1
for round in $(seq 8); do
  for k in $(seq 95 -1 5) $(seq 5 95); do
    echo "mousemove $(awk -v k="$k" -v at="$(place posterior posterior/n 0) $(place posterior posterior/n 1)" \
      'BEGIN {split(at, p, " "); print int(p[1] + k / 100 * (p[3] - p[1])), p[2]}')"
    echo "sleep 0.005"
  done >"$work/moves" && break
done
for round in $(seq 6); do xdotool - <"$work/moves"; done
xdotool mouseup 1
echo "frames/s while N is dragged: $(median_rate "$first")"
close_window

# --batch first, then the same with the window, untouched; then with somebody at it.
"$pairs" --batch run bump-hunt --preset quick --out "$work/batch/run" 2>/dev/null >/dev/null &
batch=$!
for _ in $(seq 600); do [ -e "$work/batch/run/pretrained.safetensors" ] && break; sleep 0.1; done
kill "$batch" 2>/dev/null || true
wait "$batch" || true
rm -rf "$XDG_DATA_HOME/pairs-studio"
open_window
# shellcheck disable=SC2046
xdotool mousemove $(place train tab/train 0.5) click 1
sleep 1.5
# shellcheck disable=SC2046
xdotool mousemove $(place train train/start 0.5) click 1
sleep 6
first=$(($(wc -l <"$work/log") + 1))
begin_rss=$(rss)
for _ in $(seq 600); do ls "$XDG_DATA_HOME"/pairs-studio/runs/*/pretrained.safetensors >/dev/null 2>&1 && break; sleep 0.1; done
echo "frames/s while it trains, untouched: $(median_rate "$first")"
with=$(steps_of "$XDG_DATA_HOME/pairs-studio/runs") alone=$(steps_of "$work/batch")
echo "pretraining steps/s with the window, untouched: $with, --batch: $alone, ratio $(awk -v a="$with" -v b="$alone" 'BEGIN {print a / b}')"
first=$(($(wc -l <"$work/log") + 1))
for _ in $(seq 120); do
  # shellcheck disable=SC2046
  xdotool mousemove $((400 + RANDOM % 500)) $((300 + RANDOM % 300)) sleep 0.04
done
echo "frames/s while it trains, with a mouse on it: $(median_rate "$first")"
sleep "$long"
echo "memory: $begin_rss MB at the start of training, $(rss) MB $long s later"
close_window
