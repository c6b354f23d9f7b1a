# Sourced by the script tests: a run that takes seconds, and helpers. Needs PAIRS, the program, and SCRATCH, a folder.
set -uo pipefail
failures=0

say_fail() {
  echo "FAIL: $*" >&2
  failures=$((failures + 1))
}

# tiny_run TASK ARGUMENTS...: `run` with networks and budgets so small that every stage takes about a second.
tiny_run() {
  local task=$1
  shift
  "$PAIRS" --batch run "$task" --preset quick --device cpu --threads 1 \
    --set embedder.layers=16,16 --set embedder.size=16 --set head.hidden=16 --set head.transforms=1 --set head.bins=8 \
    --set pretrain.epochs=4 --set pretrain.steps=50 --set pretrain.batch=128 --set pretrain.validation_sets=512 \
    --set cache.sizes=20 --set cache.sets=2000 \
    --set finetune.epochs=4 --set finetune.steps=50 --set finetune.batch=64 --set finetune.validation_draws=512 \
    --set evaluate.sizes=1,20 --set evaluate.sets=50 --set evaluate.samples=50 --set checkpoint=0.05 "$@"
}

# tiny_views novel-view ARGUMENTS...: the same for views, with the layers that bf16 and image targets take.
tiny_views() {
  local task=$1
  shift
  "$PAIRS" --batch run "$task" --preset quick --device cpu --threads 1 \
    --set embedder.channels=8,16 --set embedder.size=16 --set head.channels=8 --set head.time_size=16 \
    --set head.given_size=8 --set head.hidden=32 --set head.steps=4 \
    --set pretrain.epochs=2 --set pretrain.steps=10 --set pretrain.batch=16 --set pretrain.validation_sets=32 \
    --set cache.sizes=4,10 --set cache.sets=200 \
    --set finetune.epochs=2 --set finetune.steps=10 --set finetune.batch=16 --set finetune.validation_draws=32 \
    --set evaluate.sizes=1,10 --set evaluate.sets=8 --set evaluate.samples=2 --set checkpoint=0.05 "$@"
}

# tiny_things objects|molecules ARGUMENTS...: the same for tasks that prepare what they draw from.
tiny_things() {
  local task=$1 small
  shift
  case $task in
    objects)
      small=(--set task.objects=120 --set task.views=6 --set task.side=32 --set embedder.channels=8,16
        --set embedder.kernels=3,3 --set head.hidden=16 --set head.bins=8)
      ;;
    molecules)
      small=(--set task.molecules=120 --set task.conformers=5 --set embedder.hidden=8 --set embedder.filters=8
        --set embedder.interactions=1 --set head.conditioner=16 --set head.conditioner_size=8 --set head.integrand=16)
      ;;
  esac
  "$PAIRS" --batch run "$task" --preset quick --device cpu --threads 1 "${small[@]}" \
    --set embedder.size=8 \
    --set pretrain.epochs=3 --set pretrain.steps=10 --set pretrain.batch=16 --set pretrain.validation_sets=32 \
    --set cache.sizes=5 --set cache.sets=400 \
    --set finetune.epochs=3 --set finetune.steps=20 --set finetune.batch=32 --set finetune.validation_draws=64 \
    --set evaluate.sizes=1,5 --set evaluate.sets=20 --set evaluate.samples=20 --set checkpoint=0.05 "$@"
}

# wait_for FILE: until it is there and not empty, a minute at most.
wait_for() {
  for _ in $(seq 600); do
    [ -s "$1" ] && return 0
    sleep 0.1
  done
  say_fail "$1 did not appear"
}

# refuses CODE PATTERN ARGUMENTS...: the program must exit with CODE, and say on stderr one sentence that has PATTERN.
refuses() {
  local code=$1 pattern=$2 status
  shift 2
  "$PAIRS" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
  status=$?
  [ "$status" -eq "$code" ] || say_fail "pairs $* exited $status, not $code: $(tail -1 "$SCRATCH/err")"
  grep -q -- "$pattern" "$SCRATCH/err" || say_fail "pairs $*: no \"$pattern\" in: $(cat "$SCRATCH/err")"
  [ ! -s "$SCRATCH/out" ] || say_fail "pairs $*: printed a result on stdout although it failed"
  [ "$(grep -c '^pairs: ' "$SCRATCH/err")" -eq 1 ] || say_fail "pairs $*: not exactly one sentence: $(cat "$SCRATCH/err")"
}

finish() {
  if [ "$failures" -gt 0 ]; then
    echo "$failures checks failed" >&2
    exit 1
  fi
  echo "all checks passed"
}
