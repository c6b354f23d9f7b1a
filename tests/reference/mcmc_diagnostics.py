"""Writes mcmc_diagnostics.csv: diagnostics of made-up chains by arviz-stats (0.8.0; pip install arviz-stats).

A row a case: autoregression, shift between chains, chains, draws, R-hat, bulk and tail effective sample size, standard
error of the mean and of the sd. The chains are those of tests/core/eval/references/mcmc_diagnostics_test.cpp, from a linear
congruential generator that both write out.
"""

import pathlib

import numpy as np
from arviz_stats.base import array_stats


def chains(autoregression, shift, count, draws):
    state, out = 12345, np.empty((count, draws))
    for c in range(count):
        value = 0.0
        for t in range(draws):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            value = autoregression * value + ((state >> 11) * 2.0**-53 - 0.5)
            out[c, t] = value + c * shift
    return out


def sd_error(x):
    """The delta method on the variance, with the effective size of the squares."""
    squares = (x - x.mean()) ** 2
    size = array_stats._ess_mean(squares)
    return np.sqrt((np.mean(squares**2) - squares.mean() ** 2) / size / squares.mean() / 4)


def r_hat(x):
    """As array_stats._rhat_rank, which refuses a single chain."""
    split = array_stats._split_chains(x)
    scores = [array_stats._z_scale(y) for y in (split, abs(split - np.median(split)))]
    return max(array_stats._rhat(score) for score in scores)


rows = []
for case in [(0.0, 0.0, 4, 500), (0.9, 0.0, 2, 1000), (-0.5, 0.0, 3, 200), (0.5, 0.3, 4, 250), (0.7, 0.0, 1, 400)]:
    x = chains(*case)
    rows.append([*case, r_hat(x), array_stats._ess_bulk(x),
                 array_stats._ess_tail(x, prob=(0.05, 0.95)), array_stats._mcse_mean(x), sd_error(x)])
np.savetxt(pathlib.Path(__file__).with_suffix(".csv"), rows, delimiter=",", fmt="%.15g")
