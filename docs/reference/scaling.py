#!/usr/bin/env python3
"""How fast several machines would train one run, by the model of scaling.md: prints a table up to --nodes.

    python3 docs/reference/scaling.py --slot-ms 40 --rest-ms 2 --floats 250000 --latency-us 30 --gbit 10
"""
import argparse
import math

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--slot-ms", type=float, required=True, help="time of one slot of a step on one node")
parser.add_argument("--slots", type=int, default=0, help="slots of a step (default: 8, or as many as there are nodes)")
parser.add_argument("--rest-ms", type=float, default=0, help="time of a step that every node spends, whatever their number")
parser.add_argument("--floats", type=float, required=True, help="weights of the network")
parser.add_argument("--latency-us", type=float, default=30, help="of a message between two nodes")
parser.add_argument("--gbit", type=float, default=10, help="bandwidth of a node, Gbit a second")
parser.add_argument("--add-ns", type=float, default=0.5, help="time of adding one float of a branch")
parser.add_argument("--nodes", type=int, default=64)
a = parser.parse_args()

print("nodes  step_ms  exchange_ms  speedup  efficiency")
alone, nodes = None, 1
while nodes <= a.nodes:
    # With more nodes than slots the batch is cut into more and smaller ones, each of the same work a set.
    slots = max(a.slots or 8, nodes)
    work = a.slot_ms * (a.slots or 8) / slots * (slots / nodes)
    # In each round two nodes send each other their branch of the sum, and add it to their own.
    exchange = math.log2(nodes) * (a.latency_us * 1e-3 + 4 * a.floats / (a.gbit * 1e9 / 8) * 1e3 + a.floats * a.add_ns * 1e-6)
    step = work + a.rest_ms + exchange
    alone = alone or step
    print(f"{nodes:5d}  {step:7.2f}  {exchange:11.2f}  {alone / step:7.2f}  {alone / step / nodes:9.0%}")
    nodes *= 2
