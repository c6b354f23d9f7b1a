#!/usr/bin/env bash
# window.sh PAIRS: the real window on a virtual display (Xvfb, software OpenGL), with a real mouse (xdotool). It opens on
# the bump hunt's posterior, N is dragged, a training is started and its loss falls, closing the window needs a
# confirmation, and the run can be resumed. Needs Xvfb, xdotool and xwd.
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap close_display EXIT
# shellcheck source=tests/scripts/tiny.sh
source "$(dirname "$(realpath "$0")")/tiny.sh"
# shellcheck source=tests/scripts/display.sh
source "$(dirname "$(realpath "$0")")/display.sh"
if LD_DEBUG=libs "$PAIRS" --batch tasks 2>&1 | grep -qE 'lib(glfw|GL|EGL)\.so'; then
  say_fail "--batch loads a library of the window"
fi

open_display
lines() { cat "$1"/*/events.jsonl 2>/dev/null | grep -c '"loss"'; }
more_losses_than() { [ "$(lines "$runs")" -gt "$1" ]; }

# The positions of the widgets come from the same panels, drawn without a display.
mkdir -p "$SCRATCH/work" && cd "$SCRATCH/work" || exit 1
runs=$SCRATCH/data/pairs-studio/runs
for tab in posterior train; do items $tab --task bump-hunt; done

# An animation has one frame per set size, and the frames differ.
env -u DISPLAY "$PAIRS" --batch screenshot --task bump-hunt --n 3 --size 640x480 --out "$SCRATCH/film.webp" \
  >/dev/null 2>"$SCRATCH/err" || say_fail "no film: $(cat "$SCRATCH/err")"
python3 - "$SCRATCH/film.webp" <<'P' || say_fail "film.webp is not a film of N = 1, 2 and 3"
import sys
data = open(sys.argv[1], "rb").read()
assert data[:4] == b"RIFF" and data[8:12] == b"WEBP"
frames, at = [], 12
while at + 8 <= len(data):
    size = int.from_bytes(data[at + 4:at + 8], "little")
    if data[at:at + 4] == b"ANMF": frames.append(data[at + 8:at + 8 + size])
    at += 8 + size + size % 2
assert len(frames) == 3 and len(set(frames)) == 3, len(frames)
P

# A file is shown for a run and for a task.
printf 'x\n2\n2.1\n-0.3\n' >"$SCRATCH/events.csv"
mv "$SCRATCH/posterior.json" "$SCRATCH/simulated.json"
for what in run task; do
  items posterior --$what bump-hunt --data "$SCRATCH/events.csv"
  grep '"text"' "$SCRATCH/posterior.json" | grep -v ' MB"' >"$SCRATCH/of-$what.json"
done
cmp -s "$SCRATCH"/of-run.json "$SCRATCH"/of-task.json || say_fail "--run RUN --data FILE shows another page than --task"
grep -q "events.csv: 3 observations" "$SCRATCH/of-run.json" || say_fail "--data is not shown"
mv "$SCRATCH/simulated.json" "$SCRATCH/posterior.json"

open_window

# picture NAME: saves the current content of the display.
picture() { xwd -root -silent >"$SCRATCH/$1.xwd"; }
# Prints the number of different colors, and the share of pixels that differ from another picture.
colors() { python3 - "$@" <<'P'
import struct, sys
def read(file):
    data = open(file, "rb").read()
    head = struct.unpack(">25I", data[:100])
    return data[head[0] + 12 * head[19]:]
one = read(sys.argv[1])
pixels = [one[i:i + 4] for i in range(0, len(one), 4)]
if len(sys.argv) == 2:
    print(len(set(pixels)))
else:
    two = read(sys.argv[2])
    print(round(1000 * sum(one[i:i + 4] != two[i:i + 4] for i in range(0, len(one), 4)) / len(pixels)))
P
}

picture first
[ "$(colors "$SCRATCH/first.xwd")" -gt 50 ] || say_fail "the window is nearly blank"
point posterior posterior/n 0.97 mousedown 1
for share in 0.9 0.8 0.7 0.6 0.5 0.4 0.3 0.2; do
  point posterior posterior/n $share
  sleep 0.05
done
xdotool mouseup 1
sleep 1
picture dragged
[ "$(colors "$SCRATCH/first.xwd" "$SCRATCH/dragged.xwd")" -gt 5 ] || say_fail "dragging N changed nothing"

point train tab/train 0.5 click 1
sleep 1
point train train/start 0.5 click 1
within 40 more_losses_than 2 || say_fail "no training began: $(cat "$SCRATCH/log")"
python3 - "$runs" <<'P' || say_fail "the loss does not fall"
import glob, json, sys, time
def losses():
    file = glob.glob(sys.argv[1] + "/*/events.jsonl")[0]
    rows = [json.loads(line) for line in open(file) if line.endswith("\n")]
    return [row["train"] for row in rows if row.get("type") == "loss"]
end = time.time() + 40
while time.time() < end:
    seen = losses()
    if len(seen) > 2 and min(seen[1:]) < seen[0]: sys.exit(0)
    time.sleep(0.5)
sys.exit(1)
P
picture training
[ "$(colors "$SCRATCH/dragged.xwd" "$SCRATCH/training.xwd")" -gt 20 ] || say_fail "the Train tab was not shown"

# Closing needs a confirmation: the window stays until "Stop and save" is selected.
xdotool key --window "$id" ctrl+q
sleep 2
kill -0 "$window" 2>/dev/null || say_fail "the window closed over a training without a question"
picture asking
[ "$(colors "$SCRATCH/training.xwd" "$SCRATCH/asking.xwd")" -gt 20 ] || say_fail "no question is seen"
gone() { ! kill -0 "$window" 2>/dev/null; }
begin=$(date +%s%N)
xdotool key --window "$id" Return
within 20 gone || { say_fail "Enter in the question did not close the window" && kill -TERM "$window"; }
wait "$window"
status=$?
took=$((($(date +%s%N) - begin) / 1000000))
window=
[ $status -eq 0 ] || say_fail "the window ended with status $status: $(tail -3 "$SCRATCH/log")"
[ $took -lt 5000 ] || say_fail "closing took $took ms"
run=$(dirname "$(ls "$runs"/*/run.toml)")
[ -e "$run/resume.safetensors" ] || [ -e "$run/pretrained.safetensors" ] || say_fail "the run was not saved: $(ls "$run")"
grep -h "after\|frames in" "$SCRATCH/log"
finish
