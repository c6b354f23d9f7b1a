"""The posterior of the share: the distance is integrated over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import Marginal, of_one_set


@of_one_set
def posterior(x):
    one = x[:, 0].astype(float)

    def log_density(z):  # share, distance
        w, d = z[:, :1], z[:, 1:]
        ratio = np.exp(one * d - d * d / 2)  # of the densities of the two components
        with np.errstate(divide="ignore"):
            return np.log(1 - w + w * ratio).sum(1)

    return Marginal(log_density, [0, 1], [1, 4], len(x))


def reference(theta, x):
    return posterior(x)(theta)
