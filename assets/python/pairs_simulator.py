"""Turns two functions of numpy into a simulator for Pairs Studio. One file, numpy alone.

    from pairs_simulator import serve

    def prior(rng, size):                 # -> theta [size, targets], or (theta, psi [size, nuisances])
        ...
    def simulate(theta, psi, n, rng):     # one set: theta [targets], psi [nuisances] -> x, n observations
        ...
    serve(prior, simulate)                # the last line of the program

`rng` is a numpy.random.Generator; everything random must come from it. A set may be simulated in several calls: what its
observations share, and psi does not hold, is drawn from rng.of_set(), a Generator that is the same in all of them. x is
[n, columns] or [n, channels, height, width] ([n] where there is one column). If an observation is ragged rows, x is a
list of n arrays [rows, columns] or a pair (rows of all observations [R, columns], numbers of rows [n]).

If task.toml has tables [[conditions]], simulate takes the conditions of a set as a fifth argument, given [g], and prior
returns (theta, psi, given [size, g]), with psi None where there is none. If task.toml states how the conditions are
drawn, prior returns theta or (theta, psi) as above.

If simulating many sets at once is faster (numba, JAX, torch), a function of many sets replaces simulate:

    def simulate_many(theta, psi, n, seeds):   # theta [sets, targets], psi [sets, nuisances], n [sets], seeds [sets]
        ...                                    # -> the observations of all sets one after another, sum(n) of them
    serve(prior, simulate_many=simulate_many)

Everything random in a set must come from its own seed, a whole number of 64 bits: the same seed gives the same set
whichever others are simulated with it. Ragged rows are a pair (rows of all, numbers of rows [sum(n)]).

If task.toml has a table [reference], a third function returns log posterior densities of the targets, up to a constant
that does not depend on theta:

    def reference(theta, x):              # theta [values, targets], x as simulate returns it (also given [g]) -> [values]
        ...
    serve(prior, simulate, reference)

Run by hand with --check, the program tests the functions, prints how fast they are, and shows where one of them
fails ("pairs --batch data task.toml --check" tests any program):

    python3 simulate.py --check task.toml

Printed text goes to standard error; standard output belongs to the protocol (docs/how-to/own-task.md of Pairs Studio).
"""

import io
import os
import re
import sys
import threading
import time
import traceback

import numpy as np

PRIOR_BLOCK = 2**64 - 1
SHARED_BLOCK = 2**64 - 2  # of random numbers that all blocks of a set share


class _Generator(np.random.Generator):
    """The generator of one call, which also knows that of its set."""

    def __init__(self, bits, inner):
        super().__init__(bits)
        self._inner = inner

    def of_set(self):
        """A generator that is the same in all calls for one set, and another one for each set."""
        counter = list(self._inner["counter"])
        counter[2] = SHARED_BLOCK
        bits = np.random.Philox(key=0)
        state = bits.state
        state["state"] = {"counter": np.array(counter, np.uint64), "key": np.array(self._inner["key"], np.uint64)}
        bits.state = state
        return np.random.Generator(bits)


class _Streams:
    """One generator, whose state is set to that of the stream (key, set, block) before each call."""

    def __init__(self):
        self.bits = np.random.Philox(key=0)
        self.inner = {"counter": None, "key": None}
        self.rng = _Generator(self.bits, self.inner)
        self.state = {
            "bit_generator": "Philox",
            "state": self.inner,
            "buffer": (0, 0, 0, 0),
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }

    def counters(self, draws):
        """Counters and keys of draws [S, 4], whose columns are key, set, block and count."""
        counters = np.zeros((len(draws), 4), np.uint64)
        keys = np.zeros((len(draws), 2), np.uint64)
        counters[:, 2] = draws[:, 2]
        counters[:, 3] = draws[:, 1]
        keys[:, 0] = draws[:, 0]
        # Python numbers are faster to assign than array elements.
        return counters.tolist(), keys.tolist()

    def at(self, counter, key):
        self.inner["counter"] = counter
        self.inner["key"] = key
        self.bits.state = self.state
        return self.rng


def _as_float(x):
    """Keeps float32 and converts all else to float64, which Pairs Studio standardizes at full precision."""
    return x if x.dtype == np.float32 else x.astype(np.float64, copy=False)


