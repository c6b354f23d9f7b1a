#!/usr/bin/env bash
# arviz.sh PAIRS: samples of one set and of many, as infer writes them, are opened by xarray and, where it is installed, by
# ArviZ, and hold the same values as the .npz file of that call. Exits with 77 where no Python has xarray and h5netcdf.
# PYTHON names a Python that has them.
set -euo pipefail
pairs=$(realpath "$1")
python=
for one in ${PYTHON-} /usr/bin/python3 python3; do
  if "$one" -c 'import numpy, xarray, h5netcdf; xarray.open_datatree' 2>/dev/null; then python=$one && break; fi
done
[[ -n $python ]] || { echo "no Python with numpy, xarray (2024.10 or later) and h5netcdf: left out"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
printf '%s\n' 1.5 2.5 3.5 >one.csv
{
  echo run,x
  for k in 1 2 3 4 5 6 7; do printf '%s\n' "a,$k.5" "second run,-0.$k" "c,bad"; done
} >many.csv
infer() { "$pairs" --batch infer bump-hunt --samples 250 "$@" >>log 2>&1; }
infer --data one.csv --out one.nc
infer --data one.csv --out one.npz
infer --data many.csv --group run --out many.nc && { echo "the set c has no number and was answered"; exit 1; }
grep ^a, many.csv | cut -d, -f2 >a.csv
infer --data a.csv --out a.npz
"$python" - <<'P'
import numpy as np, xarray as xr

one = xr.open_datatree("one.nc", engine="h5netcdf")
expected = np.load("one.npz")["samples"]
theta = one["posterior"]["theta"]
assert theta.dims == ("chain", "draw") and theta.shape == (1, 250), theta
assert np.array_equal(theta.values[0], expected[:, 0])
assert list(one["posterior"]["draw"].values) == list(range(250))
assert theta.attrs["long_name"] == "θ", theta.attrs
x = one["observed_data"]["x"]
assert x.dims == ("observation", "column") and list(x.values[:, 0]) == [1.5, 2.5, 3.5]
assert list(x["column"].values) == ["x"]
assert one.attrs["task"] == "bump-hunt" and one.attrs["inference_library"] == "Pairs Studio"

many = xr.open_datatree("many.nc", engine="h5netcdf")
theta = many["posterior"]["theta"]
assert theta.dims == ("chain", "draw", "set") and theta.shape == (1, 250, 3)
assert list(theta["set"].values) == ["a", "second run", "c"]
assert np.array_equal(theta.sel(set="a").values[0], np.load("a.npz")["samples"][:, 0])
assert np.isfinite(theta.sel(set="second run").values).all() and np.isnan(theta.sel(set="c").values).all()
print("xarray", xr.__version__)

try:
    import arviz as az
except ImportError:
    print("no ArviZ: left out")
else:
    read = getattr(az, "from_netcdf")
    data = read("one.nc", engine="h5netcdf")
    table = az.summary(data, var_names=["theta"], kind="stats")
    assert abs(float(table["mean"].iloc[0]) - expected.mean()) < 0.01, table
    print("ArviZ", az.__version__)
P
