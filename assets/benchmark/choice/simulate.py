import numpy as np
from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    slope = np.exp(rng.uniform(np.log(0.1), np.log(1), size))
    return rng.normal(0, 0.7, size), np.stack([slope, rng.uniform(0, 0.2, size)], 1)


def simulate(theta, psi, n, rng):
    stimulus = rng.integers(-4, 5, n) / 2
    chance = psi[1] / 2 + (1 - psi[1]) / (1 + np.exp((theta[0] - stimulus) / psi[0]))
    return np.stack([stimulus, rng.random(n) < chance], 1)


serve(prior, simulate, reference)
