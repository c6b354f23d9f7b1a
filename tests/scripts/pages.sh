#!/usr/bin/env bash
# pages.sh FOLDER: checks the pages (*.md) of the source tree, or of the folder where they are installed. Every page is
# reached from README.md, every linked file exists, the README has at most 150 lines, and no page is empty.
set -euo pipefail
cd "$1"
fails=0
say_fail() {
  echo "$1"
  fails=$((fails + 1))
}

# links_of PAGE: the targets of its links and pictures, as paths from the root, without web addresses and anchors.
links_of() {
  grep -oE '\]\([^)]+\)' "$1" | sed -E 's/^\]\(//; s/\)$//; s/#.*$//' | grep -vE '^(https?:.*)?$' |
    while IFS= read -r link; do realpath -sm --relative-to=. "$(dirname "$1")/$link"; done || true
}

declare -A reached=([README.md]=1)
queue=(README.md)
while ((${#queue[@]})); do
  page=${queue[0]}
  queue=("${queue[@]:1}")
  [[ -s $page ]] || say_fail "$page is empty"
  while IFS= read -r target; do
    [[ -n $target ]] || continue
    [[ -e $target ]] || say_fail "$page links to $target, which is not there"
    [[ $target == *.md && -e $target && -z ${reached[$target]:-} ]] || continue
    reached[$target]=1
    queue+=("$target")
  done < <(links_of "$page")
done
while IFS= read -r page; do
  [[ -n ${reached[$page]:-} ]] || say_fail "$page is reached from no page: link to it"
done < <(find README.md CHANGELOG.md docs tasks third_party assets -name '*.md' | sort)

lines=$(wc -l <README.md)
((lines <= 150)) || say_fail "README.md has $lines lines; 150 are what a stranger reads"
((${#reached[@]} >= 10)) || say_fail "only ${#reached[@]} pages were found"
((fails == 0)) && echo "${#reached[@]} pages, all of whose links lead somewhere"
