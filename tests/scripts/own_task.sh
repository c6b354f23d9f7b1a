#!/usr/bin/env bash
# own_task.sh PAIRS SOURCE: a task of a person's own from its file to an answer: nothing runs before it was agreed to, a
# killed run and one whose simulator died end with the same weights as one that was left alone, a changed file is refused,
# and a finished run answers when file and program are gone.
PAIRS=$(realpath "$1")
SOURCE=$(realpath "$2")
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
export HOME=$SCRATCH/home XDG_CONFIG_HOME=$SCRATCH/config
unset PAIRS_DATA
mkdir -p "$HOME"
cd "$SCRATCH" || exit 1
cp -r "$SOURCE/assets/examples/bump-hunt-python" my
# What is asked of it stands in a file, and a file makes it die.
cat >my/simulate.py <<'P'
import os
from pairs_simulator import serve
open("ran", "w").close()
print(os.getpid(), file=open("pids", "a"))
def prior(rng, size):
    return rng.random(size), rng.normal(1, 2, size)
def simulate(theta, psi, n, rng):
    if os.path.exists("die"):
        os._exit(7)
    x = rng.standard_normal(n)
    signal = rng.random(n) < theta[0]
    x[signal] = psi[0] + 0.1 * x[signal]
    return x
serve(prior, simulate)
P

refuses 2 "wants to run the program /usr/bin/python3 simulate.py in the folder" --batch run --task-file my/task.toml
[ ! -e my/ran ] || say_fail "the program was run before it was agreed to"
refuses 2 "both name a task" --batch run bump-hunt --task-file my/task.toml
refuses 2 "name its file with --task-file" --batch run bump-hunt --allow
refuses 2 "There is no file" --batch presets --task-file none.toml
sed '0,/^name = .*/s//name = "bump-hunt"/' my/task.toml >my/taken.toml
refuses 2 "is that of a built-in task" --batch run --task-file my/taken.toml
sed 's/^max_n/max_m/' my/task.toml >my/wrong.toml
refuses 2 "'max_n' is missing" --batch run --task-file my/wrong.toml

tiny_run my/task.toml --allow --set pretrain.epochs=20 --out whole >log 2>&1 || say_fail "the run ended with $?: $(tail -3 log)"
[ -e my/ran ] || say_fail "the program was not run"
grep -q "^task_file = \"$SCRATCH/my/task.toml\"" whole/run.toml || say_fail "run.toml does not name the task's file"
"$PAIRS" --batch presets my/task.toml >out || say_fail "presets of a task's file ended with $?"
grep -q "embedder.frequencies" out || say_fail "presets shows no settings"
"$PAIRS" --batch tasks --task-file my --json >out || say_fail "tasks with a folder ended with $?"
grep -q '"bump-hunt-python"' out || say_fail "tasks does not list the own task"

# Goes on from a copy of the run as it was made, in the background.
begin() { # begin RUN
  mkdir "$1" && cp whole/run.toml whole/task.toml "$1" && : >my/pids
  "$PAIRS" --batch run --resume "$1" >log 2>&1 &
  wait_for "$1/resume.safetensors"
}
same() { # same RUN: it ended with the weights of the run that was left alone
  cmp -s "whole/pretrained.safetensors" "$1/pretrained.safetensors" &&
    cmp -s "whole/estimator.safetensors" "$1/estimator.safetensors" || say_fail "the run $1 ended with other weights"
}

begin killed
kill -9 $!
wait $! 2>/dev/null
alive() { # alive PROCESS: it runs; one that has ended may wait for whoever adopted it
  grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null
}
while read -r process; do
  for _ in $(seq 50); do
    alive "$process" || break
    sleep 0.2
  done
  ! alive "$process" || say_fail "a simulator outlived the program that was killed"
done <my/pids
[ -s my/pids ] || say_fail "no simulator ran"
"$PAIRS" --batch run --resume killed >log 2>&1 || say_fail "the killed run did not resume: $(tail -3 log)"
grep -q '"resumed"' killed/events.jsonl || say_fail "the killed run began anew"
same killed

# Its simulator died: the run is kept, says why, and goes on.
begin died
touch my/die
wait $! && say_fail "a run whose simulator died ended well"
rm my/die
grep -q "The simulator of bump-hunt-python failed: worker [0-9]*, sets\? .*: its program ended with exit code 7" log ||
  say_fail "no sentence on the simulator that died: $(tail -3 log)"
grep -q "continue with: pairs --batch run --resume died" log || say_fail "nothing says how it goes on: $(tail -3 log)"
cp my/task.toml kept.toml
sed -i 's/^max_n = 100/max_n = 90/' my/task.toml
refuses 1 "line 5 was 'max_n = 100' and is 'max_n = 90'" --batch run --resume died
cp kept.toml my/task.toml
"$PAIRS" --batch run --resume died >log 2>&1 || say_fail "the run did not go on: $(tail -3 log)"
same died

"$PAIRS" --batch evaluate whole --sets 20 --samples 19 >out 2>log || say_fail "evaluate ended with $?: $(tail -3 log)"
"$PAIRS" --batch figure samples my/task.toml --out samples.svg >out 2>log || say_fail "figure ended with $?: $(tail -3 log)"
"$PAIRS" --batch infer whole --data my/events.csv --n 20 --json >before.json 2>log ||
  say_fail "infer ended with $?: $(tail -3 log)"
mv my gone
"$PAIRS" --batch infer whole --data gone/events.csv --n 20 --json >after.json 2>log ||
  say_fail "infer without the task's file ended with $?: $(tail -3 log)"
[ "$(grep -A4 '"mean"' before.json)" = "$(grep -A4 '"mean"' after.json)" ] || say_fail "infer answers otherwise"
refuses 1 "the folder $SCRATCH/my is gone" --batch evaluate whole --sets 20 --samples 19
finish
