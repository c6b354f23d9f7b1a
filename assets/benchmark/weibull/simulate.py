import numpy as np
from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    return np.exp(rng.uniform(np.log(0.5), np.log(5), size)), rng.uniform(0.7, 3, size)


def simulate(theta, psi, n, rng):
    life, watched = theta[0] * rng.weibull(psi[0], n), rng.exponential(4, n)
    return np.stack([np.minimum(life, watched), life <= watched], 1)


serve(prior, simulate, reference)
