from exact import reference
from pairs_simulator import serve


def prior(rng, size):
    return rng.normal(0, 1, (size, 2))


def simulate(theta, psi, n, rng):
    return theta[0] ** 2 + theta[1] + 0.5 * rng.normal(0, 1, n)


serve(prior, simulate, reference)
