#!/usr/bin/env bash
# build.sh TARGET...: sets up what is missing, configures the preset `release` where that is not done, builds the
# targets into build/release. Everything it says goes to stderr.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
build=build/release
root=$(third_party/install.sh)

cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" 2>/dev/null || true
}
if [[ ! -f $build/build.ninja || $(cached LIBTORCH_ROOT) != "$root" || $(cached CMAKE_HOME_DIRECTORY) != "$PWD" ]]; then
  fresh=()
  # A tree that was moved or copied with its build folder starts anew.
  [[ ! -f $build/CMakeCache.txt || $(cached CMAKE_HOME_DIRECTORY) == "$PWD" ]] || fresh=(--fresh)
  cmake --preset release "${fresh[@]}" -DLIBTORCH_ROOT="$root" >&2
fi

# A file that includes LibTorch takes up to 2 GB to compile.
jobs=$(nproc)
memory=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 2000000))
((jobs <= memory)) || jobs=$((memory > 1 ? memory : 1))
cmake --build "$build" --parallel "$jobs" --target "$@" >&2
