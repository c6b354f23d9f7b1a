"""Writes ecdf_bands.csv by ArviZ (0.21.0) and tarp.csv by tarp (0.1.1): pip install "arviz<0.22" tarp.

Both read draws of a linear congruential generator that tests/core/eval/calibration/uniform_ecdf_test.cpp and tarp_test.cpp write out,
too.

ecdf_bands.csv, a row a case: sets, samples, power, and the probability that uniform ranks stay strictly inside the
simultaneous band that the ranks of the case just touch. Rank k of the case is floor(u^power (samples + 1)).

tarp.csv: the expected coverage of 60 posteriors of two targets with 40 samples each at 13 levels.
"""

import pathlib

import numpy as np
import tarp
from arviz.stats import ecdf_utils
from scipy.stats import binom

here = pathlib.Path(__file__).parent


class Generator:
    def __init__(self):
        self.state = 12345

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) * 2.0**-53


def cuts(samples):
    values = samples + 1
    pieces = min(values, 51)
    return np.array([k * values // pieces for k in range(1, pieces)])


def inside(sets, samples, power):
    generator = Generator()
    ranks = np.array([int(generator.uniform() ** power * (samples + 1)) for _ in range(sets)])
    at = cuts(samples)
    expected = at / (samples + 1)
    counts = (ranks[:, None] < at).sum(0)
    tails = np.minimum(binom.cdf(counts, sets, expected), binom.sf(counts - 1, sets, expected))
    pointwise = min(1.0, 2 * tails.min()) * (1 + 1e-9)
    lower, upper = ecdf_utils._get_pointwise_confidence_band(1 - pointwise, sets, expected)
    before = np.insert(expected[:-1], 0, 0)
    return ecdf_utils._ecdf_band_interior_probability(
        (expected - before) / (1 - before),
        sets,
        np.rint(lower * sets).astype(int),
        np.rint(upper * sets).astype(int) + 1,
    )


with open(here / "ecdf_bands.csv", "w") as file:
    file.write("sets,samples,power,inside\n")
    for case in [(40, 9, 1), (100, 99, 1), (500, 499, 1), (500, 499, 1.08), (500, 20, 1.15), (2000, 499, 1.04)]:
        file.write(",".join(map(str, case)) + f",{inside(*case):.8f}\n")

generator = Generator()
truth, reference = np.empty((60, 2)), np.empty((60, 2))
samples = np.empty((40, 60, 2))
for i in range(60):
    for t in range(2):
        truth[i, t] = generator.uniform()
        reference[i, t] = generator.uniform()
        for s in range(40):
            samples[s, i, t] = 0.3 * truth[i, t] + 0.7 * generator.uniform()
coverage, level = tarp.get_tarp_coverage(samples, truth, references=reference, num_alpha_bins=12)
with open(here / "tarp.csv", "w") as file:
    file.write("level,coverage\n")
    for row in zip(level, coverage):
        file.write(f"{row[0]:.8f},{row[1]:.8f}\n")
