import numpy as np
from exact import log_density_of_time, reference
from pairs_simulator import serve

# The logarithm of the time to a boundary, in units of the squared distance of the boundaries, by the product of drift
# and distance (rows) and the logit of its probability (columns).
drifts = np.linspace(0, 8, 201)
logits = np.linspace(-14, 14, 701)
fine = np.linspace(np.log(5e-3), np.log(8), 20001)
density = np.exp(log_density_of_time(fine) + fine - np.exp(fine) * drifts[:, None] ** 2 / 2)
below = np.cumsum((density[:, 1:] + density[:, :-1]) / 2, 1)
chance = np.clip(below[:, :-1] / below[:, -1:], 1e-9, 1 - 1e-9)
quantiles = np.stack([np.interp(logits, np.log(row / (1 - row)), fine[1:-1]) for row in chance])


def prior(rng, size):
    return rng.uniform(-4, 4, size), np.stack([rng.uniform(0.6, 2, size), rng.uniform(0.1, 0.5, size)], 1)


def simulate(theta, psi, n, rng):
    at = abs(theta[0]) * psi[0] / (drifts[1] - drifts[0])
    row = min(int(at), len(drifts) - 2)
    mixed = (row + 1 - at) * quantiles[row] + (at - row) * quantiles[row + 1]
    u = rng.random(n)
    time = psi[1] + psi[0] ** 2 * np.exp(np.interp(np.log(u / (1 - u)), logits, mixed))
    return np.stack([time, rng.random(n) < 1 / (1 + np.exp(-theta[0] * psi[0]))], 1)


serve(prior, simulate, reference)
