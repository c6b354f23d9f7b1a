"""Posteriors of many sets from a run of Pairs Studio, as arrays of numpy.

    from pairs_posterior import Posterior

    posterior = Posterior("runs/a")                     # a run's folder, or a task's name for its shipped weights
    samples = posterior.sample(sets, 1000)              # [sets, 1000, targets]
    densities = posterior.log_prob(theta, sets)         # [sets, values]; theta [values, targets]
    table = posterior.summary(sets)                     # table["mean"] [sets, targets], ...

`sets` is a list of sets of any sizes, or one array whose first axis is the sets. A set is an array [n, columns], [n]
where an observation is one number, or [n, channels, height, width]. A set of ragged rows is a pair (all rows [rows,
columns], numbers of rows [n]). Columns with names are matched with the task's names, in any order. Such are the columns
of a DataFrame, an Arrow or astropy table, a structured array, a dictionary of columns, or a list of Series or
dictionaries with one observation each. A DataFrame's `groupby` is a list of its groups. A single set is a list of one.
Values that are masked, None, NA or NaN are missing: a set that has some is refused, or its posterior uses only the
other observations (missing="drop").

One process, `pairs --batch infer`, computes all sets of a call, with the same bits as one call for each set. The
program is the argument `pairs`, else what $PAIRS names, else the one on the PATH.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Mapping

import numpy as np

__all__ = ["Posterior", "PairsError", "PairsWarning"]


class PairsError(RuntimeError):
    """Pairs Studio failed; the text is its error message."""


class PairsWarning(UserWarning):
    """A warning about a posterior, to be read before it is used."""


class Posterior:
    """The posterior of a run. `threads` 0 takes all cores; `device` is auto, cpu or cuda."""

    def __init__(self, run, pairs=None, threads=0, device="auto"):
        self.run = os.fspath(run)
        self.pairs = _program(pairs)
        self.options = ["--threads", str(int(threads)), "--device", device]
        self._names = None  # names of a set's conditions; None: not queried yet
        self._targets = None  # names of the targets; None: not queried yet
        self._about = None  # the program's description of the task; None: not queried yet

    def sample(self, sets, samples=1000, **options):
        """-> samples of each set's posterior, [sets, samples, targets] float64 in the units of θ.

        The options are those of `summary`.
        """
        samples = int(samples)
        if samples < 1:
            raise ValueError("samples is %d; it must be at least 1" % samples)
        # infer draws at least two.
        answer, _ = self._ask(sets, "npz", ["--samples", str(max(samples, 2))], **options)
        return answer["samples"][:, :samples]

    def log_prob(self, theta, sets, **options):
        """-> natural log densities of values of θ given each set, [sets, values] float64.

        theta is [values, targets], the same values for every set, or [sets, values, targets], separate values for each
        set: `theta[:, None]` scores one value per set. With one target it may also be [values]; with several, a single
        value may be [targets]. The columns of a DataFrame or another table are matched with the names of the targets.
        The options are those of `summary`.
        """
        table = _table_of(theta)
        if table is None:
            answer, _ = self._ask(sets, "npz", [], theta=_theta(theta), **options)
            return answer["log_density"]
        names = self._targets or [one["name"] for one in self._task().get("targets", [])] or table.names
        while True:
            answer, reply = self._ask(sets, "npz", [], theta=_theta_of_table(table, names), **options)
            if reply["targets"] == names:
                return answer["log_density"]
            names = reply["targets"]  # a run may infer other targets than its task

    def summary(self, sets, **options):
        """-> the results of `infer`, as a dictionary of arrays with one row per set.

        targets: names of the targets
        n: N [sets]
        mean, sd: [sets, targets]
        quantiles: by level, {0.05: [sets, targets], ...}
        intervals: credible intervals by level, {0.9: [sets, targets, 2], ...}
        distance, percentile: how far a set lies from those of training, NaN where that is not known
        outside_training: whether a set is out of distribution
        extrapolates: whether a set is larger than those of training
        dropped: number of observations that were left out for a missing value [sets]
        warnings: a list of sentences for each set
        error: why the posterior of a set failed, "" where it did not

        Options of `sample`, `log_prob` and `summary`:

        n: use at most this number of observations of each set
        random: draw these observations by `seed` instead of taking the first
        seed: 1 by default
        force: accept sets larger than those of training
        given: the conditions of the sets, {name: a number for all sets, or [sets]}; or in the task's order [given] for
            all sets, or [sets, given]; with a single condition also a number or [sets]
        missing: "refuse": a set with a value that is masked, missing or not finite fails; "drop": its posterior uses
            only the other observations, which assumes that values are missing at random
        failed: "raise": a set that fails raises a PairsError; "nan": its row is NaN
        """
        document, _ = self._ask(sets, "json", [], **options)
        return _summary(document)

    def _ask(self, sets, ending, words, theta=None, n=None, random=False, seed=1, force=False, given=None,
             missing="refuse", failed="raise"):
        if failed not in ("raise", "nan"):
            raise ValueError("failed is %r; it must be \"raise\" or \"nan\"" % (failed,))
        if missing not in ("refuse", "drop"):
            raise ValueError("missing is %r; it must be \"refuse\" or \"drop\"" % (missing,))
        arrays = _packed(_list_of_sets(sets), self._columns)
        count = int(arrays["set"][-1]) + 1
        words = list(words) + ["--seed", str(int(seed))]
        words += ["--n", str(int(n))] if n is not None else []
        words += ["--random"] if random else []
        words += ["--force"] if force else []
        words += ["--missing", missing] if missing != "refuse" else []
        if given is not None:
            arrays["given"] = self._given(given, count)
        with tempfile.TemporaryDirectory(prefix="pairs-") as folder:
            data, out = os.path.join(folder, "sets.npz"), os.path.join(folder, "answers." + ending)
            np.savez(data, **arrays)
            called = {data: "sets"}
            if theta is not None:
                words += ["--theta", os.path.join(folder, "theta.npz")]
                np.savez(words[-1], theta=theta)
                called[words[-1]] = "theta"
            reply = self._infer(["--data", data, "--group", "set", "--out", out] + words, called, given)
            self._names, self._targets = reply.get("conditions", []), reply["targets"]
            if given is not None and not self._names:
                raise _nothing_given(reply["task"])
            _raise_failed(reply, failed)
            if ending == "json":
                with open(out, encoding="utf-8") as file:
                    return json.loads(_renamed(file.read(), called)), reply
            with np.load(out) as file:
                return {name: file[name] for name in file.files}, reply

    def _infer(self, words, called, given):
        """The JSON document of `infer` on these sets."""
        try:
            return self._run(["infer", self.run] + words + self.options, called)
        except PairsError as error:
            missing = given is None and re.match(r"Sets of task \S+ come with ", str(error))
            names = missing and self._given_names()
            if not names:
                raise
            raise PairsError("%s%s: pass given={%s}, a number for all sets or one for each" % (
                missing.group(0), ", ".join(names), ", ".join("%r: ..." % name for name in names))) from None

    def _given_names(self):
        """Names of a set's conditions, in the task's order; None where the program does not list them."""
        if self._names is None and self._task():
            self._names = self._task()["conditions"]
        return self._names

    def _task(self):
        """The entry of the run's task in `tasks`; {} where the program lists none."""
        if self._about is None:
            own = os.path.isfile(os.path.join(self.run, "task.toml"))
            task = _task_of(self.run)
            try:
                tasks = self._run(["tasks"] + (["--task-file", self.run] if own else []), {})["tasks"]
            except PairsError:
                tasks = []
            self._about = next((one for one in tasks if own or task in
                                [one["name"]] + [weights["name"] for weights in one["weights"]]), {})
        return self._about

    def _columns(self):
        """The columns of an observation by the task's names, and by its files' where these hold the same numbers."""
        task = self._task()
        if not task:
            raise PairsError("The columns of %s are not known, so a table cannot be read by names; pass an array"
                             % self.run)
        files = task.get("file_columns", [])
        same = files and not any(one["converts"] for one in files)
        return task["observation_columns"], [one["name"] for one in files] if same else []

    def _given(self, given, count):
        """The conditions of each set, [sets, given]."""
        names = self._given_names()
        table = None if isinstance(given, Mapping) else _table_of(given)
        if table is not None:
            given = {name: _array(table.column(name), "given") for name in table.names}
        if isinstance(given, Mapping):
            if names is None:
                raise ValueError("given cannot be read by name, since the names of the conditions of %s are not known; "
                                 "pass an array, [%d, given]" % (self.run, count))
            return _given_by_name(given, names, count)
        if names is not None and not names:
            raise _nothing_given(_task_of(self.run))
        return _given_in_order(_numbers(given, "given"), names, count)

    def _run(self, words, called):
        """The JSON document of the command, with files renamed by `called`. Its warnings become PairsWarnings."""
        command = [self.pairs, "--batch"] + words + ["--json"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8",
                                  errors="replace")
        except OSError as error:
            raise PairsError("%s cannot be run: %s" % (self.pairs, error.strerror)) from None
        if done.returncode < 0:
            raise PairsError("%s was stopped by signal %d" % (self.pairs, -done.returncode))
        errors = _renamed(done.stderr, called)
        try:
            reply = json.loads(_renamed(done.stdout, called))
        except ValueError:
            lines = errors.strip().splitlines()
            raise PairsError(lines[-1] if lines else "%s printed nothing" % self.pairs) from None
        if "error" in reply:
            raise PairsError(reply["error"])
        for line in errors.splitlines():
            if line.startswith("warning: ") and "could not be answered" not in line:
                warnings.warn(line[len("warning: "):], PairsWarning, stacklevel=5)
        return reply


