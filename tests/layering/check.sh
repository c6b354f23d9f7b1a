#!/usr/bin/env bash
# check.sh ROOT: fails when a source file under ROOT includes something that its layer may not see (layers.awk), or one of
# core or app names a task or a task's setting (names.awk).
set -euo pipefail
here=$(dirname "$(realpath "$0")")
cd "$1"
folders=()
for folder in core render tasks app; do
  [[ -d $folder ]] && folders+=("$folder")
done
find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  sort -z | xargs -0 -r awk -f "$here/layers.awk"

[[ -f tasks/registry.cpp ]] && compgen -G "tasks/*/*.cpp" >/dev/null || exit 0
words() { sort -u | tr '\n' ' '; }
# {"bump-hunt", [](... of the registry; {"size", &size, ... of the tasks' fields.
tasks=$(grep -oE '^ *\{"[a-z0-9-]+", *\[' tasks/registry.cpp | cut -d'"' -f2 | words)
fields=$(cat tasks/*/*.cpp | tr '\n' ' ')
keys=$(grep -oE '\{"[a-z_]+", *&[a-z_]+,' <<<"$fields" | cut -d'"' -f2 | words)
find core app -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  sort -z | xargs -0 -r awk -v tasks="$tasks" -v keys="$keys" -f "$here/names.awk"
