"""Integrals over nuisances on grids that adapt to a set of observations, for the exact posteriors of the benchmark."""

import functools

import numpy as np

DEEP = 25.0  # nat below the largest value: what lies deeper has no mass
BLOCK = 2**22  # numbers that are held at a time


def of_one_set(function):
    """Remembers function(x, *further) for the last set that it was called with."""
    last = {}

    @functools.wraps(function)
    def remembered(x, *further):
        key = (x.shape, x.tobytes(), *(np.asarray(one, float).tobytes() for one in further))
        if last.get("key") != key:
            last.update(key=key, value=function(x, *further))
        return last["value"]

    return remembered


def in_parts(log_density, points, n):
    """log_density of points [K, d] -> [K], a part of the points at a time, each of which is compared with n values."""
    step = max(1, BLOCK // max(1, n))
    return np.concatenate([log_density(points[k : k + step]) for k in range(0, len(points), step)])


def box(log_density, low, high, n=1):
    """The smallest box, of cells of a grid, that holds all points of [low, high] where log_density is not DEEP below
    its largest value. The grid narrows step by step; the best points of each are kept even where they lie deeper, as
    if the density were tempered, so that it may be much narrower than the first cells."""
    low, high = np.array(low, float), np.array(high, float)
    points = {1: 33, 2: 17, 3: 11}.get(len(low), 8)
    for _ in range(60):
        axes = [np.linspace(a, b, points) for a, b in zip(low, high)]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(low))
        value = in_parts(log_density, grid, n)
        most = np.partition(value, -len(value) // 8)[-len(value) // 8]
        kept = grid[value >= min(value.max() - DEEP, most)]
        step = (high - low) / (points - 1)
        new_low, new_high = np.maximum(low, kept.min(0) - step), np.minimum(high, kept.max(0) + step)
        done = np.all(new_high - new_low > 0.9 * (high - low))
        low, high = new_low, new_high
        if done:
            break
    return low, high


def nodes(low, high, count):
    """Gauss-Legendre nodes [M, d] of a box and the logarithms of their weights [M]."""
    at, weight = np.polynomial.legendre.leggauss(count)
    axes = [a + (b - a) * (at + 1) / 2 for a, b in zip(low, high)]
    weights = [weight * (b - a) / 2 for a, b in zip(low, high)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))
    product = functools.reduce(np.multiply.outer, weights).reshape(-1)
    return grid, np.log(product)


def log_sum(values, axis=-1):
    """log of the sum of exponentials."""
    most = values.max(axis, keepdims=True)
    most = np.where(np.isfinite(most), most, 0)
    with np.errstate(divide="ignore"):
        return np.squeeze(most, axis) + np.log(np.exp(values - most).sum(axis))


class Marginal:
    """The log density of one target, up to a constant: nuisances are integrated over the box that holds their mass.
    log_density: points [K, 1 + nuisances] -> [K]; n: values that each point is compared with."""

    def __init__(self, log_density, low, high, n=1, count=32):
        self.log_density, self.n, self.support = log_density, n, (low[0], high[0])
        low, high = box(log_density, low, high, n)
        self.psi, self.log_weight = nodes(low[1:], high[1:], count)

    def __call__(self, theta):
        theta = np.asarray(theta, float).reshape(-1)
        out = np.full(len(theta), -np.inf)
        inside = np.flatnonzero((theta >= self.support[0]) & (theta <= self.support[1]))
        m = len(self.psi)
        points = np.concatenate([np.repeat(theta[inside], m)[:, None], np.tile(self.psi, (len(inside), 1))], 1)
        if len(inside):
            value = in_parts(self.log_density, points, self.n).reshape(len(inside), m)
            out[inside] = log_sum(value + self.log_weight)
        return out
