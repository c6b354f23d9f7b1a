#!/usr/bin/env bash
# add_gpu.sh PAIRS SOURCE: `devices --add-gpu` against a package index on this machine (wheel_index.py), with stand-ins for
# the NVIDIA driver, for libpairs_cuda.so and for the libraries in the wheels: what it prints beforehand, that an index
# that is down, breaks off or sends other bytes leaves nothing half installed, that the next call continues, that the
# libraries are opened, and that they can be removed.
PROGRAM=$(realpath "$1")
SOURCE=$(realpath "$2")
SCRATCH=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null
  rm -rf "$SCRATCH"
}
trap cleanup EXIT
PAIRS=$SCRATCH/program/pairs
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
build=$(dirname "$PROGRAM")

# library FILE [OPTION...]: compiles the C++ source on stdin to a shared library.
library() {
  mkdir -p "$(dirname "$1")"
  c++ -shared -fPIC -O1 -x c++ - -x none -o "$@" -Wl,-soname,"$(basename "$1")" || say_fail "$1 was not made"
}

# The stand-in of a driver for CUDA $CUDA, with one GPU of compute capability $CAPABILITY.0.
library "$SCRATCH/driver/libcuda.so.1" <<'C'
#include <cstdlib>
#include <cstring>
extern "C" {
int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int* version) { return *version = std::atoi(std::getenv("CUDA")), 0; }
int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* device, int) { return *device = 0, 0; }
int cuDeviceGetName(char* name, int, int) { return std::strcpy(name, "NVIDIA Stand-in"), 0; }
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = 1ull << 33, 0; }
int cuDeviceGetAttribute(int* value, int what, int) { return *value = what == 75 ? std::atoi(std::getenv("CAPABILITY")) : 0, 0; }
}
C
# A program next to a module that needs a library which only the wheels contain.
wheels=$SCRATCH/wheels
mkdir -p "$SCRATCH/program" "$SCRATCH/assets" "$SCRATCH/index"/{simple,torch,nvidia-standin}
ln "$PROGRAM" "$PAIRS" 2>/dev/null || cp "$PROGRAM" "$PAIRS"
ln -s "$build/libpairs_transfer.so" "$SCRATCH/program"
echo 'extern "C" int pairs_standin() { return 9; }' |
  library "$wheels/nvidia/nvidia/cu13/lib/libpairs_standin.so.13"
for name in torch_cuda torch_cuda_linalg caffe2_nvrtc c10_cuda; do
  echo 'extern "C" int pairs_standin(); int used = pairs_standin();' |
    library "$wheels/torch/torch/lib/lib$name.so" -L"$wheels/nvidia/nvidia/cu13/lib" -l:libpairs_standin.so.13 \
      -Wl,-rpath,'$ORIGIN/../../nvidia/cu13/lib'
done
echo 'int cpu;' | library "$wheels/torch/torch/lib/libtorch_cpu.so"
echo 'extern "C" int pairs_standin(); extern "C" void pairs_cuda_build(int* a, int* b, int* c) { *a = 13000, *b = 80, *c = 10 * pairs_standin(); }' |
  library "$SCRATCH/program/libpairs_cuda.so" -L"$wheels/nvidia/nvidia/cu13/lib" -l:libpairs_standin.so.13
