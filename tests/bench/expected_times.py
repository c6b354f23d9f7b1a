#!/usr/bin/env python3
"""Compares how long runs are expected to take with how long they take, and prints a table: the expected range, the time
taken, its ratio to the middle of the range and by what factor it lies outside (1 within), and the seconds until the first
word of a plan, until a first plan and until a second one.

expected_times.py PAIRS [KIND ...] [--busy N] [--share S]

KIND: points, two-targets, images, digits, program, slow-program, stored, study (default: all). --busy: so many processes
compute beside all of it. --share: of the epochs of the presets quick (default 0.1), so that a kind takes about a minute.
Costs are measured anew for each kind. The time taken is that of the stages in the run's record; of a study it is the
command's. Needs a C++ compiler for the programs.
"""
import argparse
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "assets" / "examples"
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
KINDS = ["points", "two-targets", "images", "digits", "program", "slow-program", "stored", "study"]
BUILT_IN = {"points": "bump-hunt", "two-targets": "gaussian", "images": "circle", "digits": "digits"}


def range_of(text):
    """The seconds that a text such as "8 to 14 minutes (pretrain …)" names."""
    if text.startswith("under a second"):
        return 0.5, 1.0
    match = re.match(r"(about |up to )?([\d.]+)(?: to ([\d.]+))? (second|minute|hour|day)", text)
    if not match:
        sys.exit(f"cannot read the expected time: {text}")
    least, most = float(match[2]), float(match[3] or match[2])
    if match[1] == "up to ":
        least = most / 2
    return least * UNITS[match[4]], most * UNITS[match[4]]


def npy(values, kind, shape):
    header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    code = {"f4": "f", "f8": "d"}[kind]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)


def stored_sets(folder):
    """A task of stored sets of a normal distribution, and its file."""
    draw = random.Random(1)
    for name, sets, n in (("pairs", 20000, 2), ("large", 2000, 50)):
        theta, x = [], []
        for _ in range(sets):
            theta.append(draw.random())
            x += [draw.gauss(theta[-1], 1) for _ in range(n)]
        with zipfile.ZipFile(folder / f"{name}.npz", "w") as file:
            file.writestr("theta.npy", npy(theta, "f8", (sets, 1)))
            file.writestr("x.npy", npy(x, "f4", (sets, n, 1)))
    return 'name = "stored-normal"\ntitle = "Stored"\nmax_n = 50\n[[targets]]\nname = "theta"\nsupport = [0, 1]\n' \
           '[x]\ncolumns = ["x"]\n[simulations]\nfiles = ["pairs.npz", "large.npz"]\n'


def program(folder, delay):
    """The example's program in C++, which waits so long at each set, and its file."""
    source = (EXAMPLES / "line-cpp" / "simulator.cpp").read_text()
    if delay:
        source = source.replace("#include <vector>", "#include <vector>\n#include <unistd.h>")
        source = source.replace("        std::mt19937_64 random = stream(draws[k]);",
                                f"        usleep({int(1e6 * delay)});\n        std::mt19937_64 random = stream(draws[k]);")
    (folder / "simulator.cpp").write_text(source)
    subprocess.run(["c++", "-O2", "-std=c++20", folder / "simulator.cpp", "-o", folder / "simulator"], check=True)
    return (EXAMPLES / "line-cpp" / "task.toml").read_text()


