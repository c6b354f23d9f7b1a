#!/usr/bin/env bash
# on_one_core.sh COMMAND...: runs the command on the core that ctest assigned to the test (test.sh), or on any if it assigned
# none.
set -euo pipefail
core=${CTEST_RESOURCE_GROUP_0_CORES:-}
[[ -n $core ]] || exec "$@"
core=${core#id:}
exec taskset --cpu-list "${core%%,*}" "$@"