def _program(pairs):
    """The path of the program."""
    asked = os.fspath(pairs) if pairs is not None else os.environ.get("PAIRS") or "pairs"
    found = shutil.which(asked)
    if found is None:
        where = ("set by the argument pairs" if pairs is not None else "set by $PAIRS" if os.environ.get("PAIRS") else
                 "searched on the PATH, since neither the argument pairs nor $PAIRS is set")
        raise PairsError("There is no program %s (%s); set the path of Pairs Studio's program pairs" % (asked, where))
    return found


def _is_missing(value):
    """Whether an element of an array of objects is a missing value: None, pandas' NA or NaT."""
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _float(value):
    if _is_missing(value):
        return np.nan
    if isinstance(value, (str, bytes)):
        raise TypeError("a text")
    return float(value)


def _array(values, what):
    """Converts numbers of any type, mask and order to an array of a type that files hold. Missing values become NaN."""
    values = _with_mask(values)
    if np.ma.isMaskedArray(values):
        masked = np.ma.getmaskarray(values)
        values = np.array(values.data, np.float64) if masked.any() and values.dtype.kind in "fiub" else values.data
        if masked.any():
            values = np.where(masked, np.nan, values)
    x = np.asarray(values)
    if x.dtype == object and x.size:
        try:
            x = np.array([_float(one) for one in x.reshape(-1)], np.float64).reshape(x.shape)
        except (TypeError, ValueError):
            pass
    if x.dtype.kind not in "fiub":
        raise TypeError("%s is not an array of numbers but of %s" % (what, x.dtype))
    kind = {"b": np.uint8, "f": np.float32 if x.dtype.itemsize < 4 else np.float64 if x.dtype.itemsize > 8 else None,
            "u": np.float64 if x.dtype.itemsize == 8 else None}.get(x.dtype.kind)
    return np.array(x, kind or x.dtype.newbyteorder("="), order="C")


