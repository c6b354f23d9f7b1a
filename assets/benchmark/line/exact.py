"""The posterior of the slope: the offset is integrated in closed form, the noise over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import Marginal, of_one_set


@of_one_set
def posterior(x):
    u, y = x.astype(float).T
    n, sums = len(u), (u.sum(), y.sum(), (u * u).sum(), (u * y).sum(), (y * y).sum())

    def log_density(z):  # slope, logarithm of the noise
        b, precision = z[:, 0], np.exp(-2 * z[:, 1])
        rest = sums[1] - b * sums[0]  # sum of the residuals without an offset
        squares = sums[4] - 2 * b * sums[3] + b * b * sums[2]
        within = 1 + n * precision  # precision of the offset
        return (
            -n * z[:, 1] - precision * squares / 2 + (precision * rest) ** 2 / (2 * within) - np.log(within) / 2 - b * b / 2
        )

    return Marginal(log_density, [-8, np.log(0.2)], [8, np.log(2)], count=48)


def reference(theta, x):
    return posterior(x)(theta)
