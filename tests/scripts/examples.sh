#!/usr/bin/env bash
# examples.sh PAIRS SOURCE [PATTERN]: every command that README.md, the pages of docs, the tasks' pages and the help
# texts print, and every "Next:" that one of them answers with, runs as it stands; small_pairs.sh keeps them short. A new
# example is run without being named here: where it needs a file, `prepare` makes it, and where it would take long,
# small_pairs.sh shortens it. PATTERN picks examples by a regular expression.
PAIRS=$(realpath "$1")
SOURCE=$(realpath "$2")
pattern=${3:-.}
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
SCRATCH=$(mktemp -d)
display=
cleanup() {
  [ -z "$display" ] || kill "$display" 2>/dev/null
  rm -rf "$SCRATCH"
}
trap cleanup EXIT
. "$here/tiny.sh"
longest=300 # seconds an example may take on a busy machine

export CHANNELS=32 SIZES=16 RATES="5e-4 1e-3" # of docs/how-to/grid_search.sh
export PAIRS HOME=$SCRATCH/home XDG_CONFIG_HOME=$SCRATCH/config XDG_DATA_HOME=$SCRATCH/data
unset PAIRS_DATA DISPLAY WAYLAND_DISPLAY
mkdir -p "$HOME" "$SCRATCH/bin" "$SCRATCH/fixtures" "$SCRATCH/config/pairs-studio"
printf 'dismissed = ["welcome"]\n' >"$SCRATCH/config/pairs-studio/settings.toml"
ln -s "$here/small_pairs.sh" "$SCRATCH/bin/pairs"
PATH=$SCRATCH/bin:$PATH

# This test of a build does not configure, build or install again. The stand-in of cmake only checks that the named presets
# exist (run_path.sh installs).
cat >"$SCRATCH/bin/cmake" <<E
#!/usr/bin/env bash
cd "$SOURCE" || exit 1
kind=configure preset=
while [ \$# -gt 0 ]; do
  case \$1 in
    --build) kind=build ;;
    --install) exit 0 ;;
    --preset) preset=\$2 && shift ;;
  esac
  shift
