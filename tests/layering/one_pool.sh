#!/usr/bin/env bash
# one_pool.sh BUILD: fails when anything but core/pool reduces the embeddings of sets: calls the sum of segments, or,
# other than networks for the rows and atoms of one observation, their mean. Asks the built archives what they call.
set -euo pipefail
cd "$1"
calls_in() { { nm -uC "$1" | grep -oE ' U pairs::ops::segment_(mean|sum64)\(' || true; } | sed -E 's/.*::(.*)\(/\1/' | sort -u | tr '\n' ' '; }
[[ $(calls_in libpairs_pool.a) == "segment_mean segment_sum64 " ]] || {
  echo "core/pool does not call the reductions of segments: mend the names in $0"
  exit 1
}
wrong=0
for archive in libpairs_*.a; do
  case $archive in
    libpairs_pool.a | libpairs_ops_archive.a) continue ;;
    libpairs_nn.a | libpairs_batch.a) allowed="segment_mean " ;; # selftest checks the operator
    *) allowed="" ;;
  esac
  found=$(calls_in "$archive")
  if [[ $found != "$allowed" && -n $found ]]; then
    echo "$archive calls $found: leave it to Pool (core/pool/pool.h)"
    wrong=1
  fi
done
exit $wrong