def _with_mask(values):
    """Values as numpy reads them, except that masks within lists and of other libraries are kept."""
    if hasattr(values, "unmasked") and hasattr(values, "mask"):  # an array of astropy
        return np.ma.masked_array(np.asarray(values.unmasked), np.asarray(values.mask))
    if isinstance(values, (list, tuple)):
        if all(isinstance(one, (int, float)) for one in values):
            return values
        parts = [_with_mask(one) for one in values]
        if any(np.ma.isMaskedArray(one) for one in parts):
            return np.ma.masked_array([np.ma.getdata(one) for one in parts], [np.ma.getmaskarray(one) for one in parts])
        return parts
    if hasattr(values, "to_numpy"):
        return _series(values)
    return values


def _series(series):
    """A column of a DataFrame; missing values become NaN. Dates and complex numbers keep their types."""
    if getattr(getattr(series, "dtype", None), "kind", "O") in "mMc":
        return series.to_numpy()
    try:
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        return series.to_numpy()


class _Table:
    """Columns by their names: `column(name)` returns the values of one."""

    def __init__(self, names, column):
        self.names, self.column = list(names), column


def _table_of(values):
    """The named columns of a DataFrame, an Arrow or astropy table, a structured array, a dictionary of columns, or a list
    of Series or dictionaries with one observation each; None where columns have no names."""
    if isinstance(values, Mapping):
        return _Table(values, values.__getitem__)
    if hasattr(values, "column_names") and hasattr(values, "column"):  # a table of Arrow
        return _Table(values.column_names, lambda name: _of_arrow(values.column(name)))
    if hasattr(values, "colnames"):  # a table of astropy
        return _Table(values.colnames, values.__getitem__)
    if hasattr(values, "columns") and hasattr(values, "to_numpy"):
        names = list(values.columns)
        # pandas numbers columns without names from 0 on.
        return None if names == list(range(len(names))) else _Table(names, values.__getitem__)
    if getattr(getattr(values, "dtype", None), "names", None):
        return _Table(values.dtype.names, values.__getitem__)
    if isinstance(values, (list, tuple)) and len(values) > 0:
        rows = [_labeled(one) for one in values]
        if all(row is not None for row in rows):
            names = list(rows[0])
            for row in rows:
                if set(row) != set(names):
                    raise ValueError("observations have other names than the first, %s: %s" % (
                        ", ".join(map(str, names)), ", ".join(map(str, row))))
            return _Table(names, lambda name: [row[name] for row in rows])
    return None


