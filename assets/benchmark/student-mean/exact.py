"""The posterior of the mean: the scale is integrated over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import Marginal, of_one_set


@of_one_set
def posterior(x):
    def log_density(z):  # mean, logarithm of the scale
        away = (x[None, :, 0] - z[:, :1]) * np.exp(-z[:, 1:])
        return -2 * np.log1p(away**2 / 3).sum(1) - len(x) * z[:, 1] - z[:, 0] ** 2 / 8

    return Marginal(log_density, [-16, np.log(0.3)], [16, np.log(3)], len(x))


def reference(theta, x):
    return posterior(x)(theta)
