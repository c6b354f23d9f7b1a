import numpy as np
from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    exposure = np.exp(rng.uniform(np.log(0.5), np.log(5), size))
    return rng.gamma(2, 1, size), rng.gamma(3, 1, size), exposure


def simulate(theta, psi, n, rng, given):
    return np.stack([rng.poisson(given[0] * (theta[0] + psi[0]), n), rng.poisson(2 * given[0] * psi[0], n)], 1)


serve(prior, simulate, reference)
