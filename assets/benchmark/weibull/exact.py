"""The posterior of the characteristic lifetime: the shape is integrated over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import Marginal, of_one_set


@of_one_set
def posterior(x):
    log_time, died = np.log(np.maximum(x[:, 0].astype(float), 1e-30)), x[:, 1] > 0.5
    deaths, log_sum = died.sum(), log_time[died].sum()

    def log_density(z):  # logarithm of the scale, shape
        away = z[:, 1:] * (log_time - z[:, :1])
        return deaths * (np.log(z[:, 1]) - z[:, 1] * z[:, 0]) + (z[:, 1] - 1) * log_sum - np.exp(away).sum(1)

    return Marginal(log_density, [np.log(0.5), 0.7], [np.log(5), 3], len(x))


def reference(theta, x):
    with np.errstate(divide="ignore", invalid="ignore"):
        return posterior(x)(np.log(theta)) - np.log(theta[:, 0])
