from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    return rng.uniform(1, 2, size)


def simulate(theta, psi, n, rng):
    return rng.uniform(0, theta[0], n)


serve(prior, simulate, reference)
