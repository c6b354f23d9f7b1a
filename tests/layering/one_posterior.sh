#!/usr/bin/env bash
# one_posterior.sh BUILD: fails when a room of app other than app/posterior makes a posterior of an aggregate, or an
# aggregate, by itself. Looks up the calls of functions in the built archives, and the calls of an estimator's virtual
# functions, which archives do not name, in the sources.
set -euo pipefail
source=$(dirname "$(dirname "$(dirname "$(realpath "$0")")")")
cd "$1"
calls='pairs::(Estimator::(log_prob|context)|aggregate_sets|block_states|block_prefixes|estimator_source|reference_source|product_source|place_of|ask|EmbeddedSet::[A-Za-z]+|FollowedSet::[A-Za-z]+)(\(|\[)'
answers='(^|[^a-z])estimators?[A-Za-z_()]*(->|\.)(sample|log_prob|log_prob_grid|embed|typicality)\('
made_in() { nm -uC "$1" | grep -E " U $calls" | sed 's/.* U //' | sort -u; }
asked_in() { grep -rnE --include='*.cpp' --include='*.h' "$answers" "$source/app/$1" | sed "s|^$source/||"; }

# Checks that the functions still have these names.
made_in libpairs_posterior.a | grep -q 'EmbeddedSet::' || {
  echo "app/posterior does not call EmbeddedSet: mend the names in $0"
  exit 1
}
for call in sample embed typicality log_prob_grid; do
  asked_in posterior | grep -q "$call(" || {
    echo "app/posterior does not call Estimator::$call: mend the names in $0"
    exit 1
  }
done
wrong=0
for room in text runs kinds scores batch model gui session report; do
  found=$(asked_in "$room" || true)
  [ ! -e "libpairs_$room.a" ] || found+=$(made_in "libpairs_$room.a" || true) # built without a window
  if [ -n "$found" ]; then
    echo "app/$room answers by itself, where app/posterior does it:"
    echo "$found"
    wrong=1
  fi
done
exit $wrong