def _of_arrow(column):
    try:
        return column.to_numpy(zero_copy_only=False)  # nulls become NaN
    except TypeError:  # a column of several chunks, which older versions of Arrow always copy
        return column.to_numpy()


def _labeled(one):
    """An observation as a mapping from names to numbers; None where its numbers have no names."""
    if isinstance(one, Mapping):
        return one
    if isinstance(one, np.void) and one.dtype.names:
        return {name: one[name] for name in one.dtype.names}
    if hasattr(one, "index") and hasattr(one, "to_numpy") and not hasattr(one, "columns"):
        names = list(one.index)
        return None if all(isinstance(name, (int, np.integer)) for name in names) else dict(zip(names, one.tolist()))
    return None


def _stacked(table, wanted, what):
    """The wanted columns [n, columns], or [n, ...] where a single column holds more than one number per row."""
    for name in wanted:
        if table.names.count(name) > 1:
            raise ValueError("%s has more than one column %s; give its columns different names" % (what, name))
    columns = [_array(table.column(name), what) for name in wanted]
    if len(columns) == 1 and columns[0].ndim > 1:
        return columns[0]
    for name, column in zip(wanted, columns):
        if column.ndim != 1 or len(column) != len(columns[0]):
            raise ValueError("column %s of %s has the shape %s; a column needs one number per row"
                             % (name, what, column.shape))
    return np.stack(columns, 1)


def _frame(table, what, columns, unused):
    """A table's columns in the task's order. Adds the names of the other columns to `unused`."""
    names = table.names
    task, files = columns()
    wanted = next((one for one in (task, files) if one and set(one) <= set(names)), None)
    if wanted is None and len(names) == 1 and len(task) <= 1:
        wanted = names  # a single column may have any name
    if wanted is None:
        lacking = [name for name in task if name not in names]
        raise ValueError("%s has no column %s; it has %s" % (what, ", ".join(lacking), ", ".join(map(str, names))))
    unused.update((str(name), None) for name in names if name not in wanted)
    return _stacked(table, wanted, what)


def _values(one, number, columns, unused):
    """The observations or rows of a set, as an array."""
    what = "set %d" % number
    if one is None or isinstance(one, (str, bytes)):
        raise ValueError("%s is %r; a set is an array of observations" % (what, one))
    try:
        table = _table_of(one)
    except ValueError as error:
        raise ValueError("%s: %s" % (what, error)) from None
    return _array(one, what) if table is None else _frame(table, what, columns, unused)


