"""SchNet (5 interactions, 128 numbers, 50 Gaussians, 32 neighbors within 10 Angstrom) as one writes it in PyTorch.

schnet_peer.py THREADS: one JSON line, median ms of 64 conformers of 45 atoms. The edges are found beforehand.
"""
import json
import math
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(1)
COUNT, ATOMS, CUTOFF, MOST = 64, 45, 10.0, 32


def ssp(x):
    return F.softplus(x) - math.log(2.0)


class Interaction(nn.Module):
    def __init__(self, width=128, gaussians=50):
        super().__init__()
        self.filter1, self.filter2 = nn.Linear(gaussians, width), nn.Linear(width, width)
        self.inner, self.lin2, self.lin = nn.Linear(width, width, bias=False), nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, h, basis, decay, receiver, sender):
        w = self.filter2(ssp(self.filter1(basis))) * decay
        m = torch.zeros_like(h).index_add(0, receiver, self.inner(h)[sender] * w)
        return h + self.lin(ssp(self.lin2(m)))


class SchNet(nn.Module):
    def __init__(self, size=128):
        super().__init__()
        self.elements = nn.Embedding(100, 128, padding_idx=0)
        self.rounds = nn.ModuleList(Interaction() for _ in range(5))
        self.out = nn.Linear(128, size)
        self.register_buffer("center", torch.linspace(0, CUTOFF, 50))

    def forward(self, z, place, receiver, sender):
        d = (place[receiver] - place[sender]).norm(dim=1, keepdim=True)
        basis = torch.exp(-0.5 * ((d - self.center) * (49 / CUTOFF)) ** 2)
        decay = 0.5 * (torch.cos(d * (math.pi / CUTOFF)) + 1)
        h = self.elements(z)
        for one in self.rounds:
            h = one(h, basis, decay, receiver, sender)
        return self.out(h.view(COUNT, ATOMS, -1).mean(1))


z = torch.randint(1, 17, (COUNT * ATOMS,))
place = (11 * ATOMS) ** (1 / 3) * torch.rand(COUNT * ATOMS, 3)
p = place.view(COUNT, ATOMS, 3)
d = torch.cdist(p, p) + 1e6 * torch.eye(ATOMS)
near, which = d.topk(MOST, dim=2, largest=False)
kept = near < CUTOFF
base = (torch.arange(COUNT) * ATOMS)[:, None, None]
receiver = (base + torch.arange(ATOMS)[None, :, None]).expand_as(which)[kept]
sender = (base + which)[kept]
net = SchNet()


def step():
    net(z, place, receiver, sender).sum().backward()


def forward():
    with torch.no_grad():
        net(z, place, receiver, sender)


def median(f, times=7):
    spent = []
    for k in range(times + 2):
        start = time.perf_counter()
        f()
        if k >= 2:
            spent.append(time.perf_counter() - start)
    return 1e3 * statistics.median(spent)


print(json.dumps({"train": median(step), "forward": median(forward), "edges": receiver.numel()}))
