#!/usr/bin/env bash
# check.sh ROOT: fails when a source file under ROOT, or a test of core, includes something that its layer may not see
# (layers.awk), or a file of core or app names a task or a task's setting (names.awk).
set -euo pipefail
here=$(dirname "$(realpath "$0")")
cd "$1"
folders=()
for folder in core render tasks app tests/core; do
  [[ -d $folder ]] && folders+=("$folder")
done
{
  find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0
  [[ ! -d tests/core ]] || find tests -maxdepth 1 -type f -name '*.h' -print0
} | sort -z | xargs -0 -r awk -f "$here/layers.awk"

compgen -G "tasks/*/entry.cpp" >/dev/null || exit 0
words() { sort -u | tr '\n' ' '; }
# .name = "bump-hunt" of the tasks' entries; {"size", &size, ... of their fields.
tasks=$(grep -ohE '\.name = "[a-z0-9-]+"' tasks/*/entry.cpp | cut -d'"' -f2 | words)
fields=$(find tasks -mindepth 2 -name '*.cpp' -print0 | sort -z | xargs -0 cat | tr '\n' ' ')
keys=$(grep -oE '\{"[a-z_]+", *&[a-z_]+,' <<<"$fields" | cut -d'"' -f2 | words)
find core app -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  sort -z | xargs -0 -r awk -v tasks="$tasks" -v keys="$keys" -f "$here/names.awk"