def _seeds(draws):
    """A 64-bit seed for each draw (key, set, block, count), by splitmix64: distinct draws get distinct streams."""
    z = np.zeros(len(draws), np.uint64)
    for word in (draws[:, 0], draws[:, 1], draws[:, 2]):
        z = (z ^ word) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return z


class _Failure(Exception):
    """A wrong return value, described in one sentence."""


class _Simulator:
    def __init__(self, prior, simulate, targets, nuisances, kind, shape, given=0, drawn=0, reference=None,
                 simulate_many=None):
        """`given`: the number of a set's conditions; `drawn`: how many of them the prior draws."""
        self.prior, self.simulate = prior, simulate
        self.targets, self.nuisances, self.kind, self.shape = targets, nuisances, kind, tuple(shape)
        self.given, self.drawn, self.reference, self.simulate_many = given, drawn, reference, simulate_many
        self.streams = _Streams()

    def draw_prior(self, draws):
        """-> bytes of theta, psi and the conditions of each draw, float64."""
        parts = []
        counters, keys = self.streams.counters(draws)
        for i in range(len(draws)):
            self.item = i
            size = int(draws[i, 3])
            values = self.prior(self.streams.at(counters[i], keys[i]), size)
            theta, psi, given = self._drawn_of(values)
            for name, value, width in (
                ("theta", theta, self.targets),
                ("psi", psi, self.nuisances),
                ("given", given, self.drawn),
            ):
                value = np.empty((size, 0)) if value is None else np.asarray(value, np.float64)
                if value.shape == (size,) and width == 1:
                    value = value[:, None]
                if value.shape != (size, width):
                    raise _Failure(
                        "prior returned %s of shape %s instead of (%d, %d)" % (name, value.shape, size, width)
                    )
                parts.append(value.tobytes())
        return b"".join(parts)

    def _drawn_of(self, values):
        """Splits what prior returned into theta, psi and given, with None for what it does not draw."""
        if not isinstance(values, tuple):
            return values, None, None
        if self.drawn == 0 and len(values) == 2:
            return values + (None,)
        if self.drawn > 0 and len(values) == 3:
            return values
        raise _Failure(
            "prior returned %d values, not %s"
            % (len(values), "(theta, psi, given), psi None where there is none" if self.drawn else "theta or (theta, psi)")
        )

    def draw(self, draws, theta, psi, given=None):
        """-> bytes of the observations of each draw."""
        if self.simulate_many is not None:
            return self._draw_many(draws, theta, psi, given)
        if self.kind == "rows":
            return self._draw_rows(draws, theta, psi, given)
        if self.given > 0:
            return self._draw_given(draws, theta, psi, given)
        # The overhead per set matters: iterators over rows are cheaper than indices, and work that many sets share is
        # done once.
        counts = draws[:, 3].tolist()
        parts = []
        simulate, add = self.simulate, parts.append
        rng, bits, state, inner = self.streams.rng, self.streams.bits, self.streams.state, self.streams.inner
        try:
            for own_theta, own_psi, n, counter, key in zip(theta, psi, counts, *self.streams.counters(draws)):
                inner["counter"] = counter
                inner["key"] = key
                bits.state = state
                add(simulate(own_theta, own_psi, n, rng))
        finally:
            self.item = len(parts)
        if not self._flat(parts, counts):
            parts = [self._shaped(x, n) for self.item, (x, n) in enumerate(zip(parts, counts))]
        return _as_float(np.concatenate(parts)).tobytes()

    def _draw_many(self, draws, theta, psi, given):
        counts = draws[:, 3].astype(np.int64)
        total = int(counts.sum())
        more = (given,) if self.given > 0 else ()
        x = self.simulate_many(theta, psi, counts, _seeds(draws), *more)
        if self.kind == "rows":
            if not isinstance(x, tuple) or len(x) != 2:
                raise _Failure("simulate_many must return a pair (rows of all observations, numbers of rows)")
            rows, numbers = np.asarray(x[0]), np.asarray(x[1], np.int64)
            if numbers.shape != (total,) or rows.shape != (int(numbers.sum()),) + self.shape:
                raise _Failure("simulate_many returned rows of shape %s and numbers of shape %s instead of (%d, %d) and "
                               "(%d,)" % (rows.shape, numbers.shape, numbers.sum(), self.shape[0], total))
            return numbers.tobytes() + _as_float(rows).tobytes()
        x = np.asarray(x)
        if x.shape == (total,) and self.shape == (1,):
            x = x[:, None]
        if x.shape != (total,) + self.shape:
            raise _Failure("simulate_many returned x of shape %s instead of %s: the observations of %d sets one after "
                           "another" % (x.shape, (total,) + self.shape, len(draws)))
        return np.ascontiguousarray(_as_float(x)).tobytes()

    def _draw_given(self, draws, theta, psi, given):
        parts = []
        counters, keys = self.streams.counters(draws)
        for i in range(len(draws)):
            self.item = i
            n = int(draws[i, 3])
            parts.append(self._shaped(self.simulate(theta[i], psi[i], n, self.streams.at(counters[i], keys[i]), given[i]), n))
        return _as_float(np.concatenate(parts)).tobytes()

    def _flat(self, parts, counts):
        """Whether every part is an array [n] of single numbers, the most frequent case."""
        try:
            return self.shape == (1,) and [x.shape for x in parts] == [(n,) for n in counts]
        except AttributeError:
            return False

    def _shaped(self, x, n):
        """Reshapes what simulate returned to [n, shape...]."""
        x = np.asarray(x)
        if self.shape == (1,) and x.shape == (n,):
            return x[:, None]
        if x.shape != (n,) + self.shape:
            self._refuse_shape(x.shape, n)
        return x

    def _refuse_shape(self, shape, n):
        if shape and shape[0] != n and shape[1:] in (self.shape, ()):
            raise _Failure("simulate returned %d observations instead of %d" % (shape[0], n))
        raise _Failure("simulate returned x of shape %s instead of %s" % (shape, (n,) + self.shape))

    def _draw_rows(self, draws, theta, psi, given):
        width = self.shape[0]
        numbers, parts = [], []
        counters, keys = self.streams.counters(draws)
        for i in range(len(draws)):
            self.item = i
            n = int(draws[i, 3])
            more = (given[i],) if self.given > 0 else ()
            x = self.simulate(theta[i], psi[i], n, self.streams.at(counters[i], keys[i]), *more)
            if isinstance(x, tuple):
                rows, number = np.asarray(x[0]), np.asarray(x[1], np.int64)
            else:
                own = [np.asarray(one).reshape(-1, width) for one in x]
                rows = np.concatenate(own) if own else np.empty((0, width))
                number = np.array([len(one) for one in own], np.int64)
            if number.shape != (n,):
                raise _Failure("simulate returned %d observations instead of %d" % (number.size, n))
            if rows.shape != (int(number.sum()), width):
                raise _Failure(
                    "simulate returned rows of shape %s instead of %s" % (rows.shape, (int(number.sum()), width))
                )
            numbers.append(number)
            parts.append(rows)
        return np.concatenate(numbers).tobytes() + _as_float(np.concatenate(parts)).tobytes()

    def ask_reference(self, source, count):
        """-> bytes of the log densities of `count` values of theta for one set; reads both from `source`."""
        theta = np.frombuffer(_read(source, 8 * count * self.targets)).reshape(count, self.targets)
        given = np.frombuffer(_read(source, 8 * self.given))
        n = int(np.frombuffer(_read(source, 8), np.uint64)[0])
        if self.kind == "rows":
            numbers = np.frombuffer(_read(source, 8 * n), np.int64)
            rows = np.frombuffer(_read(source, 8 * int(numbers.sum()) * self.shape[0])).reshape(-1, self.shape[0])
            x = np.split(rows, np.cumsum(numbers)[:-1])
        else:
            x = np.frombuffer(_read(source, 8 * n * int(np.prod(self.shape)))).reshape((n,) + self.shape)
        if self.reference is None:
            raise _Failure("task.toml has a table [reference]; pass the function: serve(prior, simulate, reference)")
        values = np.asarray(self.reference(theta, x, *([given] if self.given else [])), np.float64)
        if values.shape not in ((count,), (count, 1)):
            raise _Failure("reference returned an array of shape %s instead of (%d,)" % (values.shape, count))
        return values.tobytes()

    def failure(self):
        """The current exception in a few lines, the cause first."""
        kind, value, trace = sys.exc_info()
        if kind is _Failure:
            return str(value)
        frames = [f for f in traceback.extract_tb(trace) if f.filename != os.path.abspath(__file__)]
        frames = [f for f in frames if f.filename != __file__]
        where = "".join("\n%s:%d in %s: %s" % (f.filename, f.lineno, f.name, f.line) for f in frames[-3:])
        return "".join(traceback.format_exception_only(kind, value)).strip() + where


