#!/usr/bin/env bash
# benchmark.sh PAIRS SOURCE: the benchmark trains, scores and goes on; its exact posteriors are those of its simulators
# (benchmark_ranks.py), and its page has every task.
PAIRS=$(realpath "$1")
SOURCE=$(realpath "$2")
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
. "$here/tiny.sh"
export PAIRS XDG_CONFIG_HOME=$SCRATCH/config XDG_DATA_HOME=$SCRATCH/data PYTHONDONTWRITEBYTECODE=1
cd "$SCRATCH" || exit 1

/usr/bin/python3 "$here/benchmark_ranks.py" "$SOURCE" >ranks 2>&1 || say_fail "an exact posterior is another one: $(cat ranks)"

small=(--sizes 1,5 --sets 40 --threads 1)
for setting in pretrain.epochs=1 pretrain.steps=20 pretrain.batch=64 pretrain.validation_sets=100 cache.sizes=10 \
  cache.sets=100 finetune.epochs=1 finetune.steps=10 finetune.batch=32 finetune.validation_draws=64 \
  likelihood.steps=60 likelihood.hidden=16 likelihood.compared=4; do
  small+=(--set $setting)
done
run() { "$PAIRS" --batch benchmark line random-effects "${small[@]}" --out out "$@"; }
run --json >first.json 2>log || say_fail "the benchmark ended with $?: $(tail -3 log)"
python3 - first.json out/benchmark.json <<'P' || say_fail "the results are not as documented: $(cat first.json)"
import json, math, sys
told, kept = (json.load(open(name)) for name in sys.argv[1:])
assert told == kept, "the file holds what is printed"
assert [task["name"] for task in told["tasks"]] == ["line", "random-effects"]
for task in told["tasks"]:
    assert task["seconds"]["run"] > 0
    assert [row["n"] for row in task["rows"]] == [1, 5]
    for row in task["rows"]:
        assert row["sets"] == 40 and math.isfinite(row["gap"]) and row["gap_se"] > 0
        assert row["first"] in ("run", "refined")
line, hidden = told["tasks"]
assert line["unrefined"] == "" and all(math.isfinite(row["refined"]["gap"]) for row in line["rows"])
# Observations that share a hidden effect are not independent, which a likelihood of any quality notices.
assert "independent" in hidden["unrefined"] and all("refined" not in row for row in hidden["rows"]), hidden
P
before=$(stat -c %Y out/line/estimator.safetensors out/line/likelihood/likelihood.safetensors out/line/metrics.json)
run >second 2>log || say_fail "the benchmark did not go on: $(tail -3 log)"
[ "$before" = "$(stat -c %Y out/line/estimator.safetensors out/line/likelihood/likelihood.safetensors out/line/metrics.json)" ] ||
  say_fail "what is done is done again"
grep -q "random-effects is not refined: " second || say_fail "the text does not say why a task is not refined: $(cat second)"
says() { # says CODE WORDS ARGUMENTS...
  local code=$1 words=$2
  shift 2
  "$PAIRS" --batch benchmark "$@" >out.txt 2>err.txt
  [ $? -eq "$code" ] || say_fail "benchmark $*: exit code is not $code: $(cat err.txt)"
  grep -qF -- "$words" err.txt || say_fail "benchmark $*: does not say \"$words\": $(cat err.txt)"
}
run --export >third 2>log || say_fail "the sets are not written: $(tail -3 log)"
/usr/bin/python3 - out first.json <<'P' || say_fail "the written sets are not as documented"
import json, sys
import numpy as np
for task in json.load(open(sys.argv[2]))["tasks"]:
    for row in task["rows"]:
        sets = np.load(f"{sys.argv[1]}/{task['name']}/tested/n{row['n']}.npz")
        assert sets["theta"].shape == (40, 1) and len(sets["x"]) == 40 * row["n"]
P
# The script that scores other packages reads the same sets.
/usr/bin/python3 "$SOURCE/docs/reference/benchmark_peers.py" out/line exact --sizes 1,5 --sets 40 --out peers.jsonl >log 2>&1 ||
  say_fail "benchmark_peers.py ended with $?: $(tail -3 log)"
python3 - peers.jsonl first.json <<'P' || say_fail "benchmark_peers.py scores other sets: $(cat peers.jsonl)"
import json, sys
rows = {row["n"]: row for row in json.load(open(sys.argv[2]))["tasks"][0]["rows"]}
lines = [json.loads(line) for line in open(sys.argv[1])]
assert [line["n"] for line in lines] == [1, 5]
for line in lines:
    assert line["gap"] == 0 and abs(line["exact_nll"] - rows[line["n"]]["exact_nll"]) < 1e-3, line
P
says 2 "The benchmark has no task lines; its tasks are " lines
says 2 "The task line is named twice" line line
says 2 "--sets" line --sizes 1,10 --sets 1,2,3 --out untouched
[ ! -e untouched ] || say_fail "a wrong --sets is found after the training"
says 2 "--budget 1e99: give a number of simulations" line --budget 1e99
says 2 "holds a run with task.simulations = 0, not " line "${small[@]}" --out out --budget 3e4
says 2 "holds a run with seed = 1, not 3" line "${small[@]}" --out out --seed 3
says 2 "holds no tasks of a benchmark" --folder out/line
says 2 "the run of line has sets of at most" line "${small[@]:2}" --out out --sizes 5000

"$PAIRS" --batch benchmark --plan line random-effects --json >plan.json 2>log || say_fail "--plan ended with $?: $(tail -3 log)"
grep -q '"expected"' plan.json || say_fail "--plan says nothing of times"
for task in "$SOURCE"/assets/benchmark/*/task.toml; do
  name=$(basename "$(dirname "$task")")
  [ -s "$(dirname "$task")/README.md" ] || say_fail "$name has no page"
  grep -qF "| [$name](../../assets/benchmark/$name/README.md) |" "$SOURCE/docs/reference/benchmark.md" || say_fail "docs/reference/benchmark.md lacks $name"
done
finish
