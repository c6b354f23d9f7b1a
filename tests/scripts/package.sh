#!/usr/bin/env bash
# package.sh BUILD SOURCE: tests the packages that packaging/package.sh makes of a build, without LibTorch and other
# libraries (which take minutes to compress). CPack's Debian package must have the same bytes when made twice. The test
# checks its fields, files and owners, its manual page, completion, changelog and desktop entry, and the same texts in the
# packaged folder.
BUILD=$(realpath "$1")
SOURCE=$(realpath "$2")
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
export SOURCE_DATE_EPOCH=1700000000 TZ=UTC
version=$(sed -n 's/^project(PairsStudio VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")
deb=pairs-studio_${version}_amd64.deb

# pack FOLDER: makes the package of the programs and of the files that Debian expects outside of their folder.
pack() {
  (umask 022 && cpack --config "$BUILD/CPackConfig.cmake" -B "$SCRATCH/$1" -D CPACK_OUTPUT_FILE_PREFIX="$SCRATCH/$1" \
    -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -D CPACK_STRIP_FILES=OFF \
    -D "CPACK_INSTALL_CMAKE_PROJECTS=$BUILD;PairsStudio;program;/;$BUILD;PairsStudio;debian;/") >"$SCRATCH/log" 2>&1 ||
    { say_fail "cpack failed: $(tail -5 "$SCRATCH/log")" && finish; }
}
pack one
sleep 1.1 # file times are whole seconds
pack two
cmp "$SCRATCH/one/$deb" "$SCRATCH/two/$deb" || say_fail "the same build gives other bytes"

field() { dpkg-deb --field "$SCRATCH/one/$deb" "$1"; }
[ "$(field Package) $(field Version) $(field Architecture)" = "pairs-studio $version amd64" ] ||
  say_fail "the fields are $(field Package) $(field Version) $(field Architecture)"
for word in libc6 libstdc++6 libglfw3 libegl1 fonts-inter; do
  [[ $(field Depends) == *$word* ]] || say_fail "it does not depend on $word: $(field Depends)"
done
[[ $(field Description) == posteriors* ]] || say_fail "its description is $(field Description)"

dpkg-deb --contents "$SCRATCH/one/$deb" >"$SCRATCH/contents"
! grep -qv ' root/root ' "$SCRATCH/contents" || say_fail "not all is root's: $(grep -v ' root/root ' "$SCRATCH/contents" | head -3)"
! grep -qv ' 2023-11-14 ' "$SCRATCH/contents" || say_fail "not all has the time of the commit: $(grep -v ' 2023-11-14 ' "$SCRATCH/contents" | head -3)"
dpkg-deb --extract "$SCRATCH/one/$deb" "$SCRATCH/root"
for file in usr/lib/pairs-studio/bin/pairs usr/lib/pairs-studio/libexec/pairs-studio/pairs-keeper \
  usr/lib/pairs-studio/lib/libpairs_transfer.so usr/share/applications/pairs-studio.desktop \
  usr/share/icons/hicolor/scalable/apps/pairs-studio.svg usr/share/mime/packages/pairs-studio.xml \
  usr/share/doc/pairs-studio/{README.md,copyright,docs/explanation/method.md,changelog.gz} usr/share/lintian/overrides/pairs-studio; do
  [ -s "$SCRATCH/root/$file" ] || say_fail "$file is missing"
done
[ "$(readlink -f "$SCRATCH/root/usr/bin/pairs")" = "$SCRATCH/root/usr/lib/pairs-studio/bin/pairs" ] ||
  say_fail "/usr/bin/pairs leads to $(readlink "$SCRATCH/root/usr/bin/pairs")"
[ "$(readlink "$SCRATCH/root/usr/share/doc/pairs-studio/examples")" = ../../../lib/pairs-studio/share/pairs-studio/examples ] ||
  say_fail "the examples are not linked to"
zcat "$SCRATCH/root/usr/share/doc/pairs-studio/changelog.gz" >"$SCRATCH/changelog"
head -1 "$SCRATCH/changelog" | grep -qx "pairs-studio ($version) unstable; urgency=medium" &&
  tail -1 "$SCRATCH/changelog" | grep -q '^ -- .* <.*>  Tue, 14 Nov 2023 22:13:20 +0000$' ||
  say_fail "the changelog is not Debian's: $(cat "$SCRATCH/changelog")"
[[ $(zcat "$SCRATCH/root/usr/share/man/man1/pairs.1.gz" | head -1) == *2023-11-14* ]] || say_fail "the manual page has another day"
bash -c '. "$1" && complete -p pairs' - "$SCRATCH/root/usr/share/bash-completion/completions/pairs" >/dev/null ||
  say_fail "bash completes nothing"
exec_line=$(sed -n 's/^Exec=//p' "$SCRATCH/root/usr/share/applications/pairs-studio.desktop")
[ -x "$SCRATCH/root/usr/bin/${exec_line%% *}" ] || say_fail "the desktop entry starts '$exec_line', which is not there"

# Every link between pages has its target.
pages() { "$SOURCE/tests/scripts/pages.sh" "$1" >"$SCRATCH/log" || say_fail "$1: $(cat "$SCRATCH/log")"; }
mkdir -p "$SCRATCH/root/usr/lib/pairs-studio/share/pairs-studio" # belongs to a component that is not packed here
ln -s "$SOURCE/assets/examples" "$SOURCE/assets/benchmark" "$SCRATCH/root/usr/lib/pairs-studio/share/pairs-studio"
pages "$SCRATCH/root/usr/share/doc/pairs-studio"

# The folder for other systems has the same manual page, completion and pages.
cmake --install "$BUILD" --prefix "$SCRATCH/folder" --component folder >"$SCRATCH/log" 2>&1 ||
  say_fail "the folder is not installed: $(tail -3 "$SCRATCH/log")"
for file in man/man1/pairs.1.gz bash-completion/completions/pairs applications/pairs-studio.desktop; do
  cmp -s "$SCRATCH/folder/share/$file" "$SCRATCH/root/usr/share/$file" || say_fail "the folder has another $file"
done
cmake --install "$BUILD" --prefix "$SCRATCH/folder" --component Unspecified >"$SCRATCH/log" 2>&1 ||
  say_fail "the program is not installed: $(tail -3 "$SCRATCH/log")"
pages "$SCRATCH/folder/share/doc/pairs-studio"
finish
