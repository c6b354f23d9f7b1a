#!/usr/bin/env bash
# package.sh [--headless] [FOLDER]: builds what people install, into FOLDER (packaging/out):
#   pairs-studio_VERSION_amd64.deb              for Debian 12 and later: apt install ./pairs-studio_….deb
#   pairs-studio-VERSION-linux-x86_64.tar.zst   a folder that runs wherever it is unpacked, without root
#   SHA256SUMS
# --headless: only the folder, of a program without the window. The same commit gives the same bytes with the same
# compiler and Debian packages, in whichever folder it is built.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
preset=package generators=(TZST DEB)
if [[ ${1:-} == --headless ]]; then
  preset=package-headless generators=(TZST)
  shift
fi
out=$(realpath -m "${1:-packaging/out}")
changed=$(git status --porcelain --untracked-files=no)
[[ -z $changed ]] || echo "package.sh: there are changes that are not committed; the package is none of a commit" >&2
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
umask 022

PAIRS_PRESET=$preset cmake/build.sh pairs pairs_keeper pairs_packaging
made=build/$preset/packaging
rm -rf "$made"/*.tar.zst "$made"/*.deb
for generator in "${generators[@]}"; do
  cpack --config "build/$preset/CPackConfig.cmake" -G "$generator" >"$made/cpack.log" 2>&1 ||
    { cat "$made/cpack.log" >&2 && echo "package.sh: cpack -G $generator failed" >&2 && exit 1; }
done
mkdir -p "$out"
cp "$made"/*.tar.zst "$out"
[[ $preset == package-headless ]] || cp "$made"/*.deb "$out"
(cd "$out" && sha256sum -- *.tar.zst *.deb 2>/dev/null >SHA256SUMS; cat SHA256SUMS)
