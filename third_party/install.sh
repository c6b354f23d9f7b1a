#!/usr/bin/env bash
# Installs missing dependencies of Pairs Studio: Debian packages, then LibTorch and Arrow into
# ${XDG_CACHE_HOME:-~/.cache}/pairs-studio. Where there is an NVIDIA driver and no nvcc of the right version, nvcc follows.
# A second run changes nothing and needs no network.
#
#   third_party/install.sh          dependencies of building and running
#   third_party/install.sh --dev    also those of formatting, lint and fuzzing
#
# Prints on stdout the folder that holds torch/, for CMake's LIBTORCH_ROOT. If nvcc was fetched, a second line names the
# folder for PAIRS_NVCC_ROOT. Everything else goes to stderr.
# The environment's LIBTORCH_ROOT is used unchanged, and so are a torch 2.11 that python3 imports and an nvcc 13.
# PAIRS_GPU=1 sets up for a GPU on a machine without a driver, PAIRS_GPU=0 for the CPU alone. PAIRS_ARROW=0 leaves out
# Arrow, which a build with -DPAIRS_ARROW=OFF does not need; ARROW_ROOT names a folder that holds pyarrow/.
set -euo pipefail
shopt -s inherit_errexit
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pairs-studio
version=2.11.0 nvcc_version=13.0.88 arrow_version=26.0.1

die() {
  echo "install.sh: $*" >&2
  exit 1
}

# --- Debian packages ---

# Prints the packages of the lists that are not installed, one per line.
missing_packages() {
  local wanted
  wanted=$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$@" | sort -u)
  # shellcheck disable=SC2086  # one word per package
  comm -23 <(echo "$wanted") <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^installed //p' | sort -u)
}

install_packages() {
  local missing sudo=()
  missing=$(missing_packages "$@")
  [[ -n $missing ]] || return 0
  command -v apt-get >/dev/null ||
    die "these packages are missing and there is no apt-get to install them (Debian 12 is expected): ${missing//$'\n'/ }"
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null ||
      die "these packages are missing: ${missing//$'\n'/ }; run this as root once, or install sudo"
    # Without a terminal nobody can type a password.
    if [[ -t 0 ]]; then sudo=(sudo); else sudo=(sudo -n); fi
    "${sudo[@]}" true ||
      die "these packages are missing: ${missing//$'\n'/ }; sudo refused, so run this as root once"
  fi
  echo "Installing ${missing//$'\n'/ }" >&2
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  "${apt[@]}" -o APT::Update::Error-Mode=any update >&2 </dev/null ||
    die "apt-get could not read the package lists; check the network and /etc/apt, then run this again"
  # shellcheck disable=SC2086
  "${apt[@]}" install -y --no-install-recommends $missing >&2 </dev/null ||
    die "apt-get could not install the packages above; its message says why (network, certificates, disk), then run this again"
}

# --- LibTorch ---

# A driver is present when its library loads; only then is the GPU variant of LibTorch, 4.6 GB, installed.
have_driver() {
  case ${PAIRS_GPU-} in
    0) return 1 ;;
    1) return 0 ;;
    '') ;;
    *) die "PAIRS_GPU is '$PAIRS_GPU'; it must be 0, 1 or unset" ;;
  esac
  python3 -c 'import ctypes; ctypes.CDLL("libcuda.so.1")' 2>/dev/null
}

# Prints the folder of a torch of our version that python3 could import, without running any of torch.
importable_torch() {
  python3 - "${version%.*}" "$1" 2>/dev/null <<'PYTHON' || true
import importlib.util, os, re, sys
spec = importlib.util.find_spec("torch")
if spec and spec.origin:
    torch = os.path.dirname(spec.origin)
    found = re.search(r"^__version__\s*=\s*['\"]([^'\"]+)", open(os.path.join(torch, "version.py")).read(), re.M)
    needed = ["libtorch_cpu.so", "libc10.so"] + (["libtorch_cuda.so", "libc10_cuda.so"] if sys.argv[2] == "gpu" else [])
    if found and found.group(1).startswith(sys.argv[1] + ".") and \
       os.path.exists(os.path.join(torch, "include", "ATen", "ATen.h")) and \
       all(os.path.exists(os.path.join(torch, "lib", name)) for name in needed):
        print(os.path.dirname(torch))
PYTHON
}

# A python3 that has pip: the first on PATH, or Debian's own.
python_with_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
  die "no python3 with pip was found; install the package python3-pip"
}

