#!/usr/bin/env bash
# try.sh SUITE FILE.deb [FOLDER]: installs the package in a bare Debian (SUITE: bookworm, trixie) as a user would, without
# compilers: apt installs its dependencies, the window opens on a virtual display, and infer runs on a user's file.
# Prints the time of each step; FOLDER (packaging/out) receives a picture of the window. Needs root, debootstrap and a
# network. TRY_ROOT names a folder that keeps the bare system for the next time (by default none is kept).
set -euo pipefail
suite=$1 deb=$(realpath "$2") out=$(realpath -m "${3:-$(dirname "$0")/out}")
die() {
  echo "try.sh: $*" >&2
  exit 1
}
[[ $(id -u) == 0 ]] || die "a bare system is made by root; run this as root"
command -v debootstrap >/dev/null || die "debootstrap is missing; install it with apt install debootstrap"
work=$(mktemp -d /var/tmp/pairs-try.XXXXXX)
root=$work/root
cleanup() {
  for place in proc sys dev; do ! mountpoint -q "$root/$place" || umount -l "$root/$place"; done
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
bare=${TRY_ROOT:-$work/bare}
[[ -d $bare/usr ]] || debootstrap --variant=minbase "$suite" "$bare" >"$work/log" 2>&1 || die "$(tail -3 "$work/log")"
cp -a "$bare" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sys "$root/sys"
mount --bind /dev "$root/dev"
cp "$deb" "$root/tmp/pairs-studio.deb"
cp "$(dirname "$0")/../assets/examples/bump-hunt-python/events.csv" "$root/root/observed.csv"
cp /etc/resolv.conf "$root/etc/resolv.conf"
inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

step() { # step WHAT COMMAND...: runs the command and prints its time
  local begin
  begin=$(date +%s%N)
  "${@:2}" >"$work/log" 2>&1 || { cat "$work/log" >&2 && die "$1 failed"; }
  printf '%-52s %6.1f s\n' "$1" "$(seconds $(($(date +%s%N) - begin)))"
}
seconds() { awk -v ns="$1" 'BEGIN { printf "%.1f", ns / 1e9 }'; }
step "apt reads its lists" inside apt-get -q update
# The display is not a dependency of the program.
step "a virtual display, for the picture" inside apt-get -qy install --no-install-recommends xvfb x11-apps xauth
! inside sh -c 'command -v cc || command -v g++ || command -v cmake' >/dev/null || die "there is a compiler"
before=$(du -sb --one-file-system "$root/usr" | cut -f1)
step "apt downloads what the package depends on" inside apt-get -qy install --download-only /tmp/pairs-studio.deb
step "apt installs the package and these" inside apt-get -qy install /tmp/pairs-studio.deb
after=$(du -sb --one-file-system "$root/usr" | cut -f1)
! inside sh -c 'command -v cc || command -v g++ || command -v cmake' >/dev/null || die "a compiler came along"

window() { # waits for the window's first picture and saves it
  inside sh -c '
    Xvfb :7 -screen 0 1440x900x24 -nolisten tcp >/dev/null 2>&1 & display=$!
    PAIRS_LOG=debug DISPLAY=:7 pairs >/root/log 2>&1 & window=$!
    for i in $(seq 300); do
      ! grep -q "first frame after" /root/log || break
      kill -0 $window || exit 1
      sleep 0.1
    done
    touch /root/drawn
    sleep 5
    DISPLAY=:7 xwd -root -silent >/root/window.xwd
    kill $window; wait $window; kill $display
    grep "first frame after" /root/log'
}
begin=$(date +%s%N)
window >"$work/log" 2>&1 || { cat "$work/log" "$root/root/log" >&2; die "the window did not open"; }
printf '%-52s %6.1f s\n' "the window is drawn" \
  "$(seconds $(($(stat -c %.9Y "$root/root/drawn" | tr -d .) - begin)))"
step "the posterior of a file of 100 events" inside pairs --batch infer bump-hunt --data /root/observed.csv
cat "$work/log"
step "pairs --batch selftest" inside pairs --batch selftest
step "the manual page is found" inside test -s /usr/share/man/man1/pairs.1.gz
mkdir -p "$out"
cp "$root/root/window.xwd" "$out/window-$suite.xwd"
printf 'package %s MB; the system grew by %s MB\n' $(($(stat -c %s "$deb") / 1000000)) $(((after - before) / 1000000))
step "apt removes it" inside apt-get -qy purge pairs-studio
[[ ! -e $root/usr/lib/pairs-studio && ! -e $root/usr/bin/pairs ]] || die "something of it stays: $(ls "$root/usr/lib/pairs-studio")"
