#!/usr/bin/env bash
# on_one_core.sh COMMAND...: runs it on the core that ctest has given to the test (test.sh), or anywhere where it gave none.
set -euo pipefail
core=${CTEST_RESOURCE_GROUP_0_CORES:-}
[[ -n $core ]] || exec "$@"
core=${core#id:}
exec taskset --cpu-list "${core%%,*}" "$@"
