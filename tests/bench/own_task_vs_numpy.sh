#!/usr/bin/env bash
# own_task_vs_numpy.sh PAIRS PAIRS_BENCH [TASK_FOLDER]: compares the pairs per second that a Python simulator with two
# workers delivers through the protocol with those of the same two functions in a plain loop of one process. Also
# compares the processor times of all processes, whose ratio does not depend on the load of the machine. Takes a minute.
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
start, begun, sets = time.perf_counter(), time.process_time(), 0
while time.perf_counter() - start < 3:
    for _ in range(1000):
        theta, psi = prior(rng, 1)
        x = simulate(theta, psi, 2, rng)
    sets += 1000
print("%.0f %.4f" % (sets / (time.perf_counter() - start), 1e6 * (time.process_time() - begun) / sets))
P
  )
}
for round in 1 2 3; do
  read -r one cost < <(loop)
  for sets in 1024 8192; do
    PAIRS_OWN_TASK=$scratch/task/task.toml "$bench" --benchmark_filter="own_sets/2/$sets/" --benchmark_format=json \
      >"$scratch/bench.json" 2>/dev/null
    value() {
      sed -n "s|.*\"$1\": \([0-9.e+-]*\).*|\1|p" "$scratch/bench.json"
    }
    awk -v one="$one" -v ours="$(value sets/s)" -v cost="$cost" -v whole="$(value 'processor us/set')" -v sets="$sets" 'BEGIN {
      printf "loop %d sets/s, through the protocol, %d at a time, %d sets/s: %.0f %% of twice the loop", one, sets, ours, 50 * ours / one
      printf "; %.2f and %.2f us of processor a set: %.0f %%\n", cost, whole, 100 * cost / whole }'
  done
done
