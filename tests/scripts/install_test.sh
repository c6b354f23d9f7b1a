#!/usr/bin/env bash
# install_test.sh ROOT: third_party/install.sh on a machine made of stand-ins for dpkg-query, apt-get, pip, df and the
# driver. Nothing is downloaded or installed. The test checks its requests, its messages and the files it leaves.
# shellcheck disable=SC2016  # the stand-ins expand their own variables
set -uo pipefail
install=$1/third_party/install.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
count=0

# new_machine: every package is installed, pip works, and there is neither a driver nor a torch.
new_machine() {
  rm -rf "${work:?}"/*
  mkdir -p "$work/bin" "$work/cache"
  stand_in dpkg-query 'shift 2; for p; do [[ " $ABSENT " == *" $p "* ]] || echo "installed $p"; done'
  stand_in apt-get 'echo "apt-get $*" >>"$WORK/calls"; [[ $* != *" $APT_FAILS"* ]]'
  stand_in sudo 'echo "sudo $*" >>"$WORK/calls"; exit 1'
  stand_in id 'echo "${USER_ID:-0}"'
  stand_in df 'printf "Filesystem 1G-blocks Used Available Capacity Mounted\nx 9G 1G %sG 1%% /\n" "${FREE:-50}"'
  stand_in python3 '
    if [[ $1 == -m ]]; then
      [[ $3 == --version ]] && exit
      echo "pip $*" >>"$WORK/calls"
      list=${*: -1}
      while (($#)); do [[ $1 == --target ]] && target=$2; shift; done
      if [[ $list == *nvcc.txt ]]; then
        mkdir -p "$target/nvidia/cu13/bin" "$target/nvidia/cu13/lib" && cp "$(command -v nvcc)" "$target/nvidia/cu13/bin"
      elif [[ $list == *arrow.txt ]]; then
        mkdir -p "$target/pyarrow/include/arrow" && : >"$target/pyarrow/include/arrow/api.h"
      else
        mkdir -p "$target/torch/lib" && : >"$target/torch/lib/libtorch_cpu.so"
      fi
      exit "${PIP_STATUS:-0}"
    elif [[ $* == *libcuda* ]]; then exit "${NO_DRIVER:-1}"
    elif [[ $* == *sys.version_info* ]]; then echo 3.11
    else echo "${IMPORTABLE-}"
    fi'
  stand_in nvcc 'echo "Cuda compilation tools, release ${NVCC:-13.0}, V0"'
  : >"$work/calls"
}
stand_in() {
  printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
# run NAME=VALUE...: runs the installer on this machine; sets status and writes the files out, err and calls.
run() {
  env -u LIBTORCH_ROOT -u ARROW_ROOT -u CUDACXX -u PAIRS_GPU -u PAIRS_ARROW CUDA_HOME="$work/cuda" WORK="$work" ABSENT= APT_FAILS=nothing "$@" XDG_CACHE_HOME="$work/cache" PATH="$work/bin:$PATH" \
    "$install" >"$work/out" 2>"$work/err" </dev/null
  status=$?
}
check() {
  count=$((count + 1))
  "${@:2}" && return
  failures=$((failures + 1))
  echo "FAILED: $1 (status $status)"
  sed 's/^/  /' "$work/out" "$work/err" "$work/calls"
}
is() { [[ $1 == "$2" ]]; }
says() { grep -q -- "$2" "$work/$1"; }
silent() { [[ ! -s $work/$1 ]]; }
absent() { [[ ! -e $1 ]]; }
one_sentence() { is "$(grep -c '^install.sh: ' "$work/err")" 1; }

cpu=torch-2.11.0-cpu
arrow=arrow-26.0.1

new_machine
run
check "a bare cache is filled" is "$status $(cat "$work/out")" "0 $work/cache/pairs-studio/$cpu"
check "only hashed wheels are taken" says calls --require-hashes
check "the temporary folder is gone" absent "$work/cache/pairs-studio/.partial-cpu"
check "Arrow comes along" says calls "--require-hashes .*arrow.txt"
check "into a folder of its own" is "$(ls "$work/cache/pairs-studio/$arrow/pyarrow/include/arrow")" api.h
: >"$work/calls"
run
check "a second run asks for nothing" is "$status $(cat "$work/calls")" "0 "
check "and says only where LibTorch is" silent err
rm "$work/cache/pairs-studio/$cpu/.pairs-studio"
run
check "a folder without its stamp is made again" says calls pip

new_machine
run PIP_STATUS=1
check "a failed download is an error" is "$status" 1
check "in one sentence" one_sentence
check "and leaves no folder" absent "$work/cache/pairs-studio/$cpu"
check "and no part of one" absent "$work/cache/pairs-studio/.partial-cpu"

new_machine
run FREE=1
check "a full disk is noticed before downloading" is "$status $(cat "$work/calls")" "1 "
check "with the sizes" says err "needs 3 GB .* 1 GB are free"

new_machine
: >"$work/cache/pairs-studio"
run
check "a cache that cannot be made is an error" is "$status" 1
check "that names the way out" says err XDG_CACHE_HOME

new_machine
run ABSENT="libzip-dev g++"
check "missing packages are installed, and only those" says calls "install -y --no-install-recommends g++ libzip-dev$"
check "and the run goes on" is "$status" 0

new_machine
run ABSENT=g++ APT_FAILS=update
check "no network is an error" is "$status" 1
check "that says so" says err "check the network"
run ABSENT=g++ APT_FAILS=install
check "a failed installation is an error" is "$status" 1

new_machine
run ABSENT=g++ USER_ID=1000
check "no root is an error" is "$status" 1
check "that names the packages" says err "these packages are missing: g++; .*root"
check "without a terminal sudo asks nothing" says calls "sudo -n true"
run USER_ID=1000
check "root is needed only for packages" is "$status" 0

new_machine
run NO_DRIVER=0
check "a driver asks for the GPU variant" is "$(cat "$work/out")" "$work/cache/pairs-studio/torch-2.11.0-gpu"
check "from its own list" says calls torch-gpu.txt
check "an nvcc of the right version is used as it stands" is "$(grep -c '^pip.*nvcc' "$work/calls")" 0

new_machine
run NO_DRIVER=0 NVCC=11.8
check "a driver without such an nvcc asks for one" is "$(cat "$work/out")" \
  "$work/cache/pairs-studio/torch-2.11.0-gpu
$work/cache/pairs-studio/nvcc-13.0.88"
check "from its own list" says calls "--require-hashes .*nvcc.txt"
check "nvcc finds its libraries" is "$(readlink "$work/cache/pairs-studio/nvcc-13.0.88/nvidia/cu13/lib64")" lib
: >"$work/calls"
run NO_DRIVER=0 NVCC=11.8
check "once" is "$status $(cat "$work/calls")" "0 "
rm -r "$work/cache/pairs-studio/nvcc-13.0.88"
run NO_DRIVER=0 NVCC=11.8 PIP_STATUS=1
check "a failed download of nvcc is an error" is "$status" 1
check "in one sentence" one_sentence
run NVCC=11.8
check "without a driver nobody needs nvcc" is "$status $(cat "$work/out")" "0 $work/cache/pairs-studio/$cpu"
run NO_DRIVER=0 PAIRS_GPU=0 NVCC=11.8
check "PAIRS_GPU=0 sets up for the CPU alone" is "$status $(cat "$work/out")" "0 $work/cache/pairs-studio/$cpu"
run PAIRS_GPU=1
check "PAIRS_GPU=1 sets up for a GPU" is "$status $(cat "$work/out")" "0 $work/cache/pairs-studio/torch-2.11.0-gpu"
run PAIRS_GPU=yes
check "anything else is an error" says err "PAIRS_GPU is 'yes'"
mkdir -p "$work/own/torch/lib" && : >"$work/own/torch/lib/libtorch_cpu.so"
run LIBTORCH_ROOT="$work/own" PAIRS_GPU=1 NVCC=11.8
check "nvcc is fetched beside a LibTorch of one's own, too" is "$(tail -n +2 "$work/out")" \
  "$work/cache/pairs-studio/nvcc-13.0.88"

new_machine
run IMPORTABLE=/opt/somewhere
check "an importable torch is used as it stands" is "$(cat "$work/out") $(grep -c torch- "$work/calls")" "/opt/somewhere 0"

new_machine
run PAIRS_ARROW=0
check "PAIRS_ARROW=0 does without Arrow" is "$status $(ls "$work/cache/pairs-studio" | grep -c arrow)" "0 0"
run PAIRS_ARROW=maybe
check "anything else is an error" says err "PAIRS_ARROW is 'maybe'"
mkdir -p "$work/own/pyarrow/include/arrow" && : >"$work/own/pyarrow/include/arrow/api.h"
run ARROW_ROOT="$work/own"
check "an Arrow of one's own is used as it stands" is "$status $(ls "$work/cache/pairs-studio" | grep -c arrow)" "0 0"
run ARROW_ROOT="$work/wrong"
check "a wrong ARROW_ROOT is an error" says err "ARROW_ROOT is .*/wrong"

new_machine
run LIBTORCH_ROOT="$work/wrong"
check "a wrong LIBTORCH_ROOT is an error" says err "LIBTORCH_ROOT is .*/wrong"

echo "$count checks, $failures failed"
((failures == 0))
