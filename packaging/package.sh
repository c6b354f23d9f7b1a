#!/usr/bin/env bash
# package.sh [FOLDER]: builds the packages for users into FOLDER (packaging/out):
#   pairs-studio_VERSION_amd64.deb                       for Debian 12 and later: apt install ./pairs-studio_….deb
#   pairs-studio-VERSION-linux-x86_64.tar.zst            a folder that runs wherever it is unpacked, without root
#   pairs-studio-VERSION-linux-x86_64-headless.tar.zst   the same without the window, for clusters
#   SHA256SUMS
# Builds are reproducible: a commit gives the same bytes with the same compiler and Debian packages in any folder.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/.."
out=$(realpath -m "${1:-packaging/out}")

die() {
  echo "package.sh: $*" >&2
  exit 1
}
for tool in zstd gzip git; do
  command -v "$tool" >/dev/null || die "$tool is missing; install it with apt install $tool, then run this again"
done
[[ -z $(git status --porcelain --untracked-files=no) ]] ||
  echo "package.sh: some changes are not committed: what is built is no commit's" >&2
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
umask 022
version=$(sed -n 's/^project(PairsStudio VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# Runs the command quietly and shows its output if it fails.
quietly() {
  local log=$1
  "${@:2}" >"$log" 2>&1 || { cat "$log" >&2 && die "${*:2:2} failed; its messages stand above"; }
}

# folder BUILD NAME: packs the installed folder as NAME.tar.zst.
folder() {
  local made=$1/packaging/folder
  rm -rf "$made"
  quietly "$1/packaging/install.log" cmake --install "$1" --strip --prefix "$PWD/$made/$2"
  tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu \
    --directory "$made" "$2" | zstd -q -19 -T2 -f -o "$1/packaging/$2.tar.zst"
  rm -rf "$made"
  mv "$1/packaging/$2.tar.zst" "$out"
}

mkdir -p "$out"
rm -f "$out"/pairs-studio[-_]*.{deb,tar.zst} "$out"/SHA256SUMS
name=pairs-studio-$version-linux-x86_64
for preset in package package-headless; do
  PAIRS_PRESET=$preset cmake/build.sh pairs pairs_keeper
  mkdir -p "build/$preset/packaging"
done
folder build/package "$name"
folder build/package-headless "$name-headless"
rm -rf build/package/packaging/*.deb build/package/packaging/_CPack_Packages
quietly build/package/packaging/cpack.log cpack --config build/package/CPackConfig.cmake
rm -rf build/package/packaging/_CPack_Packages
mv build/package/packaging/*.deb "$out"
(cd "$out" && sha256sum -- pairs-studio[-_]*.{deb,tar.zst} >.SHA256SUMS && mv .SHA256SUMS SHA256SUMS && cat SHA256SUMS)
