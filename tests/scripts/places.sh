#!/usr/bin/env bash
# places.sh ROOT: fails if docs/architecture.md names a file or folder in backticks that the tree does not have. Names
# with a slash count, where * stands for any characters; names with capital words, such as tasks/NAME, do not.
# places.sh --selftest: plants wrong names in a small tree and expects each to be found.
set -euo pipefail

check() {
  cd "$1"
  local path found=0 wrong=0
  while IFS= read -r path; do
    found=$((found + 1))
    compgen -G "$path" >/dev/null || { echo "docs/architecture.md: there is no $path" && wrong=1; }
  done < <(grep -oE '`[^` ]+`' docs/architecture.md | tr -d '`' | grep -E '^[a-z_]+(/[A-Za-z0-9_.*-]+)+/?$' |
    grep -vE '/[A-Z]+(/|$)' | sort -u)
  ((found >= $2)) || { echo "docs/architecture.md: only $found places were found; at least $2 are expected" && wrong=1; }
  return $wrong
}

selftest() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  mkdir -p "$tree"/{docs,core/base}
  touch "$tree"/core/base/{error.h,error.cpp}
  printf '%s\n' '| `core/base` | `core/base/error.h`, `core/base/err*`, `core/` |' '`tasks/NAME`, `a b/c`, core/x.h' \
    >"$tree/docs/architecture.md"
  (check "$tree" 3) || return 1
  ! (check "$tree" 4) >/dev/null || { echo "a page without places is not found" && return 1; }
  printf '%s\n' 'In `core/bas` and (`core/base/warn*`), `cor/base/error.h`.' >>"$tree/docs/architecture.md"
  diff <(echo "docs/architecture.md: there is no "{cor/base/error.h,core/bas,"core/base/warn*"} | sed 's/ docs/\ndocs/g' | sort) \
    <( (check "$tree" 3) | sort)
}

if [[ $1 == --selftest ]]; then selftest; else check "$1" 60; fi
