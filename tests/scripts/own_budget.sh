#!/usr/bin/env bash
# own_budget.sh PAIRS SOURCE: runs of a custom task within a budget of simulations. The plan shows the sets and cost of the
# budget, and the simulator is called no more often. A killed run ends with the weights of an undisturbed one, evaluations
# simulate nothing, and impossible budgets are refused. Files of observations are read by [reader].
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
# The simulator logs the number of requested observations.
cat >my/simulate.py <<'P'
import time
from pairs_simulator import serve
def prior(rng, size):
    return rng.random(size), rng.normal(1, 2, size)
def simulate(theta, psi, n, rng):
    with open("calls", "a") as calls:
        print(n, file=calls)
    time.sleep(0.001 * n)
    x = rng.standard_normal(n)
    signal = rng.random(n) < theta[0]
    x[signal] = psi[0] + 0.1 * x[signal]
    return x
serve(prior, simulate)
P
sed -i 's/^command = .*/&\nworkers = 2/' my/task.toml
calls() { awk '{sum += $1} END {print sum + 0}' my/calls 2>/dev/null || echo 0; }

"$PAIRS" --batch tasks --task-file my --allow >out || say_fail "tasks ended with $?"
refuses 2 "task.simulations = 500 is too small for sets of up to max_n = 100 observations" \
  --batch run my --simulations 500
refuses 2 "needs a task of your own that a program simulates" --batch run bump-hunt --simulations 5000
refuses 2 "leave out --simulations" --batch run --resume none --simulations 5000
refuses 2 "is given twice" --batch run my --simulations 5000 --set task.simulations=6000

# For a slow program the plan suggests a budget that fits an hour before it runs anything long.
cp -r my slow
sed -i 's/time.sleep(0.001 \* n)/time.sleep(0.2)/' slow/simulate.py
"$PAIRS" --batch data slow/task.toml --allow --plan >out 2>log &
process=$!
for _ in $(seq 100); do
  grep -q "with --simulations" log && break
  sleep 0.1
done
kill -INT $process
wait $process
grep -q "a run asks for millions of observations, or for [1-9]0*.* in about an hour with --simulations [1-9]0*$" log ||
  say_fail "no budget is named for a slow program: $(cat log)"

"$PAIRS" --batch data my/task.toml --plan --simulations 5000 >out 2>log || say_fail "plan ended with $?: $(tail -1 log)"
grep -q "Within 5,000 simulations, each of which serves all stages" out || say_fail "the plan does not tell the budget"
grep -q "A simulation takes .* s, 5,000 of them .* with [12] workers\?. That was measured on [0-9-]* by [0-9,]* more" out ||
  say_fail "the plan does not tell what the simulations cost: $(cat out)"
grep -q "The budget changes the preset: .*pretrain.weight_decay = 0.1 (else " out ||
  say_fail "the plan does not tell what the budget changed: $(cat out)"
grep -q "Networks see x less a location and over a scale, which are measured when a run begins" out ||
  say_fail "the plan tells a scale that nobody knows yet: $(grep Networks out)"
"$PAIRS" --batch data my/task.toml --plan --simulations 5000 --json >plan.json 2>log || say_fail "plan --json ended with $?"
/usr/bin/python3 - plan.json <<'P' || say_fail "the plan's document is wrong"
import json, sys
plan = json.load(open(sys.argv[1]))
told = plan["simulations"]
made = sum(told[use]["simulations"] for use in ("training", "validation", "test"))
assert told["budget"] == 5000 and 4850 <= made + told["checks"] <= 5000, told
sizes = sum(size["n"] * (size["training"] + size["validation"] + size["test"]) for size in told["sizes"])
assert sizes == made and told["sizes"][-1]["n"] == 100, told
assert told["measured_by"] > 4 and told["seconds"] > 0 and abs(told["seconds"] - told["seconds_each"] * 5000 / told["workers"]) < 1e-6, told
assert "cache.sizes" in told["changed"], told
assert all("stored" in draw for draw in plan["draws"]), plan
P

within=(--simulations 5000 --device cpu --threads 1)
for setting in pretrain.epochs=2 pretrain.steps=20 cache.sets=500 finetune.epochs=2 finetune.steps=20 checkpoint=0.05 \
  likelihood.enabled=false; do
  within+=(--set $setting)
done
rm -f my/calls
"$PAIRS" --batch run my "${within[@]}" --out whole >log 2>&1 || say_fail "the run ended with $?: $(tail -3 log)"
grep -qx "Next: pairs --batch likelihood whole" log || say_fail "the next step is another one: $(tail -3 log)"
grep -q "5,000 simulations are made: [0-9,]* for training, .* for validation .* for evaluation, 128 at most for checks" log ||
  say_fail "nothing tells of the simulations before: $(head -5 log)"
grep -q "The budget changes the preset: .*pretrain.weight_decay = 0.1 (else " log ||
  say_fail "the run does not tell what the budget changed: $(head -5 log)"
