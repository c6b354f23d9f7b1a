"""The posterior of the threshold from the counts at each stimulus: slope and lapses are integrated over a grid."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from quadrature import Marginal, of_one_set

stimuli = np.arange(-4, 5) / 2


@of_one_set
def posterior(x):
    at = np.rint(x[:, 0] * 2).astype(int) + 4
    yes = np.bincount(at, x[:, 1] > 0.5, 9)
    no = np.bincount(at, x[:, 1] <= 0.5, 9)

    def log_density(z):  # threshold, logarithm of the slope, lapse
        away = (z[:, :1] - stimuli) * np.exp(-z[:, 1:2])
        chance = z[:, 2:] / 2 + (1 - z[:, 2:]) / (1 + np.exp(np.clip(away, -500, 500)))
        chance = np.clip(chance, 1e-200, 1 - 1e-16)
        return (yes * np.log(chance) + no * np.log1p(-chance)).sum(1) - z[:, 0] ** 2 / 0.98

    return Marginal(log_density, [-5.6, np.log(0.1), 0], [5.6, 0, 0.2], 9, 32)


def reference(theta, x):
    return posterior(x)(theta)
