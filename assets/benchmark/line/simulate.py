import numpy as np
from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    noise = np.exp(rng.uniform(np.log(0.2), np.log(2), size))
    return rng.normal(0, 1, size), np.stack([rng.normal(0, 1, size), noise], 1)


def simulate(theta, psi, n, rng):
    u = rng.uniform(-2, 2, n)
    return np.stack([u, psi[0] + theta[0] * u + psi[1] * rng.normal(0, 1, n)], 1)


serve(prior, simulate, reference)