head -c 300000 /dev/urandom >"$wheels/nvidia/nvidia/cu13/lib/libpairs_large.so"
echo x >"$wheels/nvidia/notes.txt"
python3 - "$wheels" "$SCRATCH/index" <<'P'
import os, sys, zipfile
wheels, index = sys.argv[1:]
for folder, name in (("torch", "torch/torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl"),
                     ("nvidia", "nvidia-standin/nvidia_standin-13.0.1-py3-none-manylinux_2_27_x86_64.whl")):
    with zipfile.ZipFile(os.path.join(index, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for at, _, files in os.walk(os.path.join(wheels, folder)):
            for file in files:
                wheel.write(os.path.join(at, file), os.path.relpath(os.path.join(at, file), os.path.join(wheels, folder)))
P
# A copy of the program's assets, with a list of these wheels.
ln -s "$SOURCE"/assets/* "$SCRATCH/assets"
hash_of() { sha256sum "$@" | cut -d' ' -f1; }
torch=$(hash_of "$SCRATCH"/index/torch/*) nvidia=$(hash_of "$SCRATCH"/index/nvidia-standin/*)
fetched=$(cat "$SCRATCH"/index/*/*.whl | wc -c)
printf '# bytes: %s to fetch, 400000 of libraries\ntorch==2.11.0 \\\n  --hash=sha256:%064d --hash=sha256:%s\nnvidia-standin==13.0.1 --hash=sha256:%s\n' \
  "$fetched" 0 "$torch" "$nvidia" >"$SCRATCH/assets/torch-gpu.txt"

echo good >"$SCRATCH/index/mode"
python3 "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/wheel_index.py" "$SCRATCH/index" &
server=$!
wait_for "$SCRATCH/index/port"
index=http://user:secret@127.0.0.1:$(cat "$SCRATCH/index/port")/simple
export PAIRS_ASSETS=$SCRATCH/assets PAIRS_CACHE=$SCRATCH/cache HOME=$SCRATCH/home XDG_CONFIG_HOME=$SCRATCH/config
export PIP_CONFIG_FILE=$SCRATCH/none no_proxy='*' CUDA=13000 CAPABILITY=9
unset PIP_INDEX_URL CUDA_VISIBLE_DEVICES
with_driver() { LD_LIBRARY_PATH=$SCRATCH/driver "$@"; }
mode() { echo "$1" >"$SCRATCH/index/mode"; }
installed() { find "$PAIRS_CACHE" -maxdepth 1 -name 'gpu-libraries-*' ! -name '*.part' 2>/dev/null | grep -q .; }
devices_say() { # devices_say WORDS: `devices` must print this with the driver
  with_driver "$PAIRS" --batch devices >"$SCRATCH/log" 2>&1
  grep -q "$1" "$SCRATCH/log" || say_fail "devices does not say \"$1\": $(cat "$SCRATCH/log")"
}
add=(--batch devices --add-gpu --index "$index")

refuses 1 "not fetched: no NVIDIA driver was found" "${add[@]}"
CUDA=12080 with_driver refuses 1 "the NVIDIA driver supports CUDA 12.8; install one that supports 13.0" "${add[@]}"
CAPABILITY=7 with_driver refuses 1 "the GPU has compute capability 7.0 and this program needs 8.0" "${add[@]}"
mv "$SCRATCH/program/libpairs_cuda.so" "$SCRATCH"
with_driver refuses 1 "libpairs_cuda.so is neither next to the program" "${add[@]}"
mv "$SCRATCH/libpairs_cuda.so" "$SCRATCH/program"
with_driver refuses 2 "no Python package index is named" --batch devices --add-gpu
with_driver refuses 2 "ftp://x is not the address of a package index" --batch devices --add-gpu --index ftp://x
devices_say "fetch them with pairs --batch devices --add-gpu"
[ ! -e "$PAIRS_CACHE" ] || say_fail "something was written before anything was fetched"

with_driver refuses 1 "127.0.0.1:1/simple cannot be asked for torch" --batch devices --add-gpu --index http://127.0.0.1:1/simple
mode down
with_driver refuses 1 "cannot be asked for torch (the server answers with status 503)" "${add[@]}"
grep -q "KiB to fetch, 390.6 KiB on disk in .*; they need an NVIDIA driver for CUDA 13.0" "$SCRATCH/err" ||
  say_fail "it does not say what it takes: $(cat "$SCRATCH/err")"
! grep -q secret "$SCRATCH/err" || say_fail "the password of the index is shown"
PIP_CERT=$SCRATCH/none with_driver refuses 1 "install ca-certificates" --batch devices --add-gpu \
  --index "https://127.0.0.1:$(cat "$SCRATCH/index/port")/simple"
mode empty
with_driver refuses 1 "has no wheel of torch 2.11.0 with the pinned hash" "${add[@]}"
mode wrong
with_driver refuses 1 "sent other bytes for torch 2.11.0 than those with the pinned SHA-256" "${add[@]}"
[ -z "$(find "$PAIRS_CACHE" -name '*.whl')" ] || say_fail "wrong bytes are kept"
mode cut
with_driver refuses 1 "torch 2.11.0 could not be fetched.*what has come is kept" "${add[@]}"
part=$(find "$PAIRS_CACHE" -name '*.whl')
[ -s "$part" ] || say_fail "what came before the connection broke is lost"
! installed || say_fail "a part stands where all should"
size=$(wc -c <"$part")
devices_say "fetch them with"
: >"$SCRATCH/index/log"
mode good
with_driver "$PAIRS" "${add[@]}" --json >"$SCRATCH/out" 2>"$SCRATCH/err" || say_fail "it fails: $(cat "$SCRATCH/err")"
grep -q "torch-2.11.0.*whl bytes=$size-" "$SCRATCH/index/log" || say_fail "it began anew: $(cat "$SCRATCH/index/log")"
grep -q "are here already" "$SCRATCH/err" || say_fail "it does not say what is there: $(cat "$SCRATCH/err")"
installed || say_fail "nothing is installed"
[ -z "$(find "$PAIRS_CACHE" -name '*.part' -o -name '*.whl')" ] || say_fail "something is left beside the libraries"
there=$(cd "$PAIRS_CACHE"/gpu-libraries-* && find . -type f | sort | tr '\n' ' ')
expected="./nvidia/cu13/lib/libpairs_large.so ./nvidia/cu13/lib/libpairs_standin.so.13 ./torch/lib/libc10_cuda.so ./torch/lib/libcaffe2_nvrtc.so ./torch/lib/libtorch_cuda.so ./torch/lib/libtorch_cuda_linalg.so "
[ "$there" = "$expected" ] || say_fail "other files are there: $there"
cmp -s "$wheels/nvidia/nvidia/cu13/lib/libpairs_large.so" "$PAIRS_CACHE"/gpu-libraries-*/nvidia/cu13/lib/libpairs_large.so ||
  say_fail "a library has other bytes"
# The module opens now; the stand-ins give LibTorch no GPU.
devices_say "LibTorch does not see the GPU"
with_driver refuses 1 "the CUDA libraries are installed: nothing is missing" "${add[@]}"

# A library has become empty.
: >"$(echo "$PAIRS_CACHE"/gpu-libraries-*/nvidia/cu13/lib/libpairs_standin.so.13)"
devices_say "were fetched into .* are damaged (.*file too short); remove them with pairs --batch devices --remove-gpu"
with_driver refuses 1 "are damaged" "${add[@]}"

"$PAIRS" --batch devices --remove-gpu >"$SCRATCH/out" 2>&1 || say_fail "they are not removed: $(cat "$SCRATCH/out")"
[ -z "$(ls "$PAIRS_CACHE")" ] || say_fail "something is left: $(ls "$PAIRS_CACHE")"
"$PAIRS" --batch devices --remove-gpu >"$SCRATCH/out"
grep -q "nothing is removed" "$SCRATCH/out" || say_fail "there was nothing to remove: $(cat "$SCRATCH/out")"

# The server sends whole wheels only, after an attempt that left bytes other than the wheel's.
mode cut
with_driver "$PAIRS" "${add[@]}" >/dev/null 2>&1
part=$(find "$PAIRS_CACHE" -name '*.whl')
mode whole
with_driver "$PAIRS" "${add[@]}" >/dev/null 2>"$SCRATCH/err" || say_fail "a server without parts: $(cat "$SCRATCH/err")"
installed || say_fail "nothing is installed from a server without parts"
"$PAIRS" --batch devices --remove-gpu >/dev/null
mkdir -p "$(dirname "$part")"
head -c "$(wc -c <"$(echo "$SCRATCH"/index/torch/*)")" /dev/zero >"$part"
mode good
with_driver "$PAIRS" "${add[@]}" >/dev/null 2>"$SCRATCH/err" || say_fail "over a wrong file: $(cat "$SCRATCH/err")"
finish