class Bench:
    def __init__(self, pairs, share):
        self.pairs, self.share = pairs, share

    def call(self, *words):
        return [self.pairs, "--batch", *map(str, words)]

    def heard(self, *words):
        """Runs a command; its stdout, the seconds until its first word and until its end."""
        begin, first = time.monotonic(), []
        process = subprocess.Popen(self.call(*words), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        def hear():
            while word := process.stderr.read(1):
                first.append(time.monotonic() - begin)
                errors.append(word + process.stderr.read1())

        errors = []
        hearer = threading.Thread(target=hear)
        hearer.start()
        out = process.stdout.read()
        hearer.join()
        if process.wait() != 0:
            sys.exit(f"{words} failed: {b''.join(errors).decode()}")
        whole = time.monotonic() - begin
        return out.decode(), first[0] if first else whole, whole

    def epochs(self, task):
        """Settings that leave a share of the epochs of the preset quick."""
        settings = json.loads(subprocess.run(self.call("presets", *task, "--json"), env=self.environment, check=True,
                                             stdout=subprocess.PIPE).stdout)["settings"]
        return [word for one in settings if one["key"] in ("pretrain.epochs", "finetune.epochs")
                for word in ("--set", f"{one['key']}={max(1, round(one['quick'] * self.share))}")]

    def compare(self, kind):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.environment = dict(os.environ, PAIRS_CACHE=str(folder / "cache"), XDG_CONFIG_HOME=str(folder / "config"))
            if kind == "study":
                return self.compare_study(folder)
            if kind in BUILT_IN:
                plan, run, more = [BUILT_IN[kind]], [BUILT_IN[kind]], self.epochs([BUILT_IN[kind]])
            else:
                delay = 0.2 if kind == "slow-program" else 0
                (folder / "task.toml").write_text(stored_sets(folder) if kind == "stored" else program(folder, delay))
                plan, run = [folder / "task.toml", "--allow"], ["--task-file", folder / "task.toml", "--allow"]
                more = ["--set", "pretrain.epochs=3", "--set", "finetune.epochs=10"]
                if delay:
                    more += ["--simulations", "3000"]
            more += ["--preset", "quick", "--set", "device=cpu"]
            document, first, once = self.heard("data", *plan, "--plan", *more, "--json")
            expected = json.loads(document)["expected"]["text"]
            _, _, twice = self.heard("data", *plan, "--plan", *more, "--json")
            self.heard("run", *run, *more, "--out", folder / "run")
            events = [json.loads(line) for line in (folder / "run" / "events.jsonl").read_text().splitlines()]
            taken = sum(one.get("seconds", 0) for one in events if one["type"] in ("stage-done", "prepared"))
            return expected, taken, first, once, twice

    def compare_study(self, folder):
        (folder / "study.toml").write_text(
            'title = "Two"\ntasks = ["bump-hunt"]\nstrategies = ["pairs", "n1"]\nseeds = [1]\n[set]\ndevice = "cpu"\n'
            "pretrain.epochs = 2\nfinetune.epochs = 4\n")
        words = ["study", folder / "study.toml", "--out", folder / "out"]
        document, first, once = self.heard(*words, "--plan", "--json")
        seconds = json.loads(document)["seconds"]
        expected = f"{0.8 * seconds:.1f} to {1.25 * seconds:.1f} seconds"
        _, _, twice = self.heard(*words, "--plan", "--json")
        _, _, taken = self.heard(*words)
        return expected, taken, first, once, twice


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs")
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.1)
    arguments = parser.parse_args()
    if unknown := set(arguments.kinds) - set(KINDS):
        sys.exit(f"there is no kind {', '.join(unknown)}; there are {', '.join(KINDS)}")
    bench = Bench(str(pathlib.Path(arguments.pairs).resolve()), arguments.share)
    beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.busy)]
    try:
        print(f"{os.cpu_count()} cores, {arguments.busy} busy processes beside; load: before and after each, others' work in it")
        print("| kind | expected | taken / s | ratio to middle | outside by | first word / s | plan / s | again / s | load |")
        print("|---|---|---|---|---|---|---|---|---|")
        for kind in arguments.kinds or KINDS:
            before = os.getloadavg()[0]
            expected, taken, first, once, twice = bench.compare(kind)
            least, most = range_of(expected)
            outside = max(1, taken / most, least / max(taken, 1e-9))
            print(f"| {kind} | {expected.split(' (')[0]} | {taken:.1f} | {taken / math.sqrt(least * most):.2f} | {outside:.2f} | "
                  f"{first:.2f} | {once:.2f} | {twice:.2f} | {before:.1f}, {os.getloadavg()[0]:.1f} |", flush=True)
    finally:
        for process in beside:
            process.kill()


main()
