#!/usr/bin/env python3
"""Scores sbi and BayesFlow on tasks of the benchmark: on the simulations and on the test sets of a run of

pairs --batch benchmark TASK --budget 1e5 --export --out DIR

benchmark_peers.py DIR/TASK METHOD [--sizes N,N,...] [--sets M] [--minutes T] [--out FILE]

METHOD is sbi-nle (a likelihood of one observation, and sbi's vectorised slice sampler), sbi-npe (a posterior of sets
that are padded to one size), bayesflow (a deep set and a flow, trained on sets of a size that differs by batch) or
exact (the exact posterior itself). All are at the defaults of these packages unless a comment says otherwise. One JSON
line a size is written, with the gap as `benchmark` has it: the mean of log exact - log theirs at the true θ, in nat.

Needs Python 3.11 with numpy, and for the packages torch, sbi and bayesflow.
"""

import argparse
import json
import math
import os
import pathlib
import sys
import time
import tomllib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
POINTS, DEEP = 160, 22  # of the grids on which exact posteriors are normalized; nat below the largest value
SAMPLES = 1000          # of a posterior that has no density


def task_functions(name):
    """The task's prior, simulator and exact posterior."""
    sys.path[:0] = [str(ROOT / "assets/python"), str(ROOT / "assets/benchmark" / name)]
    import pairs_simulator

    got = []
    pairs_simulator.serve = lambda *functions: got.extend(functions)
    file = ROOT / "assets/benchmark" / name / "simulate.py"
    exec(compile(file.read_text(), str(file), "exec"), {"__name__": "simulate", "__file__": str(file)})
    return got


def log_normalizer(reference, bounds):
    """log ∫ exp reference(θ) dθ over grids that narrow around the mass."""
    bounds = [list(one) for one in bounds]
    for _ in range(30):
        axes = [np.linspace(*one, POINTS) for one in bounds]
        mesh = np.meshgrid(*axes, indexing="ij")
        value = reference(np.stack([one.ravel() for one in mesh], 1)).reshape(mesh[0].shape)
        kept, shrunk = value > value.max() - DEEP, False
        for k in range(len(axes)):
            inside = np.flatnonzero(kept.any(tuple(j for j in range(len(axes)) if j != k)))
            low, high = axes[k][max(inside[0] - 1, 0)], axes[k][min(inside[-1] + 1, POINTS - 1)]
            shrunk |= high - low < 0.8 * (bounds[k][1] - bounds[k][0])
            bounds[k] = [low, high]
        if not shrunk:
            break
    cell = np.prod([axis[1] - axis[0] for axis in axes])
    return value.max() + math.log(np.exp(value - value.max()).sum() * cell)


class Data:
    """The simulations of a budget and the test sets of a benchmark's run."""

    def __init__(self, folder, simulations):
        self.folder, self.name = folder, folder.name
        self.config = tomllib.loads((ROOT / "assets/benchmark" / self.name / "task.toml").read_text())
        self.prior, self.simulate, self.reference = task_functions(self.name)
        drawn = self.prior(np.random.default_rng(7), 100000)
        drawn = drawn if isinstance(drawn, tuple) else (drawn,)
        self.range = [(column.min(), column.max()) for column in np.asarray(drawn[0], float).reshape(100000, -1).T]
        if not simulations:
            return
        files = sorted((folder / "simulations").glob("sets-*.npz"))
        if not files or not (folder / "tested").is_dir():
            sys.exit(f"{folder} has no simulations or no test sets: pairs --batch benchmark {self.name} --budget 1e5 "
                     f"--export --out {folder.parent}")
        parts = [np.load(file) for file in files]
        self.theta = np.concatenate([one["theta"] for one in parts]).astype(np.float32)
        self.psi = np.concatenate([one["psi"] for one in parts]).astype(np.float32) if "psi" in parts[0] else None
        if "given" in parts[0]:
            sys.exit(f"{self.name} has conditions of the set, which this script does not offer to the packages")
        self.x = np.concatenate([one["x"] for one in parts]).astype(np.float32)
        self.sizes = np.concatenate([np.diff(one["offsets"]) for one in parts])
        self.first = np.concatenate([[0], np.cumsum(self.sizes)])

    @property
    def parameters(self):
        return self.theta if self.psi is None else np.concatenate([self.theta, self.psi], 1)

    def tested(self, n, most):
        """The first sets of the size as (θ, x), and the exact log densities of the true θ."""
        sets = np.load(self.folder / "tested" / f"n{n}.npz")
        count = min(most, len(sets["theta"]))
        pairs = [(sets["theta"][k].astype(float), sets["x"][k * n:(k + 1) * n].astype(np.float32).reshape(n, -1))
                 for k in range(count)]
        return pairs, np.array([self.log_exact(theta, x) for theta, x in pairs])

    def log_exact(self, theta, x):
        """The log density of the exact posterior at θ [d]."""
        return float(self.reference(theta[None], x)[0]) - log_normalizer(lambda at: self.reference(at, x), self.range)


