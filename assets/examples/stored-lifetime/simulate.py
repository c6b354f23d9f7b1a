#!/usr/bin/env python3
"""Writes the simulations of this example: many pairs for stage 1, and a few large sets for stages 2 and 3."""
import argparse
import pathlib

import numpy as np

WINDOW = 20.0  # length of the recorded window / ns


def prior(rng, size):
    theta = rng.uniform(0.5, 5.0, (size, 1))  # lifetime / ns
    psi = rng.uniform(0.0, 0.5, (size, 1))  # fraction of noise
    return theta, psi


def simulate(theta, psi, m, rng):
    shape = (len(theta), m)
    # Decays within the window, by inversion of their distribution function; noise is uniform in time.
    decay = -theta * np.log1p(-rng.uniform(size=shape) * -np.expm1(-WINDOW / theta))
    noise = rng.uniform(0.0, WINDOW, shape)
    return np.where(rng.uniform(size=shape) < psi, noise, decay).astype(np.float32)[:, :, None]


def write(folder, name, sets, m, seed, files):
    for part in range(files):
        rng = np.random.default_rng([seed, m, part])  # every file has a seed of its own
        theta, psi = prior(rng, sets // files)
        np.savez(folder / f"{name}-{part}.npz", theta=theta, psi=psi, x=simulate(theta, psi, m, rng))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200_000, help="sets of 2")
    parser.add_argument("--large", type=int, default=20_000, help="sets of 200")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    wanted = parser.parse_args()
    write(wanted.out, "pairs", wanted.pairs, 2, wanted.seed, files=2)
    write(wanted.out, "large", wanted.large, 200, wanted.seed, files=4)
