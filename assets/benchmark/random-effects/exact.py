"""The posterior of the mean: the hidden shift is integrated in closed form, the noise over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import Marginal, of_one_set


@of_one_set
def posterior(x):
    one = x[:, 0].astype(float)
    n, mean = len(one), one.mean()
    squares = ((one - mean) ** 2).sum()

    def log_density(z):  # mean, logarithm of the noise
        variance = 0.25 + np.exp(2 * z[:, 1]) / n  # of the mean of the observations
        within = -(n - 1) * z[:, 1] - squares * np.exp(-2 * z[:, 1]) / 2
        return within - np.log(variance) / 2 - (mean - z[:, 0]) ** 2 / (2 * variance) - z[:, 0] ** 2 / 2

    return Marginal(log_density, [-8, np.log(0.3)], [8, np.log(2)], count=48)


def reference(theta, x):
    return posterior(x)(theta)