def prior_distribution(data):
    """The distributions of all parameters as sbi takes them: as task.toml states them, or these of prior(...)."""
    import torch
    from torch import distributions as d

    unstated = {  # what the tasks' simulators draw where their task files leave it to be learned
        "outliers": ["normal(0, 1)", "log-uniform(0.1, 1)", "uniform(0, 0.4)"],
        "ridge": ["normal(0, 1)", "normal(0, 1)"],
        "mixture": ["uniform(0, 1)", "uniform(1, 4)"],
    }
    stated = [one.get("prior") for one in data.config["targets"] + data.config.get("nuisances", [])]
    if None in stated and data.name not in unstated:
        sys.exit(f"{data.name} states no prior, and this script does not know it")
    out = []
    for text in unstated[data.name] if None in stated else stated:
        family, rest = text.rstrip(")").split("(")
        a, b = (torch.tensor([float(one)]) for one in rest.split(","))
        if family == "normal":
            out.append(d.Normal(a, b))
        elif family == "uniform":
            out.append(d.Uniform(a, b))
        elif family == "log-uniform":
            out.append(d.TransformedDistribution(d.Uniform(a.log(), b.log()), d.ExpTransform()))
        else:
            sys.exit(f"This script has no {family} distribution for sbi")
    return out


def kernel_log_density(samples, at):
    """A kernel density estimate whose covariance is that of the samples (West 1993), at one θ [d]."""
    count, d = samples.shape
    mean, covariance = samples.mean(0), np.cov(samples.T).reshape(d, d) + 1e-12 * np.eye(d)
    h = (count * (d + 2) / 4) ** (-1 / (d + 4))
    shrink = 1 / math.sqrt(1 + h * h)
    root = np.linalg.cholesky(covariance) * h * shrink
    white = np.linalg.solve(root, (at - mean - shrink * (samples - mean)).T)
    value = -0.5 * (white ** 2).sum(0) - 0.5 * d * math.log(2 * math.pi) - np.log(np.diag(root)).sum()
    return value.max() + math.log(np.exp(value - value.max()).mean())


