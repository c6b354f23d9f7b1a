"""The posterior of the upper end from the largest observation, in closed form."""

import numpy as np


def reference(theta, x):
    end = theta[:, 0]
    inside = (end >= max(1, x.max())) & (end <= 2)
    return np.where(inside, -len(x) * np.log(np.where(inside, end, 1)), -np.inf)
