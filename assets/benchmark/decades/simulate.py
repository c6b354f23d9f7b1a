import numpy as np
from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    return np.exp(rng.uniform(np.log(1e-3), np.log(1e3), size))


def simulate(theta, psi, n, rng):
    return rng.exponential(theta[0], n)


serve(prior, simulate, reference)
