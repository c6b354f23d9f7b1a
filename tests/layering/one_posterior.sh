#!/usr/bin/env bash
# one_posterior.sh BUILD: fails when a room of app other than app/posterior makes a posterior of an aggregate, or an
# aggregate, by itself. Asks the built archives which functions they call.
set -euo pipefail
cd "$1"
calls='pairs::(Estimator::(sample|log_prob|log_prob_grid|context|embed|typicality)|aggregate_sets|block_sums|block_prefixes|estimator_source|reference_source|product_source|place_of|ask|EmbeddedSet::[A-Za-z]+|FollowedSet::[A-Za-z]+)(\(|\[)'
made_in() { nm -uC "$1" | grep -E " U $calls" | sed 's/.* U //' | sort -u; }

# That the names are still those of the functions.
for call in Estimator::sample Estimator::embed Estimator::typicality; do
  made_in libpairs_posterior.a | grep -q "$call" || {
    echo "app/posterior does not call $call: mend the names in $0"
    exit 1
  }
done
wrong=0
for room in text runs kinds scores batch model gui; do
  [ -e "libpairs_$room.a" ] || continue # built without a window
  if found=$(made_in "libpairs_$room.a") && [ -n "$found" ]; then
    echo "app/$room answers by itself, where app/posterior does it:"
    echo "$found"
    wrong=1
  fi
done
exit $wrong
