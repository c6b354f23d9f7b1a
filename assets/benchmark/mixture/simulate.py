from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    return rng.uniform(0, 1, size), rng.uniform(1, 4, size)


def simulate(theta, psi, n, rng):
    return rng.normal(0, 1, n) + psi[0] * (rng.random(n) < theta[0])


serve(prior, simulate, reference)