[ "$(calls)" -le 5000 ] || say_fail "$(calls) observations were asked for within a budget of 5,000"
[ "$(calls)" -ge 4700 ] || say_fail "of a budget of 5,000 only $(calls) observations were used"
grep -q '"simulations":' whole/events.jsonl || say_fail "the log does not tell what was simulated"
used=$(calls)
"$PAIRS" --batch evaluate whole --samples 19 >out 2>log || say_fail "evaluate ended with $?: $(tail -1 log)"
"$PAIRS" --batch infer whole --overwrite --data my/events.csv --n 20 --predictive 0 --json >before.json 2>log || say_fail "infer ended with $?"
grep -q "learned posteriors of N = 20 from few stored sets.*([1-9][0-9]* of that size)" before.json ||
  say_fail "nothing warns that few sets of that size were learned from: $(cat before.json)"
"$PAIRS" --batch infer whole --overwrite --data my/events.csv --n 2 --predictive 0 --json >two.json 2>log || say_fail "infer ended with $?"
refuses 2 "no learned likelihood can simulate others: the run has no learned likelihood; train it with" \
  --batch infer whole --overwrite --data my/events.csv --n 20 --predictive 60
"$PAIRS" --batch likelihood whole --steps 60 --set likelihood.compared=0 >out 2>log || say_fail "likelihood ended with $?: $(tail -1 log)"
"$PAIRS" --batch infer whole --overwrite --data my/events.csv --n 20 --predictive 60 --json >tested.json 2>log ||
  say_fail "infer --predictive ended with $?: $(tail -1 log)"
grep -q '"by_likelihood": true' tested.json && grep -q "simulated by the learned likelihood, as those of the task" tested.json ||
  say_fail "nothing tells what simulated the sets of the test: $(grep -A3 predictive tested.json)"
grep -q "few stored sets" two.json && say_fail "a size of which 400 sets are stored is warned of: $(cat two.json)"
[ "$(calls)" -eq "$used" ] || say_fail "evaluate or infer asked for $(($(calls) - used)) observations more"

rm my/calls
"$PAIRS" --batch run my "${within[@]}" --out killed >log 2>&1 &
process=$!
wait_for killed/simulations/budget.json
for _ in $(seq 600); do
  [ "$(calls)" -gt 1000 ] && break
  sleep 0.1
done
kill -TERM $process
wait $process
ls killed/simulations/sets-*.npz >out 2>&1 || say_fail "what was simulated is not kept"
[ ! -e killed/simulations/complete ] || say_fail "the run was not stopped while it simulated"
"$PAIRS" --batch run --resume killed >log 2>&1 || say_fail "the stopped run did not go on: $(tail -3 log)"
cmp -s whole/estimator.safetensors killed/estimator.safetensors || say_fail "the stopped run ended with other weights"

# Without its sets a finished run still gives posteriors; an evaluation, which needs test sets, stops with an error.
rm killed/simulations/sets-*.npz
"$PAIRS" --batch infer killed --overwrite --data my/events.csv --n 20 --predictive 0 --json >after.json 2>log || say_fail "infer ended with $?: $(tail -1 log)"
[ "$(grep -A4 '"mean"' before.json)" = "$(grep -A4 '"mean"' after.json)" ] || say_fail "infer answers otherwise without sets"
refuses 1 "nothing matches" --batch evaluate killed --samples 19

# [reader], next to the task's file, reads a format that nothing else reads.
cat >my/read.py <<'P'
import numpy as np
from pairs_reader import serve
serve(lambda path: {"x": np.fromfile(path)})
P
/usr/bin/python3 -c "import numpy as np; np.loadtxt('my/events.csv', skiprows=1, delimiter=',').tofile('my/events.raw')"
refuses 1 "" --batch infer whole --data my/events.raw --n 20
"$PAIRS" --batch report whole --data my/events.raw --n 2 --reader "/usr/bin/python3 my/read.py" --out r.html >out 2>log ||
  say_fail "report --reader ended with $?: $(tail -1 log)"
grep -q -- "--reader .*/usr/bin/python3 my/read.py" r.html || say_fail "the report's commands leave the reader out"
"$PAIRS" --batch figure posterior whole --data my/events.raw --n 20 --reader "/usr/bin/python3 my/read.py" --out p.svg \
  >out 2>log || say_fail "figure posterior --reader ended with $?: $(tail -1 log)"
refuses 2 "--reader belongs to a set of your own; name one with --data" --batch figure posterior whole --reader cat --out p.svg
printf '[reader]\ncommand = ["/usr/bin/python3", "read.py"]\nendings = [".raw"]\n' >>my/task.toml
refuses 2 "simulate.py and /usr/bin/python3 read.py, which reads files, in the folder" \
  --batch figure samples my/task.toml --out s.svg
