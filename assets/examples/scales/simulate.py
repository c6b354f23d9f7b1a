import numpy as np
from pairs_simulator import serve


def prior(rng, size):
    return rng.normal(size=(size, 5))       # the logarithms of the variances


def simulate(theta, psi, n, rng):
    return np.exp(theta / 2) * rng.normal(size=(n, 5))


serve(prior, simulate)
