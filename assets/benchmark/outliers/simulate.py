import numpy as np
from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    sd = np.exp(rng.uniform(np.log(0.1), np.log(1), size))
    return rng.normal(0, 1, size), np.stack([sd, rng.uniform(0, 0.4, size)], 1)


def simulate(theta, psi, n, rng):
    good = theta[0] + psi[0] * rng.normal(0, 1, n)
    return np.where(rng.random(n) < psi[1], rng.normal(0, 5, n), good)


serve(prior, simulate, reference)
