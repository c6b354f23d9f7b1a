#!/usr/bin/env python3
"""Draws rooms.svg, the folders of the source tree and how they depend on each other, from the #include lines.

rooms.py           writes the picture next to this file
rooms.py --check   fails if the picture in the tree is not the one that it would write

A box is a folder with the folders in it. An arrow leads from a folder to one that it includes. Where a path of arrows
leads there anyway, the direct arrow is left out. The picture depends only on which folders include each other.
"""

import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/rooms.svg"
WHOLE = {"render", "tasks", "app/model", "app/gui"}  # one box each; every other folder of core and app has its own
COLORS = {"core": "#e8f0fb", "render": "#fdf1dc", "tasks": "#e9f6e9", "app": "#f6eaf5"}
WIDTH, BOX_HEIGHT, ROW, MARGIN, GAP, SLOT = 1000, 32, 62, 24, 40, 14


def room(path):
    """The box of a file: "core/base"; "core" for files in core itself."""
    parts = path.split("/")[:-1]
    if parts and parts[0] in WHOLE:
        return parts[0]
    return "/".join(parts[:2]) if parts and parts[0] in COLORS else None


def dependencies():
    """{folder: folders that it includes} of all programs, without tests."""
    found = {}
    for top in COLORS:
        for file in sorted((ROOT / top).rglob("*")):
            if file.suffix not in (".h", ".cpp", ".cu", ".cuh"):
                continue
            here = room(file.relative_to(ROOT).as_posix())
            found.setdefault(here, set())
            for target in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', file.read_text(), re.M):
                there = room(target) if "/" in target and (ROOT / target).is_file() else None
                if there and there != here:
                    found[here].add(there)
    return found


def reduced(graph):
    """The same graph without arrows that a longer path replaces; its nodes in dependency order, and their levels."""
    level, open_nodes = {}, []

    def depth(node):
        if node in open_nodes:
            sys.exit("a cycle of folders: " + " -> ".join(open_nodes[open_nodes.index(node):] + [node]))
        if node not in level:
            open_nodes.append(node)
            level[node] = 1 + max([depth(below) for below in sorted(graph[node])], default=-1)
            open_nodes.pop()
        return level[node]

    order = sorted(graph, key=lambda node: (depth(node), node))
    reach, arrows = {}, []
    for node in order:
        reach[node] = set()
        for below in sorted(graph[node], key=lambda one: (-level[one], one)):
            if below not in reach[node]:
                arrows.append((node, below))
                reach[node] |= {below} | reach[below]
    # A folder with as many users as folders that it includes stands just below its users: arrows are shorter there.
    for node in order[::-1]:
        users = [level[user] for user, below in arrows if below == node]
        if len(users) >= sum(user == node for user, _ in arrows) > 0:
            level[node] = min(users) - 1
    return level, arrows


def arranged(level, arrows):
    """Rows of boxes and of the bends of long arrows, from the bottom, [[node or (arrow, level)]], and their links."""
    rows = [[] for _ in range(max(level.values()) + 1)]
    for node in sorted(level):
        rows[level[node]].append(node)
    up, down, paths = {}, {}, {}
    for arrow in arrows:
        path = [arrow[0]]
        for at in range(level[arrow[0]] - 1, level[arrow[1]], -1):
            rows[at].append((arrow, at))
            path.append((arrow, at))
        paths[arrow] = path + [arrow[1]]
        for one, next_one in zip(paths[arrow], paths[arrow][1:]):
            down.setdefault(one, []).append(next_one)
            up.setdefault(next_one, []).append(one)
    # Each sweep orders the rows by the middle of their neighbors; the order with the fewest crossings is kept.
    best = None
    for sweep in range(40):
        upward = sweep % 2 == 0
        for at in range(1, len(rows)) if upward else range(len(rows) - 2, -1, -1):
            near = {one: k for k, one in enumerate(rows[at - 1 if upward else at + 1])}
            links = down if upward else up
            middle = {}
            for k, one in enumerate(rows[at]):
                places = sorted(near[other] for other in links.get(one, []))
                middle[one] = sum(places) * len(rows[at]) / (len(places) * max(1, len(near))) if places else k
            rows[at].sort(key=lambda one: middle[one])
        crossings = 0
        for lower, upper in zip(rows, rows[1:]):
            place = {one: k for k, one in enumerate(lower)}
            ends = [(k, place[other]) for k, one in enumerate(upper) for other in down.get(one, [])]
            crossings += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(ends) for c, d in ends[:i])
        if best is None or crossings < best[0]:
            best = crossings, [list(row) for row in rows]
    return best[1], up, down, paths


def box_width(node):
    return 26 + 9 * len(node) if isinstance(node, str) else SLOT


