#!/usr/bin/env bash
# The folders in which our programs look for their libraries, in the build tree and installed: each is absolute or
# begins at the program. An empty or relative entry would mean the working folder.
# run_path.sh BUILD
build=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"

# run_path FILE: prints its RPATH or RUNPATH, between dots.
run_path() {
  readelf -d "$1" | sed -n 's/.*(R\(UN\)\?PATH).*: \[\(.*\)\]$/.\2./p'
}

checked=0
check() {  # check FILE...
  local file path entry
  for file in "$@"; do
    [ -x "$file" ] && [ -f "$file" ] || continue
    [ "$(head -c 4 "$file")" = $'\x7fELF' ] || continue
    path=$(run_path "$file")
    [ -n "$path" ] || say_fail "$file has no run path"
    path=${path#.} path=${path%.}
    while IFS= read -r entry; do
      case $entry in
        /* | \$ORIGIN*) ;;
        *) say_fail "$file: the entry \"$entry\" of its run path $path is the current folder's" ;;
      esac
    done < <(tr ':' '\n' <<<"$path")
    checked=$((checked + 1))
  done
}

check "$build"/* "$build"/tests/*
[ "$checked" -ge 2 ] || say_fail "only $checked programs were found in $build"

cmake --install "$build" --prefix "$SCRATCH/installed" --component program >"$SCRATCH/log" 2>&1 ||
  say_fail "the installation failed: $(tail -3 "$SCRATCH/log")"
check "$SCRATCH"/installed/*/*
check_installed() {  # check_installed FILE RUN_PATH
  [ "$(run_path "$SCRATCH/installed/$1")" = ".$2." ] ||
    say_fail "$1, installed, has the run path $(run_path "$SCRATCH/installed/$1"), not $2"
}
# The program is found as well when the loader starts it, as in bundles.
loader=$(readelf -l "$build/pairs" | sed -n 's/.*interpreter: \(.*\)]$/\1/p')
"$loader" "$build/pairs" --version >"$SCRATCH/log" 2>&1 || say_fail "through $loader: $(tail -1 "$SCRATCH/log")"
check_installed bin/pairs '$ORIGIN/../lib:$ORIGIN/../lib/torch/lib'
[ ! -e "$build/libpairs_cuda.so" ] || check_installed lib/libpairs_cuda.so '$ORIGIN:$ORIGIN/torch/lib'
for module in arrow fits transfer; do
  [ ! -e "$build/libpairs_$module.so" ] || check_installed lib/libpairs_$module.so '$ORIGIN'
done
finish
