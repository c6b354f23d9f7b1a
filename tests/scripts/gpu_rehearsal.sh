#!/usr/bin/env bash
# gpu_rehearsal.sh BUILD: rehearses tests/gpu/hour.sh on the CPU. Every part runs; a failed part is reported and
# repeated, and parts that succeeded are not.
set -euo pipefail
hour=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../gpu/hour.sh")
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT
export OUT PAIRS_BUILD=$1 PAIRS_REHEARSE=1 PEER="echo {}"
fail() {
  echo "FAILED: $1"
  cat "$OUT"/*.log
  exit 1
}

! PEER=false "$hour" peer || fail "a part that failed is told"
grep -q '"ok": false' "$OUT/peer.json" || fail "a part that failed is kept as such"
parts="tests selftest repeat resume ranks bench peer gaussian novel-view"
"$hour" $parts || fail "every part must succeed"
python3 - "$OUT/hour.json" <<'END' || fail "hour.json does not tell what was found"
import json, sys
hour = json.load(open(sys.argv[1]))
found = {part["part"]: part for part in hour["parts"]}
assert hour["rehearsal"] and all(part["ok"] for part in found.values()), found
assert set(found) == {"tests", "selftest", "repeat", "resume", "ranks", "bench", "peer", "gaussian", "novel-view"}
assert sum(report["tests"] for report in found["tests"]["found"].values()) >= 25
assert found["resume"]["found"] == {"same_weights": True, "kills": 2}
assert found["ranks"]["found"] == {"same_weights": True, "route": ""}
assert all(row["real_time"] > 0 for row in found["bench"]["found"]["benchmarks"])
assert all(found["novel-view"]["found"][device]["scores"]["rows"] for device in ("gpu", "cpu"))
END
again=$("$hour" $parts)
[ "$(grep -c 'done before' <<<"$again")" -eq "$(grep -c . <<<"$again")" ] || fail "parts that succeeded are done again"
