#!/usr/bin/env python3
"""Writes solids that are made another way than the program's own generator makes its objects, to try weights on:

primitives.py FOLDER
pairs --batch external-validation objects --data FOLDER
"""
import math
import os
import sys


def lathe(profile, sides, ring=False):
    """A surface of revolution about z of (height, radius) pairs, bottom first; its ends are filled, or joined."""
    vertices, faces = [], []
    for z, r in profile:
        vertices += [(r * math.cos(2 * math.pi * k / sides), r * math.sin(2 * math.pi * k / sides), z)
                     for k in range(sides)]
    rows = len(profile)
    for row in range(rows if ring else rows - 1):
        for k in range(sides):
            a, b = row * sides + k, row * sides + (k + 1) % sides
            c, d = (row + 1) % rows * sides + (k + 1) % sides, (row + 1) % rows * sides + k
            faces += [(a, b, c), (a, c, d)]
    if not ring:
        for row, up in ((0, False), (rows - 1, True)):
            middle = len(vertices)
            vertices.append((0, 0, profile[row][0]))
            for k in range(sides):
                a, b = row * sides + k, row * sides + (k + 1) % sides
                faces.append((middle, a, b) if up else (middle, b, a))
    return vertices, faces


def box(x, y, z):
    vertices = [(x * (k & 1), y * (k >> 1 & 1), z * (k >> 2)) for k in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return vertices, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]


def primitives():
    ball = [(-math.cos(math.pi * (k + 0.01) / 30.02), math.sin(math.pi * (k + 0.01) / 30.02)) for k in range(31)]
    tube = [(0.25 * math.sin(2 * math.pi * k / 24), 1 + 0.25 * math.cos(2 * math.pi * k / 24)) for k in range(24)]
    outside = [(0, 0.35), (0.05, 0.4), (1.2, 0.4), (1.5, 0.3), (1.7, 0.14), (2.1, 0.13), (2.2, 0.15)]
    inside = [(2.2, 0.11), (1.7, 0.1), (1.45, 0.27), (1.2, 0.36), (0.1, 0.36)]
    return {"cube": box(1, 1, 1), "brick": box(2, 1, 0.6), "ball": lathe(ball, 48), "sheet": box(1, 0.7, 0.002),
            "bottle": lathe(outside + inside, 48), "ring": lathe(tube, 64, ring=True),
            "cylinder": lathe([(0, 0.5), (1.4, 0.5)], 64), "cone": lathe([(0, 0.6), (1.5, 0.01)], 64)}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, (vertices, faces) in primitives().items():
        with open(os.path.join(sys.argv[1], name + ".off"), "w") as out:
            out.write("OFF\n%d %d 0\n" % (len(vertices), len(faces)))
            out.writelines("%.17g %.17g %.17g\n" % v for v in vertices)
            out.writelines("3 %d %d %d\n" % f for f in faces)


if __name__ == "__main__":
    main()
