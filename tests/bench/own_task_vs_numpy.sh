#!/usr/bin/env bash
# own_task_vs_numpy.sh PAIRS PAIRS_BENCH [TASK_FOLDER]: pairs a second that a simulator in Python answers through the
# protocol with two workers, against the same two functions called in a plain loop of one process.
set -euo pipefail
pairs=$(realpath "$1") bench=$(realpath "$2")
source=$(cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "${3:-$source/assets/examples/bump-hunt-python}" "$scratch/task"
printf 'workers = 2\n' >>"$scratch/task/task.toml"
export PAIRS_ASSETS=$source/assets XDG_CONFIG_HOME=$scratch/config OMP_NUM_THREADS=1 PYTHONPATH=$source/assets/python
"$pairs" --batch tasks --task-file "$scratch/task" --allow >/dev/null
loop() {
  (cd "$scratch/task" && /usr/bin/python3 - <<'P'
import time
import numpy as np
import pairs_simulator
found = {}
pairs_simulator.serve = lambda prior, simulate: found.update(prior=prior, simulate=simulate)
exec(open("simulate.py").read())
prior, simulate = found["prior"], found["simulate"]
rng = np.random.default_rng(1)
start, sets = time.perf_counter(), 0
while time.perf_counter() - start < 3:
    for _ in range(1000):
        theta, psi = prior(rng, 1)
        x = simulate(theta, psi, 2, rng)
    sets += 1000
print("%.0f" % (sets / (time.perf_counter() - start)))
P
  )
}
for round in 1 2 3; do
  one=$(loop)
  ours=$(PAIRS_OWN_TASK=$scratch/task/task.toml "$bench" --benchmark_filter='own_sets/2/' --benchmark_format=json 2>/dev/null |
    sed -n 's|.*"sets/s": \([0-9.e+]*\).*|\1|p')
  awk -v one="$one" -v ours="$ours" 'BEGIN {
    printf "loop %d sets/s, through the protocol %d sets/s: %.0f %% of twice the loop\n", one, ours, 50 * ours / one }'
done
