#!/usr/bin/env bash
# readers.sh LIBTORCH_ROOT: the readers of meshes and molecules with AddressSanitizer, in build/asan: broken files, bounds
# and hostile bytes.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.."
cmake --preset asan -DLIBTORCH_ROOT="$1" >/dev/null
cmake --build build/asan --parallel "$(nproc)" --target objects_tests molecules_tests
export OMP_NUM_THREADS=1  # idle threads of several teams would spin beside each other
export LSAN_OPTIONS=suppressions=$PWD/third_party/lsan.supp:print_suppressions=0
build/asan/tests/objects_tests --gtest_brief=1 --gtest_filter='MeshFile.*:MeshMeasure.*-*RealMeshes*'
build/asan/tests/molecules_tests --gtest_brief=1 \
  --gtest_filter='GeomFile.*:MoleculeFile.*:GivenMolecule.*-*MemoryIsFlat*:*EveryRealFile*:*BundledMolecules*'