def placed(rows, up, down):
    """The middle of each box and bend: near those that it is linked to, in the order of the row, without overlap."""
    x = {}
    for row in rows:
        whole = sum(box_width(one) + GAP for one in row) - GAP
        at = (WIDTH - whole) / 2
        for one in row:
            x[one] = at + box_width(one) / 2
            at += box_width(one) + GAP
    for sweep in range(60):
        for row in rows if sweep % 2 else rows[::-1]:
            wish = []
            for one in row:
                near = [x[other] for other in up.get(one, []) + down.get(one, [])]
                wish.append(math.fsum(near) / len(near) if near else x[one])
            left, right = list(wish), list(wish)
            edge = MARGIN
            for k, one in enumerate(row):
                left[k] = max(left[k], edge + box_width(one) / 2)
                edge = left[k] + box_width(one) / 2 + GAP
            edge = WIDTH - MARGIN
            for k in range(len(row) - 1, -1, -1):
                right[k] = min(right[k], edge - box_width(row[k]) / 2)
                edge = right[k] - box_width(row[k]) / 2 - GAP
            edge = MARGIN
            for k, one in enumerate(row):
                x[one] = max((left[k] + right[k]) / 2, edge + box_width(one) / 2)
                edge = x[one] + box_width(one) / 2 + GAP
            edge = WIDTH - MARGIN
            for one in row[::-1]:
                x[one] = min(x[one], edge - box_width(one) / 2)
                edge = x[one] - box_width(one) / 2 - GAP
    ends = [x[one] + side * box_width(one) / 2 for one in x for side in (-1, 1)]
    shift = (WIDTH - min(ends) - max(ends)) / 2
    return {one: place + shift for one, place in x.items()}


def picture():
    level, arrows = reduced(dependencies())
    rows, up, down, paths = arranged(level, arrows)
    x = placed(rows, up, down)
    height = 2 * MARGIN + ROW * (len(rows) - 1) + BOX_HEIGHT
    y = {one: height - MARGIN - BOX_HEIGHT / 2 - ROW * at for at, row in enumerate(rows) for one in row}
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
             ' font-family="Helvetica, Arial, sans-serif" font-size="15">',
             "<title>The folders of Pairs Studio and the arrows of their includes</title>",
             '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
             'orient="auto">'
             '<path d="M0,0.5 L8,4 L0,7.5 z" fill="#5a6270"/></marker></defs>',
             f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
    for arrow in arrows:
        path = paths[arrow]
        # Arrows leave and reach a box at places of their own, in the order of where they go.
        leave = sorted(down[path[0]], key=lambda one: x[one])
        reach = sorted(up[path[-1]], key=lambda one: x[one])
        spread = lambda node, k, n: (k + 1) / (n + 1) - 0.5 if n > 1 else 0.0
        start = x[path[0]] + spread(path[0], leave.index(path[1]), len(leave)) * 0.8 * box_width(path[0])
        end = x[path[-1]] + spread(path[-1], reach.index(path[-2]), len(reach)) * 0.8 * box_width(path[-1])
        points = [(start, y[path[0]] + BOX_HEIGHT / 2)]
        for bend in path[1:-1]:
            points += [(x[bend], y[bend] - BOX_HEIGHT / 2), (x[bend], y[bend] + BOX_HEIGHT / 2)]
        points.append((end, y[path[-1]] - BOX_HEIGHT / 2))
        curve = f"M{points[0][0]:.0f},{points[0][1]:.0f}"
        for k, ((a, b), (c, d)) in enumerate(zip(points, points[1:])):
            half = (b + d) / 2
            curve += "" if k % 2 else f" C{a:.0f},{half:.0f} {c:.0f},{half:.0f}"
            curve += f" L{c:.0f},{d:.0f}" if k % 2 else f" {c:.0f},{d:.0f}"
        lines.append(f'<path d="{curve}" fill="none" stroke="#5a6270" stroke-width="1.2" marker-end="url(#tip)"/>')
    for node in sorted(level):
        wide, color = box_width(node), COLORS[node.split("/")[0]]
        lines.append(f'<rect x="{x[node] - wide / 2:.0f}" y="{y[node] - BOX_HEIGHT / 2:.0f}" width="{wide}" '
                     f'height="{BOX_HEIGHT}" rx="5" fill="{color}" stroke="#39404c"/>')
        lines.append(f'<text x="{x[node]:.0f}" y="{y[node] + 5:.0f}" text-anchor="middle" fill="#1c2026">{node}</text>')
    return "\n".join(lines + ["</svg>"]) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    made = picture()
    if not sys.argv[1:]:
        PICTURE.write_text(made)
    elif not PICTURE.is_file() or PICTURE.read_text() != made:
        sys.exit("docs/rooms.svg does not show the present #include lines; run docs/rooms.py")


if __name__ == "__main__":
    main()