def _theta(values):
    """Values of θ without names; none may be missing."""
    theta = np.asarray(_array(values, "theta"), np.float64)
    if not np.isfinite(theta).all():
        raise ValueError("theta holds a value that is masked, missing or not finite; leave it out")
    return theta


def _theta_of_table(table, names):
    """Values of θ [values, targets] of a table with a column for each target."""
    if lacking := [name for name in names if name not in table.names]:
        raise ValueError("theta has no column %s; it has %s" % (", ".join(lacking), ", ".join(map(str, table.names))))
    return _theta(_stacked(table, names, "theta"))


def _list_of_sets(sets):
    """The sets as a list."""
    if hasattr(sets, "ngroups"):  # a DataFrame by groups
        by = sets.keys if isinstance(sets.keys, list) else [sets.keys]
        return [group[[name for name in group.columns if not any(name is one or name == one for one in by
                                                                 if isinstance(one, str))]] for _, group in sets]
    if isinstance(sets, Mapping):
        raise ValueError("`sets` is a dictionary; sets are a list, list(sets.values()), and a single set a list of one")
    if _table_of(sets) is not None and not isinstance(sets, (list, tuple)):
        raise ValueError("`sets` is a table, such as a DataFrame; pass a single set as a list of one, [table], and "
                         "many sets as the groups of a DataFrame, frame.groupby(...)")
    if isinstance(sets, (str, bytes)) or not hasattr(sets, "__iter__"):
        raise ValueError("`sets` is %r; it must be a list of sets" % (sets,))
    return list(sets)


def _as_block(observations, number, columns, unused):
    """One set's observations as an array [n, ...] of their own type."""
    x = _values(observations, number, columns, unused)
    if x.ndim == 0:
        raise ValueError("set %d is a single number; a set is an array of observations, and `sets` a list of sets"
                         % number)
    if len(x) == 0:
        raise ValueError("set %d holds no observation; a set needs at least one" % number)
    return x[:, None] if x.ndim == 1 else x


def _packed(sets, columns):
    """The arrays that `infer --group set` reads: all observations one after another, and the set of each. `columns()`
    returns the columns of an observation."""
    unused = {}
    if not sets:
        raise ValueError("`sets` is empty: there is no set to infer from")
    if all(isinstance(one, tuple) for one in sets):
        arrays = _packed_rows(sets, columns, unused)
    else:
        blocks = [_as_block(one, k, columns, unused) for k, one in enumerate(sets)]
        for k, block in enumerate(blocks):
            if block.shape[1:] != blocks[0].shape[1:]:
                raise ValueError("an observation of set %d has the shape %s, and one of set 0 %s; all sets need the "
                                 "same shape" % (k, block.shape[1:], blocks[0].shape[1:]))
        arrays = {"x": np.concatenate(blocks),
                  "set": np.repeat(np.arange(len(blocks)), [len(block) for block in blocks])}
    if unused:
        warnings.warn("columns that the task does not know are not used: %s" % ", ".join(unused), PairsWarning,
                      stacklevel=5)
    return arrays


def _packed_rows(sets, columns, unused):
    rows, counts = [], []
    for k, one in enumerate(sets):
        if len(one) != 2:
            raise ValueError("set %d is a tuple of %d values; a set of ragged rows is a pair (rows, numbers of rows)"
                             % (k, len(one)))
        if _table_of(one[1]) is not None:
            raise ValueError("set %d is a pair of a name and a table; pass the tables alone, or frame.groupby(...) itself"
                             % k)
        rows.append(_values(one[0], k, columns, unused))
        counts.append(np.asarray(one[1], np.int64).reshape(-1))
        if len(counts[-1]) == 0:
            raise ValueError("set %d holds no observation; a set needs at least one" % k)
        if rows[-1].ndim != 2 or len(rows[-1]) != counts[-1].sum():
            raise ValueError("set %d has rows of shape %s, and its numbers of rows sum to %d"
                             % (k, rows[-1].shape, counts[-1].sum()))
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
    return {"rows": np.concatenate(rows), "offsets": offsets,
            "set": np.repeat(np.arange(len(sets)), [len(one) for one in counts])}