# [reference] file holds the exact posterior of a set, by the name of the set, given all its observations.
/usr/bin/python3 - <<'P'
import math
with open("my/exact.csv", "w") as table:
    print("set,theta,log_density", file=table)
    for k in range(201):
        print(f"two,{k / 200},{-(((k / 200) - 0.3) / 0.05) ** 2 / 2}", file=table)
P
printf '[reference]\nfile = "exact.csv"\n' >>my/task.toml
head -3 my/events.csv >my/two.csv
head -4 my/events.csv >my/three.csv
tiny_run my --allow --out reads --until pretrain >log 2>&1 || say_fail "the run ended with $?: $(tail -1 log)"
for data in my/events.csv my/events.raw; do
  "$PAIRS" --batch infer reads --overwrite --data $data --n 2 --json >out 2>log || say_fail "infer --data $data ended with $?: $(tail -1 log)"
  grep -A4 '"mean"' out >"$(basename $data).mean"
done
cmp -s events.csv.mean events.raw.mean || say_fail "the reader's events are answered otherwise"
"$PAIRS" --batch infer reads --overwrite --data my/two.csv --json >out 2>log || say_fail "infer ended with $?: $(tail -1 log)"
/usr/bin/python3 - out <<'P' || say_fail "infer does not tell the reference: $(cat out)"
import json, sys
exact = json.load(open(sys.argv[1]))["exact"]
assert abs(exact["mean"][0] - 0.3) < 1e-3 and abs(exact["sd"][0] - 0.05) < 1e-3, exact
P
"$PAIRS" --batch infer reads --overwrite --data my/two.csv --n 1 >out 2>log || say_fail "infer --n 1 ended with $?"
grep -q "exact is left out: it is that of all 2 observations of the set, and 1 are asked about" log ||
  say_fail "nothing tells that the reference is of another set: $(cat log)"
"$PAIRS" --batch infer reads --overwrite --data my/three.csv --n 2 --json >out 2>log || say_fail "infer ended with $?"
grep -q '"exact"' out && say_fail "the reference of one set is told of another"
# --conditions with many sets reports each set whose file gives another value. Embeddings do not depend on it.
mkdir noise
cat >noise/simulate.py <<'P'
from pairs_simulator import serve
def prior(rng, size):
    return rng.beta(2, 2, size)
def simulate(theta, psi, n, rng, given):
    return rng.normal(theta[0], given[0], n)
serve(prior, simulate)
P
cat >noise/task.toml <<'T'
name = "noise"
max_n = 20
[[targets]]
name = "theta"
prior = "beta(2, 2)"
[[conditions]]
name = "sigma"
support = [0, inf]
log_uniform = [0.5, 2]
[x]
columns = ["x"]
[simulator]
command = ["/usr/bin/python3", "simulate.py"]
workers = 1
T
tiny_run noise --allow --set likelihood.enabled=false --out noisy >log 2>&1 || say_fail "the run ended with $?: $(tail -1 log)"
printf 'run,x,sigma\na,0.7,1.5\na,-0.4,1.5\nb,1.9,0.7\n' >sets.csv
"$PAIRS" --batch infer noisy --data sets.csv --group run --conditions sigma=1.5 --out sets.json >out 2>log ||
  say_fail "infer --group --conditions ended with $?: $(tail -1 log)"
grep -q "The file states that sigma = 0.7, and sigma = 1.5 is taken instead (1 of 2 sets)" log ||
  say_fail "nothing tells that --conditions says otherwise than the file: $(cat log)"
mkdir folder empty
printf 'x,sigma\n0.7,1.5\n' >folder/a.csv
printf 'x\n0.7\n' >folder/b.csv
"$PAIRS" --batch infer noisy --data folder --conditions sigma=1 --out sets.json >out 2>log || say_fail "infer of a folder ended with $?"
grep -q "The file states that sigma = 1.5, and sigma = 1 is taken instead" log || say_fail "nothing is told of a folder's file: $(cat log)"
refuses 1 "is an empty folder: put the observations into it" --batch infer noisy --data empty
printf 'x\n0.7\n-0.4\n' >x.csv
# The stated prior is zero at the ends of its support, where the posterior over the prior is no number.
"$PAIRS" --batch frequentist noisy --data x.csv --conditions sigma=1 --toys 100 --null-toys 100 --nodes 5 --threads 1 \
  >out 2>log || say_fail "frequentist under a stated prior ended with $?: $(tail -1 log)"
refuses 2 "has no effect on embeddings" --batch embed noisy --data x.csv --conditions sigma=1 --out e.npz
"$PAIRS" --batch embed noisy --data x.csv --out e.npz >out 2>log || say_fail "embed ended with $?: $(tail -1 log)"
sed -i 's/endings = .*/endings = ["raw"]/' my/task.toml
refuses 2 "'reader.endings' must be endings such as \".root\"" --batch presets my/task.toml
finish
