#!/usr/bin/env bash
# python_posterior.sh PAIRS SOURCE: pairs_posterior.py returns the results of infer on each set alone, to the bit. Each
# failure is one exception with a message, and conditions are accepted in every shape. The notebook next to it runs from
# top to bottom.
set -euo pipefail
pairs=$(realpath "$1") source=$(realpath "$2")
python=
for one in /usr/bin/python3 python3; do
  if "$one" -c 'import numpy' 2>/dev/null; then python=$one && break; fi
done
[[ -n $python ]] || { echo "no Python with numpy: install python3-numpy"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export PYTHONPATH=$source/assets/python PYTHONDONTWRITEBYTECODE=1 PAIRS=$pairs PAIRS_ASSETS=$source/assets
mkdir tmp empty
export TMPDIR=$scratch/tmp

"$python" - "$source" <<'P'
import json, os, subprocess, sys, warnings
import numpy as np
from pairs_posterior import PairsError, PairsWarning, Posterior

PAIRS = os.environ["PAIRS"]


def raises(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), (words, str(error))
    else:
        raise AssertionError("nothing was raised where %r belongs" % words)


def infer(run, x, *words):
    np.savez("one.npz", x=x)
    command = [PAIRS, "--batch", "infer", run, "--data", "one.npz", "--out", "out.npz", "--json"] + list(words)
    told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    with np.load("out.npz") as file:
        return told, {name: file[name] for name in file.files}


rng = np.random.default_rng(3)
warnings.simplefilter("error")
bump = Posterior("bump-hunt")
sets = [rng.normal(0, 1, n) for n in (1, 7, 100)]
grid = (np.arange(50) + 0.5) / 50
np.savez("theta.npz", theta=grid[:, None])
samples, densities, table = bump.sample(sets, 1200, seed=4), bump.log_prob(grid, sets), bump.summary(sets)
assert samples.shape == (3, 1200, 1) and densities.shape == (3, 50)
assert bump.sample(sets, 1, seed=4).shape == (3, 1, 1)
for k, x in enumerate(sets):
    told, arrays = infer("bump-hunt", x, "--samples", "1200", "--seed", "4", "--theta", "theta.npz")
    assert np.array_equal(arrays["samples"], samples[k]) and np.array_equal(arrays["log_density"], densities[k])
    for key in ("mean", "sd"):
        assert told[key] == list(table[key][k]), (told[key], table[key][k])
    assert told["quantiles"]["0.95"] == list(table["quantiles"][0.95][k])
    assert told["intervals"]["0.9"] == table["intervals"][0.9][k].tolist()
    assert told["percentile"] == table["percentile"][k] and told["n"] == table["n"][k] == len(x)
    assert told["warnings"] == table["warnings"][k]
assert table["targets"] == ["theta"] and table["error"] == ["", "", ""]

# A density integrates to one, and its mean is that of the summary.
fine = (np.arange(2000) + 0.5) / 2000
density = np.exp(bump.log_prob(fine, sets))
assert np.allclose(density.mean(1), 1, atol=2e-3), density.mean(1)
assert np.allclose((density * fine).mean(1), table["mean"][:, 0], atol=2e-3)

# Separate values for each set, an array of sets, sets of vectors, a part of each set.
own = rng.random((3, 2, 1))
of_each = bump.log_prob(own, sets)
assert all(np.array_equal(of_each[k], bump.log_prob(own[k], sets)[k]) for k in range(3))
block = rng.normal(0, 1, (5, 20))
assert np.array_equal(bump.sample(block, 10), bump.sample(list(block), 10))
assert np.array_equal(bump.summary(block, n=12)["mean"], bump.summary(block[:, :12])["mean"])
gauss = Posterior("gaussian", pairs=PAIRS, threads=1)
assert gauss.sample([rng.normal(0, 1, (4, 2)), rng.normal(0, 1, (9, 2))], 5).shape == (2, 5, len(gauss.summary(
    [rng.normal(0, 1, (4, 2))])["targets"]))

# Sets and arguments without a posterior.
raises(PairsError, "101 observations", lambda: bump.sample([rng.normal(0, 1, 101)]))
raises(PairsError, "the first, set 1: ", lambda: bump.sample([[0.5], [np.nan]]))
warnings.simplefilter("ignore")
some = bump.sample([[0.5], [np.nan]], 20, failed="nan")
assert np.isfinite(some[0]).all() and np.isnan(some[1]).all()
rows = bump.summary([[0.5], [np.nan]], failed="nan")
assert np.isnan(rows["mean"][1]).all() and rows["error"][0] == "" and rows["error"][1] != ""
warnings.simplefilter("error")
raises(PairsError, "no-such-run", lambda: Posterior("no-such-run").sample(sets))
raises(PairsError, "needs [S, 1]", lambda: bump.log_prob(np.zeros((3, 2)), sets))
raises(PairsError, "have no conditions", lambda: bump.sample(sets, given=[1.0]))
raises(ValueError, "set 1 holds no observation", lambda: bump.sample([[0.5], []]))
raises(ValueError, "no set", lambda: bump.sample([]))
raises(ValueError, "an observation of set 1", lambda: bump.sample([[0.5], [[0.5, 1.0]]]))
raises(ValueError, "single number", lambda: bump.sample(sets[0]))
raises(TypeError, "not an array of numbers", lambda: bump.sample([["a"]]))
raises(ValueError, "at least 1", lambda: bump.sample(sets, 0))
raises(ValueError, "failed is", lambda: bump.sample(sets, failed="no"))
far = [np.full(50, 40.0)]
raises(PairsWarning, "1 of 1 sets that were tested within the set, where less than one", lambda: bump.sample(far, 5))
raises(PairsWarning, "out of distribution", lambda: bump.sample(far, 5))

# Tables are read by the names of their columns; missing values, and arrays of any type and order.
class Column:
    def __init__(self, values):
        self.values = values

    def to_numpy(self, dtype=None, na_value=None):
        values = [na_value if dtype is not None and one is None else one for one in self.values]
        return np.array(values, dtype)


class Frame:  # the parts of a DataFrame that are used
    def __init__(self, columns):
        self.table, self.columns = columns, list(columns)

    def __getitem__(self, name):
        return Column(self.table[name])

    def to_numpy(self):
        raise AssertionError("columns are taken one by one")


frames = [lambda columns: Frame(columns)]
try:
    import pandas
    frames.append(lambda columns: pandas.DataFrame(columns))
except ImportError:
    print("pandas is not installed: DataFrames are tried with what stands for one")
points = np.array([[-1.0, 2.0], [-0.8, 2.2], [-1.3, 1.7], [-1.1, 2.4]])
by_place = gauss.summary([points])
for frame in frames:
    table = {"x1": list(points[:, 0]), "x2": list(points[:, 1])}
    assert np.array_equal(gauss.summary([frame(table)])["mean"], by_place["mean"])
    turned = frame({"x2": table["x2"], "x1": table["x1"]})
    assert np.array_equal(gauss.summary([turned])["mean"], by_place["mean"])
    extra = frame({"run": [1, 1, 1, 1], "x2": table["x2"], "x1": table["x1"], "note": list("abcd")})
    raises(PairsWarning, "not used: run, note", lambda: gauss.summary([extra]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(gauss.summary([extra])["mean"], by_place["mean"])
    raises(ValueError, "set 1 has no column x2; it has x1, y", lambda: gauss.summary(
        [points, frame({"x1": [1.0], "y": [2.0]})]))
    assert np.array_equal(bump.summary([frame({"energy": [0.5, 1.0]})])["mean"], bump.summary([[0.5, 1.0]])["mean"])
    raises(TypeError, "not an array of numbers", lambda: gauss.summary([frame({"x1": ["a"], "x2": ["b"]})]))
    raises(ValueError, "`sets` is a table", lambda: gauss.summary(frame(table)))
    lacking = frame({"x1": table["x1"] + [None], "x2": table["x2"] + [1.0]})
    raises(PairsError, "missing='drop'", lambda: gauss.summary([lacking]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        left = gauss.summary([lacking], missing="drop")
    assert np.array_equal(left["mean"], by_place["mean"]) and list(left["dropped"]) == [1] and list(left["n"]) == [4]

rows = np.vstack([points, [[-999.0, -999.0]]])
masked = np.ma.masked_array(rows, mask=[[0, 0]] * 4 + [[1, 0]])
raises(PairsError, "1 of 5 rows", lambda: gauss.summary([masked]))
raises(PairsError, "missing='drop'", lambda: gauss.summary([masked.astype(np.int64)]))
raises(PairsWarning, "missing at random", lambda: gauss.summary([masked], missing="drop"))
raises(ValueError, "missing is", lambda: gauss.summary([masked], missing="no"))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    left = gauss.summary([masked, masked.filled(np.nan), points], missing="drop")
    assert all(np.array_equal(mean, by_place["mean"][0]) for mean in left["mean"])
    assert list(left["dropped"]) == [1, 1, 0]
unmasked = np.ma.masked_array(points, mask=np.zeros(points.shape, bool))
objects = [[one for one in row] for row in points.tolist()]
same = (unmasked, np.asfortranarray(points), points.astype(">f8"), points[::-1][::-1], objects,
        np.array(objects, object), points.astype(np.longdouble))
assert all(np.array_equal(mean, by_place["mean"][0]) for mean in gauss.summary(same)["mean"])
whole = np.array([[1, 0], [0, 1], [1, 1]])
whole_mean = gauss.summary([whole])["mean"]
for kind in ("<f2", ">f4", "i2", "u8", "?"):  # one by one, since the sets of a call share a type
    assert np.array_equal(gauss.summary([whole.astype(kind)])["mean"], whole_mean), kind
raises(PairsError, "rows", lambda: gauss.summary([[[1.0, None], [2.0, 3.0]]]))

# Named columns are read by their names, in any order: those of sets, of their rows, and of values of θ.
turned = points[:, ::-1]
structured = np.array([tuple(row) for row in turned], [("x2", "f8"), ("x1", "f8")])
by_name = {
    "structured": structured,
    "records": np.rec.fromarrays(points.T[::-1], names="x2,x1"),
    "a dictionary of columns": {"x2": points[:, 1], "x1": points[:, 0]},
    "dictionaries": [{"x2": b, "x1": a} for a, b in points],
    "rows of records": list(np.rec.fromarrays(points.T[::-1], names="x2,x1")),
}
by_group = []
try:
    import pandas
    frame = pandas.DataFrame(turned, columns=["x2", "x1"])
    by_name["Series"] = [row for _, row in frame.iterrows()]
    by_name["categories"] = frame.astype("category")
    by_name["nullable"] = frame.astype("Float64")
    by_group = frame.assign(run=["b", "b", "a", "a"]).groupby("run", sort=False)
    raises(ValueError, "it has 1, 0", lambda: gauss.summary([pandas.DataFrame(points, columns=[1, 0])]))
    raises(TypeError, "datetime64", lambda: gauss.summary([frame.assign(x1=pandas.date_range("2020", periods=4))]))
    raises(TypeError, "complex", lambda: gauss.summary([frame.assign(x1=frame["x1"] + 1j)]))
    raises(ValueError, "a name and a table", lambda: gauss.summary(list(by_group)))
    assert np.array_equal(gauss.summary([pandas.DataFrame(points)])["mean"], by_place["mean"])
except ImportError:
    pass
try:
    import pyarrow
    by_name["Arrow"] = pyarrow.table({"x2": points[:, 1], "x1": points[:, 0]})
    by_name["a batch of Arrow"] = by_name["Arrow"].to_batches()[0]
except ImportError:
    pass
try:
    from astropy.table import Table
    by_name["astropy"] = Table({"x2": points[:, 1], "x1": points[:, 0]})
    by_name["masked astropy"] = Table({"x2": points[:, 1], "x1": points[:, 0]}, masked=True)
except ImportError:
    pass
try:
    import polars
    by_name["polars"] = polars.DataFrame({"x2": points[:, 1], "x1": points[:, 0]})
except ImportError:
    pass
for name, mean in zip(by_name, gauss.summary(list(by_name.values()))["mean"]):
    assert np.array_equal(mean, by_place["mean"][0]), name
if len(by_group):
    parts = gauss.summary(by_group)["mean"]
    assert np.array_equal(parts, gauss.summary([points[:2], points[2:]])["mean"])
raises(ValueError, "set 0 has no column x2; it has x1, y", lambda: gauss.summary([{"x1": [1.0], "y": [2.0]}]))
raises(ValueError, "set 0: observations have other names", lambda: gauss.summary([[{"x1": 1, "x2": 2}, {"x1": 1}]]))
raises(ValueError, "column x2 of set 0 has the shape (1,)", lambda: gauss.summary([{"x1": [1, 2], "x2": [2]}]))
raises(ValueError, "set 1 is None", lambda: gauss.summary([points, None]))
raises(ValueError, "`sets` is a dictionary", lambda: gauss.summary({"a": points}))
raises(ValueError, "`sets` is 'a.csv'", lambda: gauss.summary("a.csv"))
raises(ValueError, "`sets` is a table", lambda: gauss.summary(by_name["records"]))

# Values of θ are read in the same ways, and none may be missing.
at = np.array([[-1.0, 2.0], [-1.1, 2.1]])
scored = gauss.log_prob(at, [points])
for one in ({"theta2": at[:, 1], "theta1": at[:, 0]}, np.rec.fromarrays(at.T[::-1], names="theta2,theta1"),
            [{"theta2": b, "theta1": a} for a, b in at], Frame({"theta2": at[:, 1], "theta1": at[:, 0], "run": [1, 2]})):
    assert np.array_equal(gauss.log_prob(one, [points]), scored)
raises(ValueError, "theta has no column theta2", lambda: gauss.log_prob({"theta1": [1.0], "b": [1.0]}, [points]))
for missing in (np.ma.masked_array(at, [[0, 0], [0, 1]]), [[1.0, None]], [[1.0, np.nan]],
                [np.ma.masked_array([1.0, 2.0], [0, 1])], {"theta1": [1.0], "theta2": [None]}):
    raises(ValueError, "theta holds a value that is masked", lambda: gauss.log_prob(missing, [points]))

# Masks are kept where they lie: within lists, in single values, in columns.
good, bad = np.ma.masked_array(points, np.zeros(points.shape, bool)), np.ma.masked_array([-999.0, -999.0], [1, 0])
columns = {"x1": np.ma.masked_array(rows[:, 0], [0, 0, 0, 0, 1]), "x2": rows[:, 1]}
lacking = (list(good) + [bad], [list(row) for row in points] + [[np.ma.masked, 1.0]], columns,
           [dict(zip(("x1", "x2"), row)) for row in points] + [{"x1": np.ma.masked, "x2": 1.0}])
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    assert all("1 of 5 rows" in error for error in gauss.summary(lacking, failed="nan")["error"])
    left = gauss.summary(lacking, missing="drop")
    assert all(np.array_equal(mean, by_place["mean"][0]) for mean in left["mean"]) and list(left["dropped"]) == [1] * 4

# How the program is found.
raises(PairsError, "/no/pairs (set by the argument pairs)", lambda: Posterior("bump-hunt", pairs="/no/pairs"))
os.environ["PAIRS"] = "/no/other"
raises(PairsError, "/no/other (set by $PAIRS)", lambda: Posterior("bump-hunt"))
del os.environ["PAIRS"]
os.environ["PATH"] = os.getcwd() + "/empty"
raises(PairsError, "no program pairs (searched on the PATH", lambda: Posterior("bump-hunt"))
os.symlink(PAIRS, "empty/pairs")
assert np.array_equal(Posterior("bump-hunt").sample(sets, 1200, seed=4), samples)
assert os.listdir(os.environ["TMPDIR"]) == [], "files are left over"
P

# A task whose sets have conditions.
mkdir own
export XDG_CONFIG_HOME=$scratch/config PAIRS=$pairs
cat >own/simulate.py <<'P'
from pairs_simulator import serve

serve(lambda rng, size: rng.standard_normal(size),
      lambda theta, psi, n, rng, given: rng.normal(theta[0], given[0], n))
P
cat >own/task.toml <<T
name = "known-noise"
max_n = 20
[[targets]]
name = "theta"
support = [-inf, inf]
[[conditions]]
name = "sigma"
support = [0, inf]
log_uniform = [0.5, 2]
[x]
columns = ["x"]
[simulator]
command = ["$python", "simulate.py"]
workers = 1
T
"$pairs" --batch run own/task.toml --allow --device cpu --threads 1 --out own/run --set embedder.layers=16 \
  --set embedder.size=8 --set head.hidden=16 --set pretrain.epochs=2 --set pretrain.steps=60 --set pretrain.batch=128 \
  --set pretrain.validation_sets=500 --set cache.sizes=20 --set cache.sets=500 --set finetune.epochs=2 \
  --set finetune.steps=40 --set finetune.validation_draws=500 --set likelihood.enabled=false >own/told 2>&1 || { cat own/told; exit 1; }

"$python" - <<'P'
import warnings
import numpy as np
from pairs_posterior import PairsError, Posterior

warnings.simplefilter("ignore")
sets = [[0.1, 0.2, 0.3], [1.0, 2.0], [1.0], [2.0]]
each = [0.6, 0.7, 1.0, 1.2]
posterior = Posterior("own/run")


def means(given):
    return posterior.summary(sets, given=given)["mean"]


def refused(kind, words, call):
    try:
        call()
    except kind as error:
        said = str(error)
        assert words in said, said
        assert not any(word in said for word in (".npz", "--", "/tmp", "pairs-")), said
    else:
        raise AssertionError("nothing was raised where %r belongs" % words)


of_each = means(np.array(each)[:, None])
assert len(set(of_each[:, 0])) == 4
for given in (each, {"sigma": each}, {"sigma": np.array(each)[:, None]}):
    assert np.array_equal(means(given), of_each), given
for given in (1.2, [1.2], {"sigma": 1.2}, {"sigma": [1.2]}):
    assert np.array_equal(means(given), means([[1.2]] * 4)), given
assert np.array_equal(means(1.2)[3], of_each[3])
assert np.array_equal(means(np.rec.fromarrays([each], names="sigma")), of_each)
refused(ValueError, "given names noise; the conditions of the sets are sigma", lambda: means({"noise": 1.0}))
refused(ValueError, "given names sigma, b", lambda: means({"sigma": 1.0, "b": 2.0}))
refused(ValueError, "given names nothing", lambda: means({}))
refused(ValueError, "given['sigma'] has the shape [2]", lambda: means({"sigma": [1.0, 2.0]}))
refused(ValueError, "given['sigma'] holds a value that is not a number", lambda: means({"sigma": "much"}))
refused(ValueError, "given has the shape [4, 2]; 4 sets with the conditions sigma need", lambda: means([[1.0, 2.0]] * 4))
refused(ValueError, "given has the shape [2]", lambda: means([1.0, 2.0]))
refused(ValueError, "given names a; the conditions of the sets are none", lambda: Posterior("bump-hunt").sample(sets, given={"a": 1}))
refused(PairsError, "come with sigma: pass given={'sigma'", lambda: means(None))
refused(PairsError, "sigma = -1 cannot be", lambda: means(-1))
refused(PairsError, "theta has the shape [3, 2]", lambda: posterior.log_prob(np.zeros((3, 2)), sets, given=1.0))
P

"$python" - "$source/assets/python/pairs_posterior.ipynb" <<'P'
import json, sys

with open(sys.argv[1], encoding="utf-8") as file:
    notebook = json.load(file)
assert notebook["nbformat"] == 4
names = {}
for cell in notebook["cells"]:
    assert cell["cell_type"] in ("markdown", "code") and not cell.get("outputs")
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
assert names["samples"].shape == (200, 1000, 1)
# The covered fraction is binomial: 0.9 ± 0.021.
assert 0.82 < names["covered"] < 0.97, names["covered"]
assert abs(names["density"].mean(1) - 1).max() < 0.01
P