def _renamed(text, called):
    """The program's text, with files and options replaced by the arguments that they come from."""
    for path, name in called.items():
        text = text.replace(path, name)
    text = text.replace("--missing drop", "missing='drop'")
    return text.replace("--conditions", "given").replace("--theta", "theta")


def _task_of(run):
    """The name of a run's task."""
    try:
        with open(os.path.join(run, "run.toml"), encoding="utf-8") as file:
            found = re.search(r"^\[task\]\s*\nname\s*=\s*[\"'](.*?)[\"']", file.read(), re.MULTILINE)
        return found.group(1) if found else run
    except OSError:
        return run


def _nothing_given(task):
    return PairsError("Sets of task %s have no conditions; leave given out" % task)


def _numbers(values, what):
    """The values as an array of float64."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ValueError("%s holds a value that is not a number" % what) from None


def _given_by_name(given, names, count):
    """{name: a number for all sets, or one for each} -> [sets, given]."""
    if set(given) != set(names) or not names:
        raise ValueError("given names %s; the conditions of the sets are %s" % (
            ", ".join(map(str, given)) or "nothing", ", ".join(names) or "none"))
    columns = []
    for name in names:
        column = _numbers(given[name], "given[%r]" % name)
        if column.shape not in ((), (1,), (count,), (count, 1)):
            raise ValueError("given[%r] has the shape %s; it must be a number, or one for each of %d sets, [%d]"
                             % (name, list(column.shape), count, count))
        columns.append(np.broadcast_to(column.reshape(-1), (count,)))
    return np.stack(columns, 1)


def _given_in_order(values, names, count):
    """[given] for all sets, [sets, given], or with one condition also a number or [sets] -> [sets, given]."""
    width = len(names) if names is not None else values.shape[-1] if values.ndim else 1
    found = values.shape
    if found == (width,) or width == 1 and found == ():
        values = np.tile(values.reshape(1, -1), (count, 1))
    elif width == 1 and found == (count,):
        values = values[:, None]
    if values.shape != (count, width):
        known = " and ".join(names) if names is not None else "(%d numbers)" % width
        fits = "a number, [%d]" % count if width == 1 else "[%d]" % width
        raise ValueError("given has the shape %s; %d sets with the conditions %s need %s or [%d, %d]"
                         % (list(found), count, known, fits, count, width))
    return values


def _raise_failed(reply, failed):
    if failed == "nan" or reply["failed"] == 0:
        return
    first = next((one for one in reply["sets"] if "error" in one), None)
    raise PairsError("%d of %d sets could not be answered%s" % (
        reply["failed"], reply["count"], ", the first, set %s: %s" % (first["set"], first["error"]) if first else ""))


def _summary(document):
    rows, targets = document["sets"], document["targets"]
    nothing = [None] * len(targets)

    def floats(values):
        return np.array(values, np.float64)  # None becomes NaN

    def levels(key, empty):
        known = next((row[key] for row in rows if key in row), {})
        return {float(level): floats([row[key][level] if key in row else empty for row in rows])
                for level in known if level != "kind"}

    return {
        "targets": targets,
        "n": np.array([row.get("n", 0) for row in rows], np.int64),
        "mean": floats([row.get("mean", nothing) for row in rows]),
        "sd": floats([row.get("sd", nothing) for row in rows]),
        "quantiles": levels("quantiles", nothing),
        "intervals": levels("intervals", [[None, None]] * len(targets)),
        "distance": floats([row.get("distance") for row in rows]),
        "percentile": floats([row.get("percentile") for row in rows]),
        "outside_training": np.array([row.get("outside_training", False) for row in rows]),
        "dropped": np.array([row.get("dropped", 0) for row in rows], np.int64),
        "extrapolates": np.array([row.get("extrapolates", False) for row in rows]),
        "warnings": [row.get("warnings", []) for row in rows],
        "error": [row.get("error", "") for row in rows],
    }
