#!/usr/bin/env bash
# require_cuda.sh PROGRAM: runs the test that needs a GPU in a test program. Without a GPU the test is skipped with a line
# that states why, and fails where PAIRS_REQUIRE_CUDA is set; with a GPU it passes in both cases.
set -uo pipefail
test=Devices.UsesTheGpu_CUDA

status=0
free=$(env -u PAIRS_REQUIRE_CUDA "$1" --gtest_filter=$test 2>&1) || status=$?
required_status=0
required=$(PAIRS_REQUIRE_CUDA=1 "$1" --gtest_filter=$test 2>&1) || required_status=$?
zero_status=0
PAIRS_REQUIRE_CUDA=0 "$1" --gtest_filter=$test >/dev/null 2>&1 || zero_status=$?

fail() {
  echo "FAILED: $1"
  printf '%s\n' "$free" "$required"
  exit 1
}
((status == 0)) || fail "the test must pass or be skipped, not end with $status"
((zero_status == 0)) || fail "PAIRS_REQUIRE_CUDA=0 requires nothing"
if [[ $free == *"[  SKIPPED ]"* ]]; then
  [[ $free == *"no GPU: "* ]] || fail "a skipped test says why"
  ((required_status != 0)) || fail "PAIRS_REQUIRE_CUDA=1 must make a skipped test fail"
  [[ $required == *"PAIRS_REQUIRE_CUDA is set, but "* ]] || fail "the failure says why"
else
  ((required_status == 0)) || fail "with a GPU the test passes"
fi
