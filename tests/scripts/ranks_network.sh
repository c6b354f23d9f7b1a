#!/usr/bin/env bash
# Imitates ranks on separate machines: each is in a network namespace, over a link with delay and loss where the system
# supports them. The products must be those of one process; a cut link ends both ranks within 30 s with a sentence. Needs
# root, or user namespaces; exits with 77 and the reason where neither is allowed.
# ranks_network.sh PAIRS
if [ "${RANKS_NETWORK_INSIDE:-}" != 1 ]; then
  why=$(unshare --user --map-root-user --net --mount true 2>&1) ||
    why=$(unshare --net --mount true 2>&1) || { echo "skipped: namespaces are not allowed here: $why"; exit 77; }
  if [ "$(id -u)" -eq 0 ]; then
    RANKS_NETWORK_INSIDE=1 exec unshare --net --mount "$0" "$@"
  fi
  RANKS_NETWORK_INSIDE=1 exec unshare --user --map-root-user --net --mount "$0" "$@"
fi
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1

# The names of namespaces are in a folder that only this mount namespace has.
mkdir -p /run/netns 2>/dev/null
mount -t tmpfs none /run/netns 2>/dev/null || { echo "skipped: no folder for network namespaces can be made"; exit 77; }
set -e
for side in 0 1; do
  ip netns add rank$side || { echo "skipped: ip netns add is refused here"; exit 77; }
done
ip link add link0 netns rank0 type veth peer name link1 netns rank1 ||
  { echo "skipped: no pair of links can be made here"; exit 77; }
for side in 0 1; do
  ip -n rank$side address add 10.77.0.$((side + 1))/24 dev link$side
  ip -n rank$side link set link$side up
  ip -n rank$side link set lo up
  ip netns exec rank$side tc qdisc add dev link$side root netem delay 2ms loss 0.5% 2>/dev/null || plain=1
done
set +e
[ -z "${plain:-}" ] || echo "without delay and loss, which this system cannot make (tc netem)"

# ranks RUN ARGUMENTS...: starts both ranks, each on its machine; their processes are rank[0] and rank[1].
ranks() {
  local run=$1 side
  shift
  for side in 0 1; do
    ip netns exec rank$side env RANK=$side WORLD_SIZE=2 MASTER_ADDR=10.77.0.1 MASTER_PORT=29500 "$PAIRS" --batch run \
      "$@" --ranks launched >"$run.out$side" 2>"$run.err$side" &
    rank[side]=$!
  done
}
rank=()
tiny_run bump-hunt --ranks 1 --out alone >/dev/null 2>log || say_fail "one rank: $(tail -1 log)"
cp -r alone shared
rm -f shared/*.safetensors shared/*.cache shared/events.jsonl
ranks shared --resume shared
for side in 0 1; do
  wait "${rank[side]}" || say_fail "rank $side: $(tail -1 shared.err$side)"
done
same alone shared

# The link is cut.
tiny_run bump-hunt --set slots=8 --set pretrain.epochs=4000 --out cut --until pretrain >/dev/null 2>&1 &
first=$!
wait_for cut/resume.safetensors
pkill -INT -P $first
wait $first
touch mark
sleep 0.1
ranks cut --resume cut --until pretrain
for _ in $(seq 300); do
  [ cut/resume.safetensors -nt mark ] && break
  sleep 0.1
done
[ cut/resume.safetensors -nt mark ] || say_fail "two machines did not go on: $(tail -1 cut.err0) $(tail -1 cut.err1)"
begin=$(date +%s)
ip -n rank1 link set link1 down
for side in 0 1; do
  wait "${rank[side]}"
  status=$?
  [ $status -eq 1 ] || say_fail "rank $side of a cut link exited $status: $(tail -1 cut.err$side)"
done
[ $(($(date +%s) - begin)) -le 30 ] || say_fail "a cut link was noticed after $(($(date +%s) - begin)) s"
grep -q 'ank 1 (.*cut off' cut.err0 || say_fail "rank 0 says: $(tail -1 cut.err0)"
grep -q 'rank 0 (.*cut off' cut.err1 || say_fail "rank 1 says: $(tail -1 cut.err1)"
finish
