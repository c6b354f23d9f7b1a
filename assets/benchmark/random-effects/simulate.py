import numpy as np
from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    return rng.normal(0, 1, size), np.exp(rng.uniform(np.log(0.3), np.log(2), size))


def simulate(theta, psi, n, rng):
    hidden = 0.5 * rng.of_set().normal(0, 1)  # one of all calls for a set
    return theta[0] + hidden + psi[0] * rng.normal(0, 1, n)


serve(prior, simulate, reference)
