#!/usr/bin/env bash
# Installs missing dependencies, builds everything and runs every test. Arguments are passed on to ctest (-R NAME runs
# some).
# The last line is `N passed, N failed`; the exit code is 0 only when every test passed.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")"
cmake/build.sh all

# The cores that ctest distributes among tests (tests/CMakeLists.txt).
cores=
while IFS=- read -r first last; do
  for ((core = first; core <= ${last:-first}; ++core)); do cores+="${cores:+, }{\"id\": \"$core\", \"slots\": 1}"; done
done < <(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr ',' '\n')
echo "{\"version\": {\"major\": 1, \"minor\": 0}, \"local\": [{\"cores\": [$cores]}]}" >build/release/cores.json

report=build/release/tests.xml
log=build/release/tests.log
status=0
rm -f "$report"
ctest --test-dir build/release --output-on-failure --no-tests=error --parallel "$(nproc)" \
  --resource-spec-file "$PWD/build/release/cores.json" --output-junit tests.xml "$@" 2>&1 | tee "$log" || status=$?

# Repeats the failures within test programs after their long outputs, then ctest's summary.
if ((status)); then
  awk '/^\[ RUN +\]/ { kept = 0 }
       kept < 40 { lines[kept++] = $0 }
       /^\[  FAILED  \].*ms\)$/ { for (i = 0; i < kept; ++i) print lines[i] }' "$log"
  sed -n '/% tests passed, /,$p' "$log"
fi

# Reads the counts from ctest's report.
count() {
  sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$report" | head -n 1
}
if [[ ! -f $report ]]; then
  echo "0 passed, 1 failed"
  exit 1
fi
total=$(count tests) failed=$(count failures)
echo "$((total - failed - $(count skipped) - $(count disabled))) passed, $failed failed"
exit "$status"
