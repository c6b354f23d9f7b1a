"""The posterior of the drift, by the density of the first passage (Feller 1968): boundaries and start are integrated
over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import box, log_sum, nodes, of_one_set

# The logarithm of the density of the time t to one boundary without drift, for boundaries at 0 and 1 and a start half
# way, plus 1/(8 t), by log t: series for short and for long times.
table = np.linspace(np.log(1e-4), np.log(60), 40001)


def _series():
    t, k = np.exp(table)[:, None], 2 * np.arange(-6, 7) + 0.5
    short = (k * np.exp(-(k * k - 0.25) / (2 * t))).sum(1) / np.sqrt(2 * np.pi * t[:, 0] ** 3)
    odd, sign = 2 * np.arange(12) + 1, (-1.0) ** np.arange(12)
    long = np.pi * (sign * odd * np.exp(-(odd**2 - 1) * np.pi**2 * t / 2)).sum(1)
    early = t[:, 0] < 0.3
    by_long = np.log(np.where(early, 1, long)) - np.pi**2 * t[:, 0] / 2 + 1 / (8 * t[:, 0])
    return np.where(early, np.log(np.where(early, short, 1)), by_long)


shifted = _series()


def log_density_of_time(log_time):
    return np.interp(log_time, table, shifted) - np.exp(-log_time) / 8


@of_one_set
def posterior(x):
    time, up = x[:, 0].astype(float), x[:, 1] > 0.5
    n, net, total = len(time), up.sum() - (~up).sum(), time.sum()

    def without_drift(a, t0):
        left = time - t0[:, None]
        log_time = np.log(np.where(left > 0, left, 1)) - 2 * np.log(a)[:, None]
        value = log_density_of_time(np.maximum(log_time, table[0])).sum(1) - 2 * n * np.log(a)
        return np.where(left.min(1) > 0, value, -1e9 * (1 - left.min(1)))

    def of_drift(v, a, t0):
        return v * a * net / 2 - v * v * (total - n * t0) / 2

    def log_density(z):
        return without_drift(z[:, 1], z[:, 2]) + of_drift(*z.T)

    low, high = box(log_density, [-4, 0.6, 0.1], [4, 2, min(0.5, time.min())], n)
    psi, log_weight = nodes(low[1:], high[1:], 36)
    step = max(1, 2**22 // n)
    parts = [without_drift(*psi[k : k + step].T) for k in range(0, len(psi), step)]
    fixed = np.concatenate(parts) + log_weight
    return lambda v: log_sum(fixed + of_drift(v[:, None], *psi.T))


def reference(theta, x):
    value = posterior(x)(theta[:, 0].astype(float))
    return np.where(np.abs(theta[:, 0]) <= 4, value, -np.inf)
