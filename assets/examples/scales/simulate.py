import tomllib

import numpy as np
from pairs_simulator import serve

with open("task.toml", "rb") as file:
    NOISES = len(tomllib.load(file)["targets"])


def prior(rng, size):
    return rng.normal(size=(size, NOISES))  # the logarithms of the variances


def simulate(theta, psi, n, rng):
    return np.exp(theta / 2) * rng.normal(size=(n, NOISES))


serve(prior, simulate)
