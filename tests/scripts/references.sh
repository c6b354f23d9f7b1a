#!/usr/bin/env bash
# references.sh ROOT: fails where a comment, a message or a page names a file or folder of the repository that is not
# there, or a heading that a page of docs/ does not have (docs/folder/page.md, "Heading").
set -euo pipefail
cd "$1"
wrong=0
complain() {
  echo "$1"
  wrong=1
}

mapfile -t files < <(find core app tasks render tests docs assets cmake third_party examples -type f \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.md' -o -name '*.sh' -o -name '*.py' -o -name '*.toml' \
  -o -name '*.cmake' -o -name 'CMakeLists.txt' \) 2>/dev/null)
files+=(README.md CHANGELOG.md run.sh test.sh)
# These plant files in trees of their own.
planted='^tests/(layering/([a-z]+_test|sizes)|scripts/(places|references|words))\.sh$'

# Joins the lines of comments, since a reference may continue on the next line.
joined() { sed -E ':a;N;$!ba;s@\n[ \t]*(//|#) ?@ @g' "$1"; }

headings=0
for file in "${files[@]}"; do
  [[ $file =~ $planted ]] && continue
  [ "$(grep -c 'docs/' "$file")" -eq 0 ] || while IFS= read -r reference; do
    headings=$((headings + 1))
    page=${reference%%,*}
    heading=${reference#*\"}
    heading=${heading%\"}
    [ -e "$page" ] && grep -qxE "#+ $heading" "$page" || complain "$file: $page has no heading \"$heading\""
  done < <(joined "$file" | grep -oE 'docs/([a-z-]+/)?[a-z-]+\.md, "[^"]+"' | sort -u || true)
  while IFS= read -r path; do
    [ -e "$path" ] || complain "$file: there is no $path"
  done < <(grep -oE '(^|[^A-Za-z0-9_./*-])(core|app|tasks|render|tests|docs|assets|cmake)/[A-Za-z0-9_/-]+\.(h|cpp|cu|md|sh|py|toml|awk)([^A-Za-z0-9_.]|$)' "$file" |
    grep -oE '(core|app|tasks|render|tests|docs|assets|cmake)/[A-Za-z0-9_/-]+\.[a-z]+' | grep -vE '/[A-Z]+[/.]' | sort -u || true)
done
[ "$headings" -ge 10 ] || complain "only $headings references to headings of docs/ were found: is this the right folder?"
exit $wrong
