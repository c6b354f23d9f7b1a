#!/usr/bin/env bash
# Trains one run on several processes of this machine, started by the program itself and as launchers would start them:
# the products of all stages must be those of one process, byte for byte. Then a rank is killed, stopped and asked to
# stop: the others end within 30 s with a sentence that names it, and another number of ranks goes on to the same bytes.
# ranks.sh PAIRS
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1
# Whatever started this test is no launcher of it.
unset RANK WORLD_SIZE MASTER_ADDR MASTER_PORT PMI_RANK PMI_SIZE ${!OMPI_@} ${!SLURM_@} ${!TORCHELASTIC_@}

bump_hunt() { tiny_run bump-hunt --set cache.refresh=2 "$@"; }
# same RUN RUN: all products are the same.
same() {
  local file
  for file in pretrained.safetensors aggregates.cache estimator.safetensors; do
    cmp -s "$1/$file" "$2/$file" || say_fail "$2/$file differs from that of $1"
  done
}

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
# launched RANKS RUN VARIABLES...: so many processes, %r in the variables being the rank's number.
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

# --- what is not said is asked for --------------------------------------------------------------------------------
refuses 2 'neither a power of two' --batch run bump-hunt --ranks 3
refuses 2 'needs a launcher' --batch run bump-hunt --ranks launched
refuses 2 'write --ranks launched' --batch run bump-hunt --ranks 2 --rendezvous a:1
RANK=0 WORLD_SIZE=3 refuses 2 'started 3 ranks' --batch run bump-hunt --ranks launched
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 refuses 2 'add --rendezvous HOST:PORT' --batch run bump-hunt --ranks launched
bump_hunt --out plain --until pretrain >/dev/null 2>&1
refuses 2 'slots = 0' --batch run --resume plain --ranks 2
refuses 2 'which 16 ranks cannot share' --batch run --resume alone --ranks 16

# --- lost ranks ---------------------------------------------------------------------------------------------------
longer() {
  bump_hunt --set pretrain.epochs=400 --set pretrain.batch=256 --set cache.sets=4000 --set finetune.epochs=8 "$@"
}
# seconds since the epoch, in whole ones
now() { date +%s; }
child_of() { pgrep -P "$1" | head -1; }
# begin RANKS: resumes `torn` and waits until it trains; sets `leader` and `other`, the processes of ranks 0 and 1.
begin() {
  : >err
  "$PAIRS" --batch run --resume torn --ranks "$1" >/dev/null 2>err &
  leader=$!
  for _ in $(seq 600); do
    other=$(child_of $leader)
    [ -n "$other" ] && grep -q 'train together' err && [ -s torn/resume.safetensors ] &&
      [ torn/resume.safetensors -nt mark ] && return 0
    kill -0 $leader 2>/dev/null || break
    sleep 0.1
  done
  say_fail "$1 ranks did not begin: $(tail -1 err)"
}
# ended PROCESS CODE PATTERN BEGIN: it ends within 30 s of then, with this code and sentence.
ended() {
  local status
  wait "$1"
  status=$?
  [ "$status" -eq "$2" ] || say_fail "exit $status, not $2: $(tail -2 err)"
  [ $(($(now) - $4)) -le 30 ] || say_fail "it took $(($(now) - $4)) s to end"
  grep -q -- "$3" err || say_fail "no \"$3\" in: $(cat err)"
  touch mark
  sleep 0.1
}
# gone PROCESS BEGIN: a process that is not ours ends within 30 s of then.
gone() {
  while kill -0 "$1" 2>/dev/null && [ $(($(now) - $2)) -le 30 ]; do sleep 0.2; done
  kill -0 "$1" 2>/dev/null && say_fail "process $1 is still there after 30 s"
}
longer --ranks 1 --out torn --until pretrain --set pretrain.epochs=1 >/dev/null 2>&1
rm -rf torn
longer --set slots=8 --out whole >/dev/null 2>log || say_fail "the whole run: $(tail -1 log)"
mkdir torn && cp whole/run.toml torn/
touch mark
sleep 0.1

begin 2
at=$(now)
kill -9 "$other"
ended $leader 1 'rank 1 (\|Rank 1 (' "$at"

begin 4
at=$(now)
kill -STOP "$other"
ended $leader 1 'ank [123] (.* has been silent' "$at"
gone "$other" "$at"

begin 2
at=$(now)
kill -9 $leader
wait $leader 2>/dev/null
gone "$other" "$at"
touch mark
sleep 0.1

begin 2
at=$(now)
kill -STOP $leader
gone "$other" "$at"
kill -9 $leader
wait $leader 2>/dev/null
touch mark
sleep 0.1

begin 2
at=$(now)
kill -INT $leader
ended $leader 130 'continue with' "$at"
gone "$other" "$at"

begin 2
at=$(now)
kill -TERM "$other"
ended $leader 1 'Another rank was asked to stop' "$at"
gone "$other" "$at"

"$PAIRS" --batch run --resume torn >/dev/null 2>err || say_fail "the last resumption, alone: $(tail -1 err)"
same whole torn
finish
