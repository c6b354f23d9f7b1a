#!/usr/bin/env bash
# own_task.sh PAIRS SOURCE: a custom task from its file to a posterior. Nothing runs before it is permitted. A killed run and
# one whose simulator died end with the weights of an undisturbed run. A changed file is refused. A finished run gives
# posteriors without file and program. Whatever a simulator does, signals take effect and no process of it is left.
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
# The simulator logs its requests to a file, and dies if another file exists.
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
refuses 2 "unknown key 'max_m'; did you mean 'max_n'?" --batch run --task-file my/wrong.toml

tiny_run my/task.toml --allow --set pretrain.epochs=20 --set likelihood.enabled=false --out whole >log 2>&1 || say_fail "the run ended with $?: $(tail -3 log)"
grep -qx "Next: pairs --batch likelihood whole" log || say_fail "a likelihood is not named as the next step: $(tail -3 log)"
[ -e my/ran ] || say_fail "the program was not run"
grep -q "^task_file = \"$SCRATCH/my/task.toml\"" whole/run.toml || say_fail "run.toml does not name the task's file"
"$PAIRS" --batch presets my/task.toml >out || say_fail "presets of a task's file ended with $?"
grep -q "embedder.frequencies" out || say_fail "presets shows no settings"
"$PAIRS" --batch tasks --task-file my --json >out || say_fail "tasks with a folder ended with $?"
grep -q '"bump-hunt-python"' out || say_fail "tasks does not list the own task"
[ "$(grep -c '"title"' out)" -eq 1 ] || say_fail "tasks --task-file lists other tasks, too"
"$PAIRS" --batch tasks --task-file my >out || say_fail "tasks with a folder ended with $?"
grep -q "Networks see (x [-+] .*) / " out || say_fail "tasks does not tell how x is standardized: $(cat out)"
grep -q "program: /usr/bin/python3 simulate.py, in $SCRATCH/my" out || say_fail "tasks does not tell what is run"
"$PAIRS" --batch data my/task.toml --plan >out || say_fail "plan ended with $?"
grep -q "Networks see (x" out || say_fail "the plan does not tell how x is standardized"

# Its program is checked before anything is trained.
"$PAIRS" --batch data my --check >out 2>log || say_fail "the check of a right program ended with $?: $(cat out log)"
grep -q "Nothing is wrong" out && grep -q "observations per second" out && grep -q "preset small draws .* of simulating" out ||
  say_fail "the check says too little: $(cat out)"
cp my/simulate.py right.py
# A changed program needs permission again; one that was permitted before does not.
agree() { "$PAIRS" --batch tasks --task-file my --allow >/dev/null || say_fail "the changed program was not agreed to"; }
sed -i 's/return rng.random(size)/return 2 * rng.random(size)/' my/simulate.py
refuses 2 "nothing was run yet since simulate.py stands as it does now" --batch data my --check
agree
"$PAIRS" --batch data my --check >out 2>log && say_fail "the check finds nothing in a prior beyond its support"
grep -q "WRONG .*outside of its support" out || say_fail "the check does not name what is wrong: $(cat out)"
cp right.py my/simulate.py
refuses 2 "is built in" --batch data gaussian --check

# As many simulators run as there are threads, whatever the file states; this value may change without a new permission.
sed -i 's/^command = .*/&\nworkers = 2/' my/task.toml
: >my/pids
"$PAIRS" --batch run my --threads 1 --device cpu --out one --set pretrain.epochs=1 --set pretrain.steps=2 \
  --set pretrain.batch=64 --set pretrain.validation_sets=200 --until pretrain >log 2>&1 ||
  say_fail "another number of workers is asked about: $(tail -1 log)"
[ "$(nproc)" -eq 1 ] || [ "$(sort -u my/pids | wc -l)" -eq 1 ] || say_fail "--threads 1 ran $(sort -u my/pids | wc -l) simulators"

# begin RUN: resumes a copy of the run from its beginning, in the background.
begin() {
  mkdir "$1" && cp whole/run.toml whole/task.toml "$1" && : >my/pids
  "$PAIRS" --batch run --resume "$1" >log 2>&1 &
  wait_for "$1/resume.safetensors"
}
same() { # same RUN: checks that it ended with the weights of the undisturbed run
  cmp -s "whole/pretrained.safetensors" "$1/pretrained.safetensors" &&
    cmp -s "whole/estimator.safetensors" "$1/estimator.safetensors" || say_fail "the run $1 ended with other weights"
}

begin killed
sed -i 's/^workers = 2/workers = 1/' my/task.toml  # the task stays the same
kill -9 $!
wait $! 2>/dev/null
alive() { # alive PROCESS: checks that it runs, and is no zombie of whoever adopted it
  grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null
}
gone() { # gone FILE: checks that none of the processes listed in it runs after two seconds
  local process
  [ -s "$1" ] || say_fail "no simulator ran"
  for _ in $(seq 20); do
    while read -r process; do alive "$process" && sleep 0.1 && continue 2; done <"$1"
    return
  done
  say_fail "a simulator outlived the program: $(ps -o pid,ppid,args -p "$(paste -sd, "$1")" | tail -n +2)"
}
gone my/pids
"$PAIRS" --batch run --resume killed >log 2>&1 || say_fail "the killed run did not resume: $(tail -3 log)"
grep -q '"resumed"' killed/events.jsonl || say_fail "the killed run began anew"
same killed

