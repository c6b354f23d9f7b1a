"""benchmark_ranks.py SOURCE: the exact posteriors of assets/benchmark are those of their simulators. The place of the true
target in the exact posterior of its set is uniform on [0, 1], for sets of 1 and of 20 observations of each task."""

import os
import subprocess
import sys

import numpy as np

SETS, POINTS, DEEP = 100, 160, 22
MOST_KS, MOST_Z = 1.95, 3.3  # of sqrt(sets) D and of mean ranks: p = 0.001
source = os.path.realpath(sys.argv[1])


def functions(folder):
    """The task's prior, simulator and exact posterior."""
    import pairs_simulator

    got = []
    pairs_simulator.serve = lambda *functions: got.extend(functions)
    os.chdir(folder)
    sys.path.insert(0, folder)
    exec(compile(open("simulate.py").read(), "simulate.py", "exec"), {"__name__": "simulate"})
    return got


def axis(low, high, log):
    return np.exp(np.linspace(np.log(low), np.log(high), POINTS)) if log else np.linspace(low, high, POINTS)


def marginal(reference, targets, bounds, logs):
    """The first target's axis and its cumulative distribution, on grids that narrow around the mass."""
    bounds = [list(one) for one in bounds]
    for _ in range(30):
        axes = [axis(*one, log) for one, log in zip(bounds, logs)]
        mesh = np.meshgrid(*axes, indexing="ij")
        value = reference(np.stack([one.ravel() for one in mesh], 1)).reshape([POINTS] * targets)
        value = value + sum(np.log(one) for one, log in zip(mesh, logs) if log)
        kept = value > value.max() - DEEP
        shrunk = False
        for k in range(targets):
            others = tuple(j for j in range(targets) if j != k)
            inside = np.flatnonzero(kept.any(others))
            low, high = axes[k][max(inside[0] - 1, 0)], axes[k][min(inside[-1] + 1, POINTS - 1)]
            shrunk |= high - low < 0.8 * (bounds[k][1] - bounds[k][0])
            bounds[k] = [low, high]
        if not shrunk:
            break
    mass = np.exp(value - value.max()).sum(tuple(range(1, targets)))
    below = np.concatenate([[0], np.cumsum((mass[1:] + mass[:-1]) / 2)])
    return axes[0], below / below[-1]


def ranks(folder, n):
    prior, simulate, reference = functions(folder)
    import pairs_simulator

    rng, streams = np.random.default_rng(7), pairs_simulator._Streams()
    drawn = prior(rng, 100000)
    drawn = drawn if isinstance(drawn, tuple) else (drawn,)
    drawn = [None if one is None else np.asarray(one, float).reshape(100000, -1) for one in drawn] + [None, None]
    theta, psi, given = drawn[:3]
    low, high = theta.min(0), theta.max(0)
    logs = [a > 0 and b > 100 * a for a, b in zip(low, high)]
    places = []
    for k in range(SETS):
        own = () if given is None else (given[k],)
        x = np.asarray(simulate(theta[k], None if psi is None else psi[k], n, streams.at([0, 0, 0, k], [7, n]), *own),
                       np.float32).reshape(n, -1)
        at, below = marginal(lambda values: reference(values, x, *own), theta.shape[1], list(zip(low, high)), logs)
        places.append(np.interp(theta[k, 0], at, below))
    return np.sort(places)


def check(folder, n):
    places = ranks(folder, n)
    steps = np.arange(1, SETS + 1) / SETS
    distance = np.sqrt(SETS) * max((steps - places).max(), (places - steps + 1 / SETS).max())
    location = np.sqrt(12 * SETS) * (places.mean() - 0.5)
    spread = np.sqrt(SETS / 0.8) * (12 * np.mean((places - 0.5) ** 2) - 1)
    good = distance < MOST_KS and abs(location) < MOST_Z and abs(spread) < MOST_Z
    print(f"{'ok' if good else 'FAILED'}  {os.path.basename(folder)}, N = {n}: distance {distance:.2f}, "
          f"location {location:.1f}, spread {spread:.1f}", flush=True)
    return good


if len(sys.argv) == 4:  # one task in a process of its own, since each has a module exact
    sys.path.insert(0, source + "/assets/python")
    sys.exit(not check(sys.argv[2], int(sys.argv[3])))
tasks = sorted(one for one in os.listdir(source + "/assets/benchmark")
               if os.path.exists(f"{source}/assets/benchmark/{one}/task.toml"))
if len(tasks) < 12:
    sys.exit(f"only {len(tasks)} tasks were found")
failed = [name for name in tasks for n in ("1", "20")
          if subprocess.run([sys.executable, __file__, source, f"{source}/assets/benchmark/{name}", n],
                            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}).returncode]
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
