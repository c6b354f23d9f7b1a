#!/usr/bin/env bash
# licenses.sh PREFIX TORCH ARROW: puts the licenses of the libraries in the installed folder PREFIX into
# PREFIX/share/pairs-studio/licenses: the files `copyright` of Debian's packages, and the license files of the wheels in
# the folders TORCH and ARROW. On a system without dpkg the former are left out, with a message.
set -euo pipefail
shopt -s nullglob
prefix=$1 torch=$2 arrow=$3
to=$prefix/share/pairs-studio/licenses
mkdir -p "$to"
for wheel in "$torch"/torch-*.dist-info "$torch"/nvidia_cuda_{runtime,cupti}-*.dist-info "$arrow"/pyarrow-*.dist-info; do
  name=$(basename "$wheel" .dist-info)
  for file in "$wheel"/{,licenses/}{LICENSE,NOTICE,License}{,.txt}; do
    [[ ! -f $file ]] || install -m 644 "$file" "$to/${name%%-*}-$(basename "${file%.txt}" | tr '[:upper:]' '[:lower:]')"
  done
done
if ! command -v dpkg-query >/dev/null; then
  echo "licenses.sh: there is no dpkg-query: licenses of the system's libraries are left out" >&2
  exit 0
fi
libraries=("$prefix"/lib/lib*.so*)
patterns=()
for library in "${libraries[@]}"; do
  name=$(basename "$library")
  [[ $name == libpairs_* || $name == libarrow* || $name == libparquet* ]] || patterns+=("*-linux-gnu/$name" "*-linux-gnu/*/$name")
done
# There are none if the program is built without these libraries.
((${#patterns[@]} > 0)) || exit 0
while IFS= read -r package; do
  [[ ! -f /usr/share/doc/$package/copyright ]] || install -m 644 "/usr/share/doc/$package/copyright" "$to/$package"
done < <({ dpkg-query -S "${patterns[@]}" 2>/dev/null || true; } | sed -e 's/: .*//' -e 's/:amd64//g' -e 's/, /\n/g' | sort -u)
