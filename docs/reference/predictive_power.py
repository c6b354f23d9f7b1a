#!/usr/bin/env python3
"""predictive_power.py PAIRS RUN line|bump [SETS]: p-values of `infer RUN --predictive 100` for SETS sets (200) that the
example's model makes and for half as many of each of three other models, drawn with numpy by a generator of their own.
RUN was trained on assets/examples/line-cpp or assets/examples/bump-hunt-python. Prints the p-value of Kolmogorov and
Smirnov that the model's are uniform, and of each other model the share with p <= 0.05."""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

N = 60


def line(rng, noise=lambda rng, u: rng.normal(size=len(u)), bend=0.0, outliers=0.0):
    a, b, sigma = rng.normal(), rng.normal(), 0.1 + 0.9 * rng.random()
    u = 2 * rng.random(N) - 1
    v = a + b * u + bend * u**2 + sigma * noise(rng, u)
    v[rng.random(N) < 0.1] += outliers
    return np.stack([u, v], 1)


def bump(rng, background=lambda rng, n: rng.normal(size=n), second=0.0, width=0.1):
    theta, psi = rng.random(), rng.normal(1, 2)
    x = background(rng, N)
    signal = rng.random(N) < theta
    x[signal] = psi + width * rng.normal(size=signal.sum())
    other = rng.random(N) < second
    x[other] = psi + 2.5 + 0.1 * rng.normal(size=other.sum())
    return x[:, None]


MODELS = {
    "line": ("u,v", {
        "the model": line,
        "a parabola, 1.5 u^2": lambda rng: line(rng, bend=1.5),
        "one point in ten off by 5": lambda rng: line(rng, outliers=5.0),
        "noise that grows with |u| from 0.2 to 1.8": lambda rng: line(
            rng, lambda r, u: (0.2 + 1.6 * np.abs(u)) * r.normal(size=len(u)))}),
    "bump": ("x", {
        "the model": bump,
        "a background twice as wide": lambda rng: bump(rng, lambda r, n: 2 * r.normal(size=n)),
        "a second bump of one event in five": lambda rng: bump(rng, second=0.2),
        "a background of Student's t with 2 degrees of freedom": lambda rng: bump(
            rng, lambda r, n: r.standard_t(2, n))})}


def p_value(pairs, run, header, x, seed, folder):
    data, out = os.path.join(folder, "set.csv"), os.path.join(folder, "samples.npz")
    np.savetxt(data, x, delimiter=",", header=header, comments="")
    words = [pairs, "--batch", "infer", run, "--data", data, "--predictive", "100", "--seed", str(seed), "--out", out,
             "--threads", "1", "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["predictive"]["p"]


def kolmogorov_smirnov(p):
    p, n = np.sort(p), len(p)
    distance = max(np.max(np.arange(1, n + 1) / n - p), np.max(p - np.arange(n) / n))
    z = distance * (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n))  # Stephens 1970
    return min(1.0, max(0.0, 2 * sum((-1) ** (k - 1) * math.exp(-2 * k * k * z * z) for k in range(1, 101))))


def main():
    pairs, run, task = sys.argv[1:4]
    sets = int(sys.argv[4]) if len(sys.argv) > 4 else 200
    header, models = MODELS[task]
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models.items():
            own = name == "the model"
            rng = np.random.default_rng(20)
            p = [p_value(pairs, run, header, model(rng), k, folder) for k in range(sets if own else sets // 2)]
            told = f"Kolmogorov-Smirnov p {kolmogorov_smirnov(p):.3f}, p <= 0.05 in {np.mean(np.array(p) <= 0.05):.3f}"
            print(f"{name}: {len(p)} sets, " + (told if own else f"seen in {np.mean(np.array(p) <= 0.05):.2f}"), flush=True)


main()
