#!/usr/bin/env python3
"""Writes the tables of scores on the tasks' pages from the evaluations beside the shipped weights.

scores.py           writes them
scores.py --check   says which pages would change, and fails where one would

A table stands between two comments, the first of which says what it holds:

<!-- scores RUN [LABEL], RUN [LABEL] ...: TITLE = TEXT | TITLE = TEXT ... -->
<!-- scores across RUN: TITLE = TEXT | TITLE = TEXT ... -->
<!-- end of scores -->

One row for each run and set size, or across: one column for each set size. In a TEXT, {key} or {key:FORMAT} is the
number `key` of the row in RUN's metrics.json, {key?} nothing where there is none, {RUN.key} that of another run at the
same size; FORMAT is Python's, or p for p-values. Lists have an entry a target.
"""

import functools
import json
import pathlib
import re
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- scores (?P<spec>.*?) -->\n)(?P<table>.*?)(<!-- end of scores -->)", re.S)


@functools.cache
def weights_checksum(file):
    """The checksum by which other files name weights: converted ones keep theirs in the metadata."""
    content = file.read_bytes()
    size = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8:8 + size]).get("__metadata__", {})
    return metadata.get("weights_checksum", "%08x" % zlib.crc32(content))


def rows_of(run):
    folder = ROOT / "assets/weights" / run
    metrics = json.loads((folder / "metrics.json").read_text())
    if metrics["weights"] != weights_checksum(folder / "estimator.safetensors"):
        sys.exit(f"{folder}/metrics.json is of other weights than those beside it; evaluate them again")
    return {row["n"]: row for row in metrics["rows"]}


def number(value, form):
    if isinstance(value, list):
        return ", ".join(number(one, form) for one in value)
    if form == "p":
        return "< 1e-12" if value < 1e-12 else f"{value:.2g}"
    return format(value, form or ",").replace("-", "−")


def text(template, run, n, label):
    def fill(match):
        name, _, form = match.group(1).partition(":")
        if name == "label":
            return label
        source, _, key = name.rpartition(".")
        row = rows_of(source or run)[n]
        if key.rstrip("?") not in row:
            if key.endswith("?"):
                return ""
            sys.exit(f"{source or run} has no {key} at N = {n}")
        return number(row[key.rstrip("?")], form)

    return re.sub(r"\{([^{}]*)\}", fill, template).strip()


def lines_of(table):
    return "".join("| " + " | ".join(row) + " |\n" for row in table)


def made(spec):
    head, _, columns = spec.partition(": ")
    across = head.startswith("across ")
    runs = [run.split(maxsplit=1) for run in head.removeprefix("across ").split(", ")]
    columns = [column.partition(" = ")[::2] for column in columns.replace("\n", " ").split(" | ")]
    titles = [title.strip() for title, _ in columns]
    rows = [[text(cell, run[0], n, run[-1]) for _, cell in columns] for run in runs for n in rows_of(run[0])]
    table = [list(line) for line in zip(titles, *rows)] if across else [titles, *rows]
    return lines_of(table[:1]) + "|" + "---|" * len(table[0]) + "\n" + lines_of(table[1:])


def main():
    check = sys.argv[1:] == ["--check"]
    stale = []
    tables = 0
    for page in sorted(ROOT.glob("tasks/*/README.md")):
        before = page.read_text()
        tables += len(BLOCK.findall(before))
        after = BLOCK.sub(lambda m: m.group(1) + made(m.group("spec")) + m.group(4), before)
        if after != before:
            stale.append(str(page.relative_to(ROOT)))
            if not check:
                page.write_text(after)
    told = ("; stale: " if check else "; written: ") + ", ".join(stale) if stale else ""
    print(f"{tables} tables of scores{told}")
    sys.exit(1 if check and (stale or not tables) else 0)


if __name__ == "__main__":
    main()