# fetch WHAT LIST FOLDER GB: downloads the wheels of a list into a temporary folder, which is renamed to FOLDER once it
# is complete.
fetch() {
  local what=$1 list=$here/$2.txt folder=$3 need=$4 partial=$cache/.partial-$2 free python tag
  if ! mkdir -p "$cache" 2>/dev/null || [[ ! -w $cache ]]; then
    die "cannot write to $cache; set XDG_CACHE_HOME to a folder that is yours"
  fi
  # One at a time: a second program waits and then finds the folder in place.
  exec 9>"$cache/lock"
  flock 9
  is_complete "$2" "$folder" && return
  rm -rf "$partial"
  free=$(df -P -BG "$cache" | awk 'NR == 2 { sub(/G$/, "", $4); print $4 }')
  ((free >= need)) || die "$what needs $need GB in $cache and $free GB are free; free some, or set XDG_CACHE_HOME"
  mkdir -p "$partial/tmp"
  # shellcheck disable=SC2064  # the folder's current value
  trap "rm -rf '$partial'" EXIT
  python=$(python_with_pip)
  tag=$("$python" -c 'import sys; print("3.%d" % min(max(sys.version_info[1], 11), 13))')
  echo "Downloading $what into $folder" >&2
  PIP_ROOT_USER_ACTION=ignore TMPDIR=$partial/tmp "$python" -m pip install --no-input --disable-pip-version-check \
    --no-deps --no-compile --only-binary=:all: --require-hashes --python-version "$tag" \
    --target "$partial/root" -r "$list" >&2 </dev/null ||
    die "$what could not be downloaded; the message above says why (network, certificates, disk), then run this again"
  # nvcc looks for its libraries in lib64, which the wheels call lib.
  [[ ! -x $partial/root/nvidia/cu13/bin/nvcc ]] || ln -s lib "$partial/root/nvidia/cu13/lib64"
  rm -rf "$folder"
  sha256sum <"$list" >"$partial/root/.pairs-studio"
  sync -f "$partial/root"
  mv "$partial/root" "$folder"
  rm -rf "$partial"
  trap - EXIT
}

# The stamp is written last; it identifies the list of hashes that the folder was made from.
is_complete() {
  [[ -f $2/.pairs-studio ]] && cmp -s "$2/.pairs-studio" <(sha256sum <"$here/$1.txt")
}

# Prints the folder that holds torch/, after downloading it if it is missing.
torch_folder() {
  local variant=cpu root importable need=3
  if [[ -n ${LIBTORCH_ROOT-} ]]; then
    [[ -f $LIBTORCH_ROOT/torch/lib/libtorch_cpu.so ]] ||
      die "LIBTORCH_ROOT is $LIBTORCH_ROOT, but there is no torch/lib/libtorch_cpu.so in it; correct or unset it"
    realpath "$LIBTORCH_ROOT"
    return
  fi
  have_driver && variant=gpu need=9
  root=$cache/torch-$version-$variant
  if ! is_complete "torch-$variant" "$root"; then
    importable=$(importable_torch "$variant")
    if [[ -n $importable ]]; then
      root=$importable
    else
      fetch "LibTorch $version ($variant)" "torch-$variant" "$root" "$need"
    fi
  fi
  echo "$root"
}

# --- Arrow ---

# Downloads Arrow if it is missing, to where CMake finds it.
fetch_arrow() {
  case ${PAIRS_ARROW-} in
    0) return 0 ;;
    1 | '') ;;
    *) die "PAIRS_ARROW is '$PAIRS_ARROW'; it must be 0, 1 or unset" ;;
  esac
  if [[ -n ${ARROW_ROOT-} ]]; then
    [[ -f $ARROW_ROOT/pyarrow/include/arrow/api.h ]] ||
      die "ARROW_ROOT is $ARROW_ROOT, but there is no pyarrow/include/arrow/api.h in it; correct or unset it"
    return 0
  fi
  local root=$cache/arrow-$arrow_version
  is_complete arrow "$root" || fetch "Arrow $arrow_version" arrow "$root" 1
}

# --- nvcc ---

# Succeeds if CMake will find an nvcc of our major version by itself.
have_nvcc() {
  local nvcc
  for nvcc in "${CUDACXX-}" nvcc "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"; do
    [[ -n $nvcc && $("$nvcc" --version 2>/dev/null) == *"release ${nvcc_version%%.*}."* ]] && return
  done
  return 1
}

# Prints the folder that holds nvidia/cu13/bin/nvcc if a GPU needs it and there is no other nvcc.
nvcc_folder() {
  have_driver || return 0
  ! have_nvcc || return 0
  local root=$cache/nvcc-$nvcc_version
  is_complete nvcc "$root" || fetch "nvcc $nvcc_version" nvcc "$root" 1
  echo "$root"
}

main() {
  local lists=("$here/packages.txt") root
  case ${1-} in
    '') ;;
    --dev) lists+=("$here/packages-dev.txt") ;;
    *) die "unknown option '$1'; the only one is --dev" ;;
  esac
  [[ $(uname -sm) == "Linux x86_64" ]] || die "this machine is $(uname -sm); Pairs Studio is built for Linux on x86_64"
  install_packages "${lists[@]}"
  root=$(torch_folder)
  fetch_arrow
  echo "$root"
  nvcc_folder
}

main "$@"
