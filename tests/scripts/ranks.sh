#!/usr/bin/env bash
# Trains one run on several processes of this machine, started by the program itself and as launchers would start them:
# the products of all stages must be those of one process, byte for byte.
# ranks.sh PAIRS
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1
# Variables of a launcher that started this test must not count.
unset RANK WORLD_SIZE MASTER_ADDR MASTER_PORT PMI_RANK PMI_SIZE ${!OMPI_@} ${!SLURM_@} ${!TORCHELASTIC_@}

bump_hunt() { tiny_run bump-hunt --set cache.refresh=2 "$@"; }

# --- any number of ranks gives the same bytes ---------------------------------------------------------------------
bump_hunt --ranks 1 --out alone >/dev/null 2>log || say_fail "one rank: $(tail -1 log)"
grep -q '^slots = 8' alone/run.toml || say_fail "--ranks gives no slots"
for ranks in 2 4; do
  bump_hunt --ranks $ranks --out of$ranks >out 2>log || say_fail "$ranks ranks: $(tail -1 log)"
  grep -q "$ranks ranks train together" log || say_fail "the ranks are not told of"
  grep -q finetune out || say_fail "no result of $ranks ranks"
  same alone of$ranks
done

# --- as launchers start them --------------------------------------------------------------------------------------
# launched RANKS RUN VARIABLES...: starts a process per rank; %r in the variables is the rank's number.
launched() {
  local ranks=$1 run=$2 rank status=0 own=() processes=()
  shift 2
  local variables=() options=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do variables+=("$1"); shift; done
  [ $# -eq 0 ] || { shift; options=("$@"); }
  for ((rank = 0; rank < ranks; ++rank)); do
    own=("${variables[@]//%r/$rank}")
    (export "${own[@]}" && bump_hunt --ranks launched "${options[@]}" --out "$run" >"$run.out$rank" 2>"$run.err$rank") &
    processes+=($!)
  done
  for rank in "${!processes[@]}"; do
    wait "${processes[$rank]}" || { status=1; say_fail "$run, rank $rank: $(tail -1 "$run.err$rank")"; }
  done
  [ "$status" -ne 0 ] || same alone "$run"
  [ -s "$run.out0" ] && [ ! -s "$run.out1" ] || say_fail "$run: not the first rank alone answers"
}
port=$((20000 + RANDOM % 10000))
launched 2 torchrun RANK=%r WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port
launched 2 mpi OMPI_COMM_WORLD_RANK=%r OMPI_COMM_WORLD_SIZE=2 -- --rendezvous "127.0.0.1:$((port + 1))"
launched 2 pmi PMI_RANK=%r PMI_SIZE=2 -- --rendezvous "localhost:$((port + 2))"
launched 4 slurm SLURM_PROCID=%r SLURM_NTASKS=4 SLURM_STEP_NODELIST=localhost SLURM_JOB_ID=$port SLURM_STEP_ID=0

# --- missing or impossible options are refused ---------------------------------------------------------------------
refuses 2 'neither a power of two' --batch run bump-hunt --ranks 3
refuses 2 'needs a launcher' --batch run bump-hunt --ranks launched
refuses 2 'write --ranks launched' --batch run bump-hunt --ranks 2 --rendezvous a:1
RANK=0 WORLD_SIZE=3 refuses 2 'started 3 ranks' --batch run bump-hunt --ranks launched
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 refuses 2 'add --rendezvous HOST:PORT' --batch run bump-hunt --ranks launched
RANK=0 refuses 2 'RANK is set and WORLD_SIZE is not' --batch run bump-hunt --ranks launched
RANK=0 WORLD_SIZE=2 refuses 2 'by MASTER_ADDR and MASTER_PORT' --batch run bump-hunt --ranks launched
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 refuses 2 'they use IPv4' --batch run bump-hunt --ranks launched --rendezvous '[::1]:1'
refuses 2 'the maximum for one run' --batch run bump-hunt --ranks 1048576
refuses 2 'which 16 ranks cannot share' --batch run bump-hunt --ranks 16 --set slots=8 --out none
[ ! -e none ] || say_fail "a folder is made for ranks that cannot share the run"
bump_hunt --out plain --until pretrain >/dev/null 2>&1
refuses 2 'slots = 0' --batch run --resume plain --ranks 2
refuses 2 'which 16 ranks cannot share' --batch run --resume alone --ranks 16
# --- a run keeps its threads, and each launch its folder ----------------------------------------------------------
"$PAIRS" --batch run bump-hunt --ranks 2 --until pretrain --set pretrain.epochs=1 --set pretrain.steps=4 \
  --set pretrain.validation_sets=200 --out threads >/dev/null 2>log || say_fail "ranks without threads: $(tail -1 log)"
grep -q '^threads = [1-9]' threads/run.toml || say_fail "the threads of a rank are not recorded"
export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((port + 3))
RANK=0 bump_hunt --ranks launched --out one >/dev/null 2>log0 &
if RANK=1 bump_hunt --ranks launched --out other >/dev/null 2>log1; then say_fail "ranks of two runs train together"; fi
wait $! && say_fail "the first rank trains with one of another run"
grep -q 'start all ranks of a run with the same words' log0 || say_fail "another folder: $(tail -1 log0)"
finish
