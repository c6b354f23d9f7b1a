"""The posterior of the location: the width is integrated over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import Marginal, of_one_set


@of_one_set
def posterior(x):
    one = x[:, 0].astype(float)

    def log_density(z):  # location, logarithm of the width
        away = (one - z[:, :1]) * np.exp(-z[:, 1:])
        return -np.log1p(away**2).sum(1) - len(one) * z[:, 1] - z[:, 0] ** 2 / 8

    return Marginal(log_density, [-16, np.log(0.2)], [16, np.log(2)], len(one))


def reference(theta, x):
    return posterior(x)(theta)
