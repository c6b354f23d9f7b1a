#!/usr/bin/env bash
# Kills a rank of a run, suspends it, and requests its end: the others end within 30 s with a sentence that names it. A
# different number of ranks then resumes to the bytes of an undisturbed run.
# ranks_lost.sh PAIRS
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1

# seconds since the epoch, in whole ones
now() { date +%s; }
child_of() { pgrep -P "$1" | head -1; }
# begin RANKS: resumes `torn` and waits until it trains; sets `leader` and `other`, the processes of ranks 0 and 1.
begin() {
  : >err
  "$PAIRS" --batch run --resume torn --ranks "$1" >/dev/null 2>err &
  leader=$!
  for _ in $(seq 600); do
    other=$(child_of $leader)
    [ -n "$other" ] && grep -q 'train together' err && [ -s torn/resume.safetensors ] &&
      [ torn/resume.safetensors -nt mark ] && return 0
    kill -0 $leader 2>/dev/null || break
    sleep 0.1
  done
  say_fail "$1 ranks did not begin: $(tail -1 err)"
}
# ended PROCESS CODE PATTERN BEGIN: checks that it ends within 30 s of BEGIN, with this code and sentence.
ended() {
  local status
  wait "$1"
  status=$?
  [ "$status" -eq "$2" ] || say_fail "exit $status, not $2: $(tail -2 err)"
  [ $(($(now) - $4)) -le 30 ] || say_fail "it took $(($(now) - $4)) s to end"
  grep -q -- "$3" err || say_fail "no \"$3\" in: $(cat err)"
  touch mark
  sleep 0.1
}
# alive PROCESS: whether it has not ended; it may stay a zombie while its parent is suspended.
alive() { [ -e "/proc/$1/stat" ] && ! grep -q ') Z ' "/proc/$1/stat"; }
# gone PROCESS BEGIN: checks that a process that is no child of ours ends within 30 s of BEGIN.
gone() {
  while alive "$1" && [ $(($(now) - $2)) -le 30 ]; do sleep 0.2; done
  alive "$1" && say_fail "process $1 is still there after 30 s"
}
tiny_run bump-hunt --set pretrain.epochs=40 --set checkpoint=0.5 --ranks 2 --out whole >/dev/null 2>log || say_fail "the whole run: $(tail -1 log)"
mkdir torn && cp whole/run.toml torn/
touch mark
sleep 0.1

begin 2
at=$(now)
kill -9 "$other"
ended $leader 1 'ank 1 of this run was ended by SIGKILL' "$at"
[ $(($(now) - at)) -le 10 ] || say_fail "its own child's end was told after $(($(now) - at)) s"

begin 4
at=$(now)
kill -STOP "$other"
ended $leader 1 'ank [123] (.* has been silent' "$at"
gone "$other" "$at"

begin 2
at=$(now)
kill -9 $leader
wait $leader 2>/dev/null
gone "$other" "$at"
touch mark
sleep 0.1

begin 2
at=$(now)
kill -STOP $leader
gone "$other" "$at"
kill -9 $leader
wait $leader 2>/dev/null
touch mark
sleep 0.1

begin 2
at=$(now)
kill -INT $leader
ended $leader 130 'continue with' "$at"
gone "$other" "$at"

begin 2
at=$(now)
kill -TERM "$other"
ended $leader 1 'Another rank was asked to stop' "$at"
gone "$other" "$at"

"$PAIRS" --batch run --resume torn >/dev/null 2>err || say_fail "the last resumption, alone: $(tail -1 err)"
same whole torn
finish
