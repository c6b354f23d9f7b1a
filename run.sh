#!/usr/bin/env bash
# Sets up what is missing, builds, and runs the demonstration: the three tasks at the preset `quick`, ours beside the
# exact answers. Arguments are passed on to `pairs --batch demo`.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")"
cmake/build.sh pairs
exec build/release/pairs --batch demo --out runs/demo "$@"
