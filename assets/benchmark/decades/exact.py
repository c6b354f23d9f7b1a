"""The posterior of the mean time from the sum of the times, in closed form."""

import numpy as np


def reference(theta, x):
    tau = theta[:, 0]
    inside = (tau >= 1e-3) & (tau <= 1e3)
    tau = np.where(inside, tau, 1)
    return np.where(inside, -(len(x) + 1) * np.log(tau) - x.astype(float).sum() / tau, -np.inf)
