from pairs_simulator import serve


def prior(rng, size):
    theta = rng.random(size)                # signal fraction
    psi = rng.normal(1, 2, size)            # where the signal is
    return theta, psi


def simulate(theta, psi, n, rng):
    x = rng.standard_normal(n)              # background
    signal = rng.random(n) < theta[0]
    x[signal] = psi[0] + 0.1 * x[signal]
    return x


serve(prior, simulate)
