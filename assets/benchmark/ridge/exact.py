"""The posterior of both targets from the mean of the observations, in closed form."""


def reference(theta, x):
    a, b = theta.T
    return -2 * len(x) * (x.astype(float).mean() - a * a - b) ** 2 - (a * a + b * b) / 2
