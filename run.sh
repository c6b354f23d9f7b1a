#!/usr/bin/env bash
# Installs missing dependencies, builds, and opens the window. Without a display it runs the demonstration instead:
# posteriors of every task, compared with the exact ones. Arguments are passed on to `pairs` or `pairs --batch demo`.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")"
cmake/build.sh pairs
if [[ -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
  exec build/release/pairs "$@"
fi
echo "run.sh: there is no display, so the demonstration runs without the window" >&2
[[ " $* " == *" --out"* ]] || set -- --out runs/demo "$@"
exec build/release/pairs --batch demo "$@"
