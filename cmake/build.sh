#!/usr/bin/env bash
# build.sh TARGET...: installs missing dependencies, configures the preset `release` (or $PAIRS_PRESET) unless this is done,
# and builds the targets into build/release. All output goes to stderr.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
preset=${PAIRS_PRESET:-release}
build=build/$preset
folders=$(third_party/install.sh)
root=$(sed -n 1p <<<"$folders") nvcc=$(sed -n 2p <<<"$folders")

cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" 2>/dev/null || true
}
if [[ ! -f $build/build.ninja || $(cached LIBTORCH_ROOT) != "$root" || $(cached PAIRS_NVCC_ROOT) != "$nvcc" ||
  $(cached CMAKE_HOME_DIRECTORY) != "$PWD" ]]; then
  fresh=()
  # If the tree was moved or copied with its build folder, the build starts anew.
  [[ ! -f $build/CMakeCache.txt || $(cached CMAKE_HOME_DIRECTORY) == "$PWD" ]] || fresh=(--fresh)
  cmake --preset "$preset" "${fresh[@]}" -DLIBTORCH_ROOT="$root" -DPAIRS_NVCC_ROOT="$nvcc" >&2
fi

# A unit of files that include LibTorch takes up to 3 GB to compile.
jobs=$(nproc)
memory=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 3000000))
((jobs <= memory)) || jobs=$((memory > 1 ? memory : 1))
cmake --build "$build" --parallel "$jobs" --target "$@" >&2
