#!/usr/bin/env bash
# window.sh asan|tsan LIBTORCH_ROOT: builds the window's tests with a sanitizer, in build/asan or build/tsan, and runs them.
# asan: all but long sweeps, with 20,000 presses of the random walk. tsan: those in which the frame loop and training meet.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.."
preset=$1
cmake --preset "$preset" -DLIBTORCH_ROOT="$2" >/dev/null
cmake --build "build/$preset" --parallel "$(nproc)" --target gui_tests
export OMP_NUM_THREADS=1  # idle threads of several teams would spin beside each other
export LSAN_OPTIONS=suppressions=$PWD/third_party/lsan.supp:print_suppressions=0
export TSAN_OPTIONS=suppressions=$PWD/third_party/tsan.supp:halt_on_error=1:second_deadlock_stack=1
# Pictures of every size and long computations: they press nothing that the walk and the other tests do not.
sweeps='*SizesTest*:*StillnessTest*:*RunsLook*:Pictures*:FirstStart*:*TabReaches*:*TheButtonsOfTheSet*:*TheCheckSays*'
sweeps+=':*TheAverageError*'
case $preset in
  asan)
    PAIRS_WALK=20000 "build/$preset/tests/gui_tests" --gtest_brief=1 \
      --gtest_filter="-$sweeps"
    ;;
  tsan)
    "build/$preset/tests/gui_tests" --gtest_brief=1 \
      --gtest_filter='WindowTest.Trains*:WindowTest.Pauses*:WindowTest.LetsOne*:WindowTest.Opens*'
    ;;
esac
