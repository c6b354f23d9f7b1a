import numpy as np
from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    return rng.normal(0, 2, size), np.exp(rng.uniform(np.log(0.2), np.log(2), size))


def simulate(theta, psi, n, rng):
    return theta[0] + psi[0] * rng.standard_cauchy(n)


serve(prior, simulate, reference)