done
PATH=\${PATH#*:} cmake --list-presets=\$kind | grep -q "\"\$preset\""
E
cat >"$SCRATCH/bin/ctest" <<E
#!/usr/bin/env bash
cd "$SOURCE" || exit 1
[ "\$1" = --preset ] && PATH=\${PATH#*:} cmake --list-presets=test | grep -q "\"\$2\""
E
# srun starts a task of a job array, as Slurm does; with --ntasks it starts the tasks of a step.
cat >"$SCRATCH/bin/srun" <<'E'
#!/usr/bin/env bash
export SLURM_JOB_ID=7 SLURM_CPUS_PER_TASK=4
if [[ $1 == --ntasks=* ]]; then
  export SLURM_NTASKS=${1#--ntasks=} SLURM_STEP_ID=0 SLURM_STEP_NODELIST=localhost
  shift
  exec start_ranks "$SLURM_NTASKS" SLURM_PROCID "$@"
fi
export SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=8 SLURM_ARRAY_TASK_COUNT=8
exec "$@"
E
# The common part of the launchers starts several processes of a command, each with its number in a variable.
cat >"$SCRATCH/bin/start_ranks" <<'E'
#!/usr/bin/env bash
count=$1 variable=$2 failed=0 processes=()
shift 2
for ((rank = 0; rank < count; ++rank)); do
  env "$variable=$rank" "$@" &
  processes+=($!)
done
for process in "${processes[@]}"; do wait "$process" || failed=1; done
exit $failed
E
cat >"$SCRATCH/bin/mpirun" <<'E'
#!/usr/bin/env bash
[ "$1" = -n ] || exit 1
export OMPI_COMM_WORLD_SIZE=$2
shift 2
exec start_ranks "$OMPI_COMM_WORLD_SIZE" OMPI_COMM_WORLD_RANK "$@"
E
cat >"$SCRATCH/bin/torchrun" <<'E'
#!/usr/bin/env bash
nodes=${1#--nnodes=} each=${2#--nproc-per-node=}
[ "$3" = --no-python ] || exit 1
export WORLD_SIZE=$((nodes * each)) MASTER_ADDR=127.0.0.1 MASTER_PORT=29501
shift 3
exec start_ranks "$WORLD_SIZE" RANK "$@"
E
chmod +x "$SCRATCH"/bin/{cmake,ctest,srun,start_ranks,mpirun,torchrun}

# tree FOLDER: makes the scripts of the source tree in FOLDER, with a build folder that holds the stand-in. Installing is
# left out, since install_test.sh tests it, and so is building, without which this test would not run.
tree() {
  mkdir -p "$1/build/release" "$1/cmake" "$1/third_party"
  ln -s "$here/small_pairs.sh" "$1/build/release/pairs"
  cp -r "$SOURCE/docs" "$SOURCE/run.sh" "$1"
  printf '#!/bin/sh\n' >"$1/cmake/build.sh"
  cp "$1/cmake/build.sh" "$1/test.sh"
  cp "$1/cmake/build.sh" "$1/third_party/install.sh"
  chmod +x "$1"/cmake/build.sh "$1/test.sh" "$1/third_party/install.sh"
  for script in run.sh test.sh third_party/install.sh docs/reference/pictures.sh docs/how-to/grid_search.sh; do
    [ -x "$SOURCE/$script" ] || say_fail "$script cannot be run"
  done
}

# Makes the inputs that examples name, once.
make_fixtures() {
  cd "$SCRATCH/fixtures" || exit 1
  mkdir runs mnist photos images
  python3 - <<'P' || say_fail "the inputs could not be made"
import random, struct, zlib
random.seed(1)
for split in ("train", "t10k"):
    open(f"mnist/{split}-labels-idx1-ubyte", "wb").write(struct.pack(">II", 0x801, 120) + bytes(k % 10 for k in range(120)))
    open(f"mnist/{split}-images-idx3-ubyte", "wb").write(
        struct.pack(">IIII", 0x803, 120, 28, 28) + bytes(random.randrange(256) for _ in range(120 * 784)))
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(file, side, gray):
    rows = b"".join(b"\0" + bytes(gray(x, y) for x in range(side)) for y in range(side))
    open(file, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
                           + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
for k in range(8):
    png(f"photos/{k}.png", 28, lambda x, y: random.randrange(256))
for k in range(3):
    png(f"images/{k}.png", 64, lambda x, y: 255 * (abs(((x - 30) ** 2 + (y - 34) ** 2) ** 0.5 - 20) < 1))
open("events.csv", "w").write("".join(f"{random.gauss(0, 1):.4f}\n" for _ in range(30)))
P
  ln -s "$SCRATCH/fixtures/mnist" "$HOME/mnist"
  ln -s "$SCRATCH/fixtures" "$HOME/datasets"
  local run
  for run in "bump-hunt runs/a --seed 1" "bump-hunt runs/b --seed 2" "digits runs/digits" "novel-view runs/spheres" \
    "digits runs/digits-n1 --strategy n1" "bump-hunt runs/begun --until pretrain"; do
    set -- $run
    pairs --batch run "$1" --device cpu --threads 1 --out "${@:2}" >"$SCRATCH/log" 2>&1 ||
      say_fail "the run $2 could not be made: $(tail -3 "$SCRATCH/log")"
  done
  pairs --batch render --scene 7 --views 12 --like runs/spheres --out views >"$SCRATCH/log" 2>&1 ||
    say_fail "the views could not be made: $(tail -3 "$SCRATCH/log")"
}

# prepare FOLDER SOURCE: makes a working folder for the examples of one text, with the inputs that it names.
prepare() {
  mkdir -p "$1" && cd "$1" || exit 1
  mkdir runs
  cp -r "$SCRATCH/fixtures/runs/a" "$SCRATCH/fixtures/runs/b" "$SCRATCH/fixtures/runs/digits" \
    "$SCRATCH/fixtures/runs/spheres" runs
  cp -r "$SCRATCH/fixtures/runs/a" runs/NAME
  cp -r "$SCRATCH/fixtures/runs/digits" runs/digits-pairs
  cp -r "$SCRATCH/fixtures/runs/digits-n1" "$SCRATCH/fixtures/runs/begun" runs
  cp "$SCRATCH/fixtures/events.csv" .
  cp events.csv observed.csv
  awk 'BEGIN { print "run,x" } { print NR % 3 "," $0 }' events.csv >sets.csv
  mkdir sets && cp events.csv sets/a.csv
  printf 'session = 1\ntask = "bump-hunt"\nrun = "./runs/a"\n[set]\nfile = "./events.csv"\n' >work.pairs
  cp -r "$SOURCE/assets/examples/bump-hunt-python" my
  cp -r "$SOURCE/assets/weights/molecules" "$SOURCE/assets/weights/objects" runs
  printf 'CCO\nc1ccccc1O\n' >smiles.txt
  cp smiles.txt molecules.smi
  {
    printf 'v %s\n' "0 0 0" "1 0 0" "1 1 0" "0 1 0" "0 0 1" "1 0 1" "1 1 1" "0 1 1"
    printf 'f %s\n' "4 3 2 1" "5 6 7 8" "1 2 6 5" "2 3 7 6" "3 4 8 7" "4 1 5 8"
  } >chair.obj
  mkdir meshes && cp chair.obj meshes
  cp -r "$SCRATCH/fixtures/photos" "$SCRATCH/fixtures/images" .
  awk '/^```/ { inside = $0 == "```toml"; next } inside' "$SOURCE/docs/how-to/studies.md" >my-study.toml
  ln -s "$SCRATCH/fixtures" FOLDER
  case $2 in
    infer) cp -r "$SCRATCH/fixtures/views" . ;;
    README.md | third_party/README.md | tasks/*/README.md) tree . ;;
    docs/tutorials/*.md | */README.md) rm -rf my runs && ln -s "$SOURCE/assets" assets ;;
    docs/*.md) tree . ;;
  esac
}

commands_of() { # commands_of FILE: the lines of its fenced blocks, except blocks of another language
  awk '/^```/ { open = !open; inside = open && $0 == "```"; next } inside' "$1"
}
commands_of_help() { # commands_of_help FILE: lines that are a command, and commands after "Example:"
  sed -n -e 's/^  \(pairs .*\)$/\1/p' -e 's/^.*Example: \(pairs .*\)$/\1/p' "$1"
}

ran=0
declare -A done_before
# try WHERE COMMAND: runs it in the current folder, then the command that it suggests as the next one.
try() {
  local where=$1 command=$2 begin status next
  [[ $command =~ $pattern ]] || return 0
  # A command that names its results by itself does not replace those of another run or set.
  rm -f samples.npz samples-views.png posteriors.csv ./*.svg
  begin=$(date +%s%3N)
  timeout -k 5 "$longest" bash -c "$command" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
  status=$?
  ran=$((ran + 1))
  if [ $status -eq 124 ]; then
    say_fail "$where: $command: takes longer than $longest s; teach tests/scripts/small_pairs.sh how to shorten it"
  elif [ $status -ne 0 ]; then
    say_fail "$where: $command: exit $status: $(tail -3 "$SCRATCH/err"); where it needs a file, make it in $0"
  fi
  printf '%6d ms  %s: %s\n' $(($(date +%s%3N) - begin)) "$where" "$command"
  while IFS= read -r next; do
    [ -n "${done_before[$next]:-}" ] || { done_before[$next]=1 && try "$where, next" "$next"; }
  done < <(sed -n 's/^Next: \(pairs .*\)$/\1/p' "$SCRATCH/out")
}

# try_all WHERE FOLDER: runs each command on standard input; a command may continue on further lines until it is complete.
try_all() {
  local unit= line known=0
  prepare "$2" "$1"
  while IFS= read -r line <&3; do
    unit=${unit:+$unit$'\n'}$line
    [[ $unit != *\\ ]] && bash -n <<<"$unit" 2>/dev/null || continue
    [[ $unit =~ ^[[:space:]]*(#.*)?$ ]] || { known=$((known + 1)) && try "$1" "$unit"; }
    unit=
  done 3<&0
  [ -z "$unit" ] || say_fail "$1: not a whole command: $unit"
  [ $known -gt 0 ] || say_fail "$1 prints no example"
}

if "$PAIRS" --batch screenshot --help >/dev/null 2>&1; then
  mkfifo "$SCRATCH/number"
  Xvfb -displayfd 3 -screen 0 1440x900x24 -nolisten tcp 3>"$SCRATCH/number" >"$SCRATCH/xvfb" 2>&1 &
  display=$!
  read -r -t 20 number <"$SCRATCH/number" || say_fail "Xvfb did not start: $(cat "$SCRATCH/xvfb")"
  export DISPLAY=:$number
fi
make_fixtures

"$PAIRS" --help >"$SCRATCH/help"
commands=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p' "$SCRATCH/help")
[ -n "$commands" ] || say_fail "pairs --help lists no commands"
try_all help "$SCRATCH/work/help" < <(commands_of_help "$SCRATCH/help")
for command in $commands; do
  "$PAIRS" --batch "$command" --help >"$SCRATCH/help"
  try_all "$command" "$SCRATCH/work/$command" < <(commands_of_help "$SCRATCH/help")
done
# docs/how-to/python.md has a test of its own; blocks of the pages on custom tasks and their files need files that are
# not there, and are not run.
for text in $(cd "$SOURCE" && ls README.md third_party/README.md docs/*.md docs/*/*.md tasks/*/README.md |
  grep -vE "own-task|data-files|how-to/python"); do
  commands_of "$SOURCE/$text" >"$SCRATCH/commands"
  [ ! -s "$SCRATCH/commands" ] || try_all "$text" "$SCRATCH/work/${text//\//-}" <"$SCRATCH/commands"
done
# The READMEs of the example tasks.
for text in "$SOURCE"/assets/examples/*/README.md; do
  name=$(basename "$(dirname "$text")")
  commands_of "$text" >"$SCRATCH/commands"
  try_all "$name/README.md" "$SCRATCH/work/$name" <"$SCRATCH/commands"
done
echo "$ran examples"
finish
