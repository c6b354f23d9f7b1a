"""Turns a function into a reader of tables for Pairs Studio. One file, numpy alone.

    from pairs_reader import serve

    def open_table(path):                 # -> {"energy": array, "time": array, ...}, arrays of equal length
        ...
    serve(open_table)                     # the last line of the program

    pairs --batch infer RUN --data events.root --reader "python3 read_root.py"

An array need not lie in memory: any object works that has a length and returns rows first .. last - 1 as
array[first:last] (a memory map, a data set of h5py). Printed text goes to standard error; standard output belongs to
the protocol (docs/how-to/own-task.md of Pairs Studio).
"""

import os
import sys

import numpy as np


def _checked(columns):
    """Names and arrays of the columns. Raises a ValueError where they do not form a table."""
    names = [str(name) for name in columns]
    arrays = list(columns.values())
    if not names:
        raise ValueError("the file holds no columns")
    for name, array in zip(names, arrays):
        if "\n" in name:
            raise ValueError("the name of column %r contains a line break" % name)
        if len(array) != len(arrays[0]):
            raise ValueError("column %s has %d rows and column %s %d" % (names[0], len(arrays[0]), name, len(array)))
    return names, arrays


def _rows(names, arrays, first, count, places):
    table = np.empty((count, len(places)))
    for k, place in enumerate(places):
        column = np.asarray(arrays[place][first : first + count])
        if column.shape != (count,) or column.dtype.kind not in "bif" and column.dtype.kind != "u":
            raise ValueError("column %s holds %s of shape %s, not one number per row"
                             % (names[place], column.dtype, column.shape[1:]))
        table[:, k] = column
    return table.tobytes()


def serve(open_table):
    """Answers the requests of Pairs Studio until its standard input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text goes to standard error
    lines = sys.stdin.buffer
    if lines.readline() != b"pairs 1 read\n":
        sys.exit("This program is run by Pairs Studio: pairs --batch infer RUN --data FILE --reader \"python3 %s\""
                 % os.path.basename(sys.argv[0]))
    out.write(b"pairs 1\n")
    out.flush()
    names, arrays = [], []
    while line := lines.readline():
        word, request, *numbers = line.split()
        try:
            if word == b"open":
                names, arrays = _checked(open_table(lines.read(int(numbers[0])).decode()))
                answer = "\n".join([str(len(arrays[0]))] + names).encode()
            else:
                first, count, *places = map(int, numbers)
                answer = _rows(names, arrays, first, count, places)
            out.write(b"answer %s %d\n" % (request, len(answer)))
        except Exception as error:  # the error is reported, and the program continues
            answer = ("%s: %s" % (type(error).__name__, error)).encode()[:100000]
            out.write(b"error %s 0 %d\n" % (request, len(answer)))
        out.write(answer)
        out.flush()