def sbi_nle(data, minutes):
    """A likelihood of one observation. Its sets are answered by Markov chains; densities are kernel estimates."""
    import torch
    from sbi.inference import NLE, MCMCPosterior, likelihood_estimator_based_potential
    from sbi.neural_nets import likelihood_nn
    from sbi.utils import process_prior

    torch.manual_seed(1)
    each = np.repeat(data.parameters, data.sizes, 0)
    prior, *_ = process_prior(prior_distribution(data))
    # The default, "maf", is a normal distribution where x has one column.
    trainer = NLE(prior=prior, density_estimator=likelihood_nn("nsf"), show_progress_bars=False)
    trainer.append_simulations(torch.as_tensor(each), torch.as_tensor(data.x))
    began = time.monotonic()
    # Patience is sbi's; the time limit is ours.
    per_epoch = -(-len(each) * 9 // 10 // 200)
    estimator = trainer.train(max_num_epochs=max(2, round(minutes * 60 * 90 / per_epoch)))
    trained = time.monotonic() - began

    def log_density(theta, x):
        potential, transform = likelihood_estimator_based_potential(estimator, prior, torch.as_tensor(x))
        posterior = MCMCPosterior(potential, proposal=prior, theta_transform=transform, method="slice_np_vectorized",
                                  num_chains=20, warmup_steps=50, thin=5)
        samples = posterior.sample((SAMPLES,), show_progress_bars=False).numpy().astype(float)
        return kernel_log_density(samples[:, :len(theta)], theta)

    return log_density, trained


def sbi_npe(data, minutes):
    """A posterior of θ given a set, padded with missing values to the largest size."""
    import torch
    from sbi.inference import NPE
    from sbi.neural_nets import posterior_nn
    from sbi.neural_nets.embedding_nets import FCEmbedding, PermutationInvariantEmbedding
    from sbi.utils import process_prior

    torch.manual_seed(1)
    largest = int(data.sizes.max())
    padded = np.full((len(data.sizes), largest, data.x.shape[1]), np.nan, np.float32)
    for k, size in enumerate(data.sizes):
        padded[k, :size] = data.x[data.first[k]:data.first[k + 1]]
    prior, *_ = process_prior(prior_distribution(data)[:data.theta.shape[1]])
    # Means in place of sums: sums of a thousand embeddings are far from those of one.
    embedding = PermutationInvariantEmbedding(
        FCEmbedding(data.x.shape[1], output_dim=40, num_hiddens=64, num_layers=2), 40, "mean", output_dim=40)
    trainer = NPE(prior=prior, show_progress_bars=False,
                  density_estimator=posterior_nn("nsf", embedding_net=embedding, z_score_x="none"))
    # Missing values are padding here, and not simulations to be left out.
    trainer.append_simulations(torch.as_tensor(data.theta), torch.as_tensor(padded), exclude_invalid_x=False)
    began = time.monotonic()
    estimator = trainer.train(max_num_epochs=1000)
    trained = time.monotonic() - began

    def log_density(theta, x):
        whole = np.full((1, largest, x.shape[1]), np.nan, np.float32)
        whole[0, :len(x)] = x
        # The estimator itself, since sbi's posterior refuses missing values in an observed set.
        at = torch.as_tensor(theta[None, None], dtype=torch.float32)
        with torch.no_grad():
            return float(estimator.log_prob(at, condition=torch.as_tensor(whole)))

    return log_density, trained


def bayesflow(data, minutes):
    """A posterior of θ given a set. Each batch holds sets of one size, drawn from the larger ones of the budget."""
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import bayesflow as bf
    import torch

    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    sizes = [n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if n <= data.sizes.max()]

    def simulate(batch_shape, **_):
        n = int(rng.choice(sizes))
        sets = rng.choice(np.flatnonzero(data.sizes >= n), batch_shape[0])
        rows = [data.x[data.first[k] + rng.permutation(data.sizes[k])[:n]] for k in sets]
        return {"theta": data.theta[sets], "x": np.stack(rows),
                "n": np.full((batch_shape[0], 1), math.log(n), np.float32)}

    class Simulator(bf.simulators.Simulator):
        def sample(self, batch_shape, **kwargs):
            return simulate((batch_shape,) if isinstance(batch_shape, int) else tuple(batch_shape), **kwargs)

    workflow = bf.BasicWorkflow(
        simulator=Simulator(), inference_variables="theta", summary_variables="x", inference_conditions="n",
        # Coupling needs two targets.
        inference_network=bf.networks.CouplingFlow(transform="spline") if data.theta.shape[1] > 1
        else bf.networks.FlowMatching(),
        summary_network=bf.networks.DeepSet(),
        standardize=["inference_variables", "summary_variables"])
    began = time.monotonic()
    workflow.fit_online(epochs=30, num_batches_per_epoch=max(1, round(minutes * 60 * 12 / 30)), batch_size=64, verbose=0)
    trained = time.monotonic() - began

    def log_density(theta, x):
        given = {"theta": theta[None].astype(np.float32), "x": x[None], "n": np.array([[math.log(len(x))]], np.float32)}
        return float(np.asarray(workflow.log_prob(data=given)).reshape(-1)[0])

    return log_density, trained


def exact(data, minutes):
    """The exact posterior itself, whose gap is 0: its mean log density is that of the benchmark on the same sets."""
    return lambda theta, x: data.log_exact(theta, x), 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("method", choices=["sbi-nle", "sbi-npe", "bayesflow", "exact"])
    parser.add_argument("--sizes", default="1,10,100,1000")
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=10, help="of training, about")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    out = arguments.out
    data = Data(arguments.folder.resolve(), arguments.method != "exact")
    log_density, trained = {"sbi-nle": sbi_nle, "sbi-npe": sbi_npe, "bayesflow": bayesflow, "exact": exact}[
        arguments.method](data, arguments.minutes)
    for n in map(int, arguments.sizes.split(",")):
        pairs, log_exact = data.tested(n, arguments.sets)
        began = time.monotonic()
        gap = log_exact - np.array([log_density(theta, x) for theta, x in pairs])
        line = json.dumps({
            "task": data.name, "method": arguments.method, "n": n, "sets": len(gap), "exact_nll": -log_exact.mean(),
            "gap": gap.mean(), "gap_se": gap.std(ddof=1) / math.sqrt(len(gap)), "median_gap": float(np.median(gap)),
            "seconds_of_training": trained, "seconds_a_set": (time.monotonic() - began) / len(gap)})
        print(line, flush=True)
        if out:
            with open(out, "a") as file:
                file.write(line + "\n")


if __name__ == "__main__":  # sbi starts processes, which read this file again
    main()