# Its simulator died: the run is kept, reports the reason, and goes on.
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

# A model whose noise is tripled between stop and resume is a different model.
begin changed
kill -9 $!
wait $! 2>/dev/null
cp -r changed accepted
sed -i 's/x = rng.standard_normal(n)/x = 3 * rng.standard_normal(n)/' my/simulate.py
refuses 2 "nothing was run yet since simulate.py stands as it does now" --batch run --resume changed
agree
refuses 1 "has changed since the run changed began: x drawn from the same seed and parameters differs" \
  --batch run --resume changed
"$PAIRS" --batch evaluate whole --sets 20 --samples 19 --out told.json >out 2>log || say_fail "evaluate ended with $?"
grep -q "is not the one that the run whole was trained with" log || say_fail "evaluate does not tell of another simulator"
grep -q '"caution":".*is not the one that the run whole was trained with' told.json ||
  say_fail "the scores do not keep that another simulator was evaluated"
"$PAIRS" --batch run --resume accepted --changed --until pretrain >log 2>&1 || say_fail "--changed does not go on: $(tail -3 log)"
grep -q "goes on with another simulator" accepted/events.jsonl || say_fail "the run does not record the other simulator"
cp right.py my/simulate.py
"$PAIRS" --batch run --resume changed --until pretrain >log 2>&1 || say_fail "the former program does not go on: $(tail -3 log)"

"$PAIRS" --batch evaluate whole --sets 20 --samples 19 >out 2>log || say_fail "evaluate ended with $?: $(tail -3 log)"
"$PAIRS" --batch figure samples my/task.toml --out samples.svg >out 2>log || say_fail "figure ended with $?: $(tail -3 log)"
"$PAIRS" --batch infer whole --overwrite --data my/events.csv --n 20 --json >before.json 2>log ||
  say_fail "infer ended with $?: $(tail -3 log)"
# Five samples are written, but the printed numbers are those of a thousand.
"$PAIRS" --batch infer whole --data my/events.csv --n 20 --samples 5 --out five.csv --json >five.json 2>log ||
  say_fail "infer --samples 5 ended with $?"
[ "$(grep -A4 '"mean"' before.json)" = "$(grep -A4 '"mean"' five.json)" ] || say_fail "--samples 5 changes the mean"
[ "$(wc -l <five.csv)" -eq 6 ] || say_fail "--samples 5 writes other than five"
printf 'theta\n0.2\n0.4\n' >theta.csv
"$PAIRS" --batch infer whole --overwrite --data my/events.csv --n 20 --theta theta.csv >out 2>log || say_fail "infer --theta ended with $?"
grep -q "log density / nat" out && ! grep -q "exact / nat" out || say_fail "--theta shows a column that nobody can fill"
head -5 my/events.csv | "$PAIRS" --batch infer whole --overwrite --data - --follow >out 2>log || say_fail "infer --follow ended with $?"
grep -q "mean .*, sd .*, 90 % .* to " out || say_fail "--follow does not say what its numbers are: $(cat out)"

mv my gone
"$PAIRS" --batch infer whole --overwrite --data gone/events.csv --n 20 --json >after.json 2>log ||
  say_fail "infer without the task's file ended with $?: $(tail -3 log)"
# No set can be simulated without the program, and the posterior is the same.
mean() { grep -A3 '^  "mean"' "$1"; }
[ "$(mean before.json)" = "$(mean after.json)" ] || say_fail "infer answers otherwise"
grep -q '"no_within": ".*the folder .*/my is missing"' after.json || say_fail "nothing says why the set was not tested"
refuses 1 "the folder $SCRATCH/my is missing" --batch evaluate whole --sets 20 --samples 19

# A program that never answers, ignores signals and starts others in sessions of their own.
mkdir hang
sed 's|^command = .*|command = ["/bin/sh", "hang.sh"]|' gone/task.toml >hang/task.toml
cat >hang/hang.sh <<'P'
trap '' HUP INT TERM
(setsid sh -c 'trap "" HUP INT TERM; while :; do sleep 1; done' & echo $! >>pids)
setsid sleep 600 &
echo $! >>pids
echo $$ >>pids
while :; do :; done
P
for try in "130 INT run hang --allow" "143 TERM run hang" "129 HUP figure samples hang/task.toml --out s.svg" "137 KILL run hang"; do
  read -r code signal words <<<"$try"
  rm -f hang/pids
  # shellcheck disable=SC2086  # words of a command
  env --default-signal=INT,HUP "$PAIRS" --batch $words >out 2>err &
  process=$!
  wait_for hang/pids
  sleep 0.5
  begin=$(date +%s%3N)
  kill -"$signal" "$process"
  wait "$process" 2>/dev/null
  status=$?
  took=$(($(date +%s%3N) - begin))
  [ "$status" -eq "$code" ] || say_fail "SIG$signal while a simulator was waited for: exit $status, not $code: $(tail -1 err)"
  [ "$took" -le 2000 ] || say_fail "SIG$signal while a simulator was waited for took $took ms"
  gone hang/pids
done
finish
