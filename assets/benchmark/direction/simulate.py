import numpy as np
from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    return rng.uniform(-np.pi, np.pi, size), np.exp(rng.uniform(np.log(0.5), np.log(20), size))


def simulate(theta, psi, n, rng):
    return rng.vonmises(theta[0], psi[0], n)


serve(prior, simulate, reference)
