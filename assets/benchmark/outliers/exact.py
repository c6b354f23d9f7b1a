"""The posterior of the location: width and share of outliers are integrated over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import Marginal, of_one_set


@of_one_set
def posterior(x):
    one = x[:, 0].astype(float)
    outlier = np.exp(-(one**2) / 50) / 5

    def log_density(z):  # location, logarithm of the width, share of outliers
        mu, log_sd, share = z[:, :1], z[:, 1:2], z[:, 2:]
        good = np.exp(-(((one - mu) * np.exp(-log_sd)) ** 2) / 2 - log_sd)
        with np.errstate(divide="ignore"):
            return np.log((1 - share) * good + share * outlier).sum(1) - z[:, 0] ** 2 / 2

    return Marginal(log_density, [-8, np.log(0.1), 0], [8, 0, 0.4], len(x), 20)


def reference(theta, x):
    return posterior(x)(theta)
