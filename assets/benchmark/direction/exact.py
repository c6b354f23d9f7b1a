"""The posterior of the direction from the sum of the unit vectors: the concentration is integrated over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import log_sum, nodes, of_one_set

log_kappa, log_weight = nodes([np.log(0.5)], [np.log(20)], 400)
kappa = np.exp(log_kappa[:, 0])
log_bessel = np.log(np.i0(kappa))


@of_one_set
def sums(x):
    angle = x[:, 0].astype(float)
    return np.cos(angle).sum(), np.sin(angle).sum(), len(angle)


def reference(theta, x):
    across, up, n = sums(x)
    along = across * np.cos(theta[:, 0]) + up * np.sin(theta[:, 0])
    value = log_sum(kappa * along[:, None] - n * log_bessel + log_weight)
    return np.where(np.abs(theta[:, 0]) <= np.pi, value, -np.inf)
