# Sourced by the script tests; provides a run that takes seconds, and helpers. Needs PAIRS, the program, and SCRATCH, a
# folder.
set -uo pipefail
failures=0

say_fail() {
  echo "FAIL: $*" >&2
  failures=$((failures + 1))
}

# run_with KEY=VALUE... -- ARGUMENTS...: `run` with these arguments, and with the settings that they do not contain.
run_with() {
  local usual=() setting given
  while [ "$1" != -- ]; do
    usual+=("$1")
    shift
  done
  shift
  given=" $* "
  for setting in "${usual[@]}"; do
    [[ $given == *" --set ${setting%%=*}="* ]] || set -- "$@" --set "$setting"
  done
  "$PAIRS" --batch run "$@"
}

# tiny_run TASK ARGUMENTS...: `run` with networks and budgets so small that every stage takes about a second.
tiny_run() {
  run_with embedder.layers=16,16 embedder.size=16 head.hidden=16 head.transforms=1 head.bins=8 \
    pretrain.epochs=4 pretrain.steps=50 pretrain.batch=128 pretrain.validation_sets=512 \
    cache.sizes=20 cache.sets=2000 \
    finetune.epochs=4 finetune.steps=50 finetune.batch=64 finetune.validation_draws=512 \
    evaluate.sizes=1,20 evaluate.sets=50 evaluate.samples=50 checkpoint=0.05 \
    -- "$@" --preset quick --device cpu --threads 1
}

# tiny_views novel-view ARGUMENTS...: the same for views, with the layers that bf16 and image targets need.
tiny_views() {
  run_with embedder.channels=8,16 embedder.size=16 head.channels=8 head.time_size=16 \
    head.given_size=8 head.hidden=32 head.steps=4 \
    pretrain.epochs=2 pretrain.steps=10 pretrain.batch=16 pretrain.validation_sets=32 \
    cache.sizes=4,10 cache.sets=200 \
    finetune.epochs=2 finetune.steps=10 finetune.batch=16 finetune.validation_draws=32 \
    evaluate.sizes=1,10 evaluate.sets=8 evaluate.samples=2 checkpoint=0.05 \
    -- "$@" --preset quick --device cpu --threads 1
}

# tiny_things objects|molecules ARGUMENTS...: the same for tasks that prepare their data.
tiny_things() {
  local small
  case $1 in
    objects)
      small=(task.objects=120 task.views=6 task.side=32 embedder.channels=8,16 embedder.kernels=3,3 head.hidden=16
        head.bins=8)
      ;;
    molecules)
      small=(task.molecules=120 task.conformers=5 embedder.hidden=8 embedder.filters=8 embedder.interactions=1
        head.conditioner=16 head.conditioner_size=8 head.integrand=16)
      ;;
  esac
  run_with "${small[@]}" embedder.size=8 \
    pretrain.epochs=3 pretrain.steps=10 pretrain.batch=16 pretrain.validation_sets=32 \
    cache.sizes=5 cache.sets=400 \
    finetune.epochs=3 finetune.steps=20 finetune.batch=32 finetune.validation_draws=64 \
    evaluate.sizes=1,5 evaluate.sets=20 evaluate.samples=20 checkpoint=0.05 \
    -- "$@" --preset quick --device cpu --threads 1
}

# same RUN RUN: checks that all products of both runs are the same.
same() {
  local file
  for file in pretrained.safetensors aggregates.cache estimator.safetensors; do
    cmp -s "$1/$file" "$2/$file" || say_fail "$2/$file differs from that of $1"
  done
}

# wait_for FILE: waits until the file exists and is not empty, at most a minute.
wait_for() {
  for _ in $(seq 600); do
    [ -s "$1" ] && return 0
    sleep 0.1
  done
  say_fail "$1 did not appear"
}

# refuses CODE PATTERN ARGUMENTS...: the program must exit with CODE and print on stderr one sentence that matches PATTERN.
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