def _read(stream, size):
    data = stream.read(size)
    if len(data) != size:
        sys.exit(0)
    return data


def _leave_with(parent):
    """Ends the program when Pairs Studio has ended, even during a long calculation."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def _answer(out, *parts):
    for part in parts:
        out.write(part)
    out.flush()


def _serve(prior, simulate, reference, simulate_many):
    parent = os.getppid()
    source = os.fdopen(os.dup(0), "rb", buffering=1 << 20)
    out = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
    # Text that the functions print must not get between the answers.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout = sys.stderr
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()

    words = source.readline().split()
    if len(words) < 8 or words[0] != b"pairs":
        sys.exit("This program is run by Pairs Studio; to test it by hand, run it with --check task.toml.")
    if words[1] not in (b"1", b"2"):
        sys.exit("This pairs_simulator.py implements versions 1 and 2 of the protocol, not %s." % words[1].decode())
    # Version 2 serves tasks whose sets have conditions: "given G" if the prior draws them, or "told G" if the set
    # states them.
    given = int(words.pop(7)) if words[1] == b"2" else 0
    drawn = given if given and words.pop(6) == b"given" else 0
    sim = _Simulator(
        prior, simulate, int(words[3]), int(words[5]), words[7].decode(), [int(word) for word in words[8:]], given, drawn,
        reference, simulate_many,
    )
    _answer(out, b"pairs %s\n" % words[1])
    while True:
        line = source.readline().split()
        if not line:
            return
        kind, request, count = line[0], line[1], int(line[2])
        sim.item = 0
        try:
            if kind == b"reference":
                data = sim.ask_reference(source, count)
                _answer(out, b"answer %s %d\n" % (request, len(data)), data)
                continue
            draws = np.frombuffer(_read(source, 32 * count), np.uint64).reshape(count, 4)
            if kind == b"prior":
                data = sim.draw_prior(draws)
            else:
                theta = np.frombuffer(_read(source, 8 * count * sim.targets)).reshape(count, sim.targets)
                psi = np.frombuffer(_read(source, 8 * count * sim.nuisances)).reshape(count, sim.nuisances)
                given = np.frombuffer(_read(source, 8 * count * sim.given)).reshape(count, sim.given)
                data = sim.draw(draws, theta, psi, given)
        except Exception:
            text = sim.failure().encode("utf-8", "replace")[:65536]
            _answer(out, b"error %s %d %d\n" % (request, sim.item, len(text)), text)
            continue
        _answer(out, b"answer %s %d\n" % (request, len(data)), data)


# Reads what --check needs from task.toml. Python has a TOML reader from 3.11 on; the fallback covers what such a file
# holds.
def _task(path):
    try:
        import tomllib

        with open(path, "rb") as file:
            return tomllib.load(file)
    except ImportError:
        pass
    tables, table = {"targets": [], "nuisances": [], "conditions": []}, {}
    top = table
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            head = re.match(r"(\[\[?)([a-z_]+)\]", line)
            pair = re.match(r"([a-z_]+)\s*=\s*(.*?)\s*(#[^\"']*)?$", line)
            if head:
                table = {}
                if head.group(1) == "[[":
                    tables[head.group(2)].append(table)
                else:
                    tables[head.group(2)] = table
            elif pair:
                value = re.sub(r"(?<![\w\"'])([+-]?)inf\b", r"\1float('inf')", pair.group(2))
                table[pair.group(1)] = eval(value, {"__builtins__": {}, "float": float, "true": True, "false": False})
    tables.update(top)
    return tables


def _hint_columns(values, x, out):
    """Reports constant columns and, if x is not standardized, columns whose numbers are far from size one."""
    names = x.get("columns") or x.get("rows")
    for k, column in enumerate(values.T.astype(np.float64)):
        if not column.size or not np.isfinite(column).all():
            continue
        low, middle, high = np.percentile(column, [16, 50, 84])
        spread = (high - low) / 2
        name = names[k] if names else "x" if values.shape[1] == 1 else "number %d" % (k + 1)
        if column.min() == column.max():
            print("HINT   x: %s is always %.3g, which carries no information: leave it out" % (name, middle), file=out)
        elif x.get("standardize", True) or (0.1 <= spread <= 10 and abs(middle) <= 10 * max(spread, 1)):
            continue
        else:
            print("HINT   x: %s is %.3g, give or take %.3g; networks learn best from numbers of size one: remove "
                  "standardize = false" % (name, middle, spread), file=out)


def _check_reference(sim, theta, psi, known, draws, say, asked):
    """Checks that the reference of a value is the same, up to rounding, whichever values are queried with it."""
    data = sim.draw(draws(3, 1, 0, 2), theta[:1], psi[:1], known[:1])
    count = np.array([2], np.uint64).tobytes()
    if sim.kind == "rows":
        numbers, rows = data[:16], data[16:]
        total = int(np.frombuffer(numbers, np.int64).sum()) * sim.shape[0]
    else:
        numbers, rows = b"", data
        total = 2 * int(np.prod(sim.shape))
    x = rows if len(rows) == 8 * total else np.frombuffer(rows, np.float32).astype(np.float64).tobytes()

    def at(values):
        source = io.BytesIO(values.tobytes() + known[:1].tobytes() + count + numbers + x)
        return np.frombuffer(sim.ask_reference(source, len(values)))

    whole = asked("reference", lambda: at(theta[:64]))
    if whole is None:
        return
    text = "reference: the log density of a value is the same whichever values are queried with it"
    say(not np.isnan(whole).any() and not (whole == np.inf).any(), "reference: no log density is NaN or infinite")
    for part in (slice(10, 20), slice(0, 1), slice(40, 41)):  # some, and one alone
        few = asked("reference", lambda: at(theta[part]))
        if few is None:
            return
        if not np.allclose(few, whole[part], rtol=1e-9, atol=1e-9):
            return say(False, text)
    say(True, text)


def _middle(one):
    """A typical value of a condition as its table in task.toml states; None where it states none."""
    if "values" in one:
        return one["values"][0]
    if "normal" in one:
        return one["normal"][0]
    low, high = one.get("uniform", one.get("log_uniform", (None, None)))
    return None if low is None else (low + high) / 2


def _parts(answers, kind, size):
    """Joins the answers to single draws of `size` observations into one answer to all of them."""
    head = 8 * size if kind == "rows" else 0
    return b"".join(one[:head] for one in answers) + b"".join(one[head:] for one in answers)


def check(prior, simulate, path="task.toml", out=sys.stdout, reference=None, simulate_many=None):
    """Tests the functions against task.toml and prints how fast they are; returns the number of faults."""
    task = _task(path)
    targets, nuisances, x = task.get("targets", []), task.get("nuisances", []), task["x"]
    if "rows" in x:
        kind, shape = "rows", [len(x["rows"])]
    elif "columns" in x:
        kind, shape = "points", [len(x["columns"])]
    else:
        kind, shape = ("points" if len(x["shape"]) == 1 else "image"), x["shape"]
    given = task.get("conditions", [])
    drawn = 0 if any(_middle(one) is not None for one in given) else len(given)
    sim = _Simulator(prior, simulate, len(targets), len(nuisances), kind, shape, len(given), drawn, reference, simulate_many)
    faults = []

    def say(ok, text):
        print(("ok     " if ok else "WRONG  ") + text, file=out)
        if not ok:
            faults.append(text)

    def asked(what, call):
        try:
            return call()
        except Exception:
            say(False, "%s: %s" % (what, sim.failure()))
            return None

    def draws(key, sets, block, n):
        return np.array([(key, s, block, n) for s in range(sets)], np.uint64).reshape(sets, 4)

    width, size = len(targets) + len(nuisances) + drawn, 64
    first = asked("prior", lambda: sim.draw_prior(draws(1, 16, PRIOR_BLOCK, size)))
    if first is None:
        return len(faults)
    also = " and %d given" % drawn if drawn else ""
    say(True, "prior answers %d targets and %d nuisances%s" % (len(targets), len(nuisances), also))
    say(sim.draw_prior(draws(1, 16, PRIOR_BLOCK, size)) == first, "prior: the same seed gives the same draws")
    say(sim.draw_prior(draws(2, 16, PRIOR_BLOCK, size)) != first, "prior: another seed gives other draws")
    values = np.frombuffer(first).reshape(16, size * width)
    theta = values[:, : size * len(targets)].reshape(16 * size, len(targets))
    psi = values[:, size * len(targets) : size * (len(targets) + len(nuisances))].reshape(16 * size, len(nuisances))
    if drawn:
        known = values[:, size * (len(targets) + len(nuisances)) :].reshape(16 * size, drawn)
    else:
        known = np.tile(np.array([_middle(one) for one in given], np.float64), (16 * size, 1))
    for name, columns, one in [("targets", theta, targets), ("nuisances", psi, nuisances), ("given", known, given)]:
        for k, entry in enumerate(one):
            low, high = entry.get("support", [-np.inf, np.inf])
            inside = np.isfinite(columns[:, k]) & (columns[:, k] >= low) & (columns[:, k] <= high)
            say(bool(inside.all()), "%s: %s stays within [%s, %s]" % (name, entry["name"], low, high))

    n = min(int(task["max_n"]), 100)
    for size, sets in ((2, 256), (n, 16)):
        what = "simulate, %d observations" % size
        args = (theta[:sets], psi[:sets], known[:sets])
        begin = asked(what, lambda: sim.draw(draws(3, sets, 0, size), *args))
        if begin is None:
            continue
        say(True, what + ": x has the shape that task.toml states")
        say(sim.draw(draws(3, sets, 0, size), *args) == begin, what + ": the same seed gives the same x")
        say(sim.draw(draws(4, sets, 0, size), *args) != begin, what + ": another seed gives other x")
        few = np.arange(sets)[::-3]  # every third set, in reverse order
        alone = [sim.draw(draws(3, sets, 0, size)[k : k + 1], *(a[k : k + 1] for a in args)) for k in few[:4]]
        mixed = sim.draw(draws(3, sets, 0, size)[few[:4]], *(a[few[:4]] for a in args))
        say(_parts(alone, kind, size) == mixed, what + ": a set is the same whichever others are simulated with it")
        head = 8 * sets * size if kind == "rows" else 0
        held = int(np.frombuffer(begin[:head], np.int64).sum()) if kind == "rows" else sets * size
        wide = len(begin) - head > 4 * held * int(np.prod(shape))
        numbers = np.frombuffer(begin[head:], np.float64 if wide else np.float32)
        finite = np.isfinite(numbers)
        if task.get("simulator", {}).get("invalid") == "redraw":
            print("       %s: %.2g %% of the numbers are not finite; their observations are drawn again"
                  % (what, 100 * (1 - finite.mean())), file=out)
        else:
            say(bool(finite.all()), what + ": every number is finite")
        if size == 2:
            _hint_columns(numbers.reshape(-1, shape[-1] if kind != "image" else 1), x, out)
        start, calls = time.perf_counter(), 0
        while time.perf_counter() - start < 0.5:
            sim.draw(draws(5, sets, 0, size), *args)
            calls += sets
        seconds = time.perf_counter() - start
        print("       %s: %d sets, %d observations per second" % (what, calls / seconds, calls * size / seconds), file=out)
    if "reference" in task:
        _check_reference(sim, theta, psi, known, draws, say, asked)
    print("Nothing is wrong." if not faults else "%d fault%s." % (len(faults), "s" * (len(faults) > 1)), file=out)
    return len(faults)


def serve(prior, simulate=None, reference=None, simulate_many=None):
    """Answers requests until Pairs Studio ends; with --check [task.toml] as arguments, tests the functions."""
    if (simulate is None) == (simulate_many is None):
        sys.exit("serve takes either simulate or simulate_many")
    if "--check" in sys.argv[1:]:
        at = sys.argv.index("--check") + 1
        path = sys.argv[at] if at < len(sys.argv) else "task.toml"
        sys.exit(1 if check(prior, simulate, path, sys.stdout, reference, simulate_many) else 0)
    try:
        _serve(prior, simulate, reference, simulate_many)
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    os._exit(0)
