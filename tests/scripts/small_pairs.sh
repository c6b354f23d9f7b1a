#!/usr/bin/env bash
# small_pairs.sh ARGUMENTS...: a stand-in for the program $PAIRS that does the same in seconds. The command stays the same;
# if it would take long, settings that shorten it are appended, and numbers of sets and samples are lowered.
command=
for word in "$@"; do
  case $word in
    --batch | --json) ;;
    *) command=$word && break ;;
  esac
done
has() { # has WORD: whether it is among the arguments
  local word
  for word in "${arguments[@]}"; do
    [ "$word" != "$1" ] || return 0
  done
  return 1
}
lower() { # lower OPTION MOST: lowers each number after the option to at most MOST; adds the option where it is missing
  local at list number
  has "$1" || { arguments+=("$1" "$2") && return; }
  for at in "${!arguments[@]}"; do
    [ "${arguments[at]}" = "$1" ] || continue
    list=
    for number in ${arguments[at + 1]//,/ }; do list+=,$((number < $2 ? number : $2)); done
    arguments[at + 1]=${list#,}
  done
}
value_of() { # value_of OPTION USUAL: prints the option's value, or USUAL without the option
  local at
  for at in "${!arguments[@]}"; do
    [ "${arguments[at]}" != "$1" ] || { echo "${arguments[at + 1]}" && return; }
  done
  echo "$2"
}
read_keys() { # read_keys TASK: lists the settings that a run of the task reads
  "$PAIRS" --batch presets "$1" --strategy "$(value_of --strategy pairs)" --json 2>/dev/null | python3 -c '
import json, sys
for setting in json.load(sys.stdin)["settings"]:
    if setting[sys.argv[1]] is not None: print(setting["key"])' "$(value_of --preset quick)" 2>/dev/null
}
drop_setting() { # drop_setting KEY: removes the setting from the arguments
  local at kept=()
  for ((at = 0; at < ${#arguments[@]}; ++at)); do
    if [ "${arguments[at]}" = --set ] && [[ ${arguments[at + 1]} == "$1="* ]]; then
      at=$((at + 1))
    else
      kept+=("${arguments[at]}")
    fi
  done
  arguments=("${kept[@]}")
}
small() { # small KEY=VALUE...: replaces settings of the arguments; for a built-in task only those that its run reads
  local setting task keys=
  for task in gaussian bump-hunt circle digits objects molecules novel-view; do
    ! has "$task" || keys=$(read_keys "$task")
  done
  for setting in "$@"; do
    [ -z "$keys" ] || grep -qxF "${setting%%=*}" <<<"$keys" || continue
    drop_setting "${setting%%=*}"
    arguments+=(--set "$setting")
  done
}
cpu_for_gpu() { # on a machine without a GPU, commands for a GPU run on the CPU
  local at
  "$PAIRS" --batch devices --json 2>/dev/null | grep -q '"auto": *"cuda' && return
  for at in "${!arguments[@]}"; do
    [ "${arguments[at]}" != --device ] || [ "${arguments[at + 1]}" != cuda ] || arguments[at + 1]=cpu
  done
}
small_stages=(pretrain.epochs=1 pretrain.steps=4 pretrain.batch=16 pretrain.validation_sets=32 cache.sizes=10
  cache.sets=100 finetune.epochs=1 finetune.steps=4 finetune.batch=16 finetune.validation_draws=32 evaluate.sizes=1,2
  evaluate.sets=20 evaluate.samples=10)
small_likelihood=(likelihood.steps=40 likelihood.hidden=16 likelihood.compared=4)
small_circle=(embedder.channels=4,4,4,4 embedder.size=4)
small_views=(task.size=16 embedder.channels=8,8 embedder.size=8 head.channels=8 head.multipliers=1,2 head.blocks=1
  head.attention= head.time_size=16 head.given_size=8 head.hidden=16)
small_digits=(cache.sizes=100 cache.sets=40 embedder.channels=2,2,2 embedder.layers=4 embedder.projection=4
  embedder.size=4 head.conditioner=4,4 head.integrand=4,4)
small_objects=(task.objects=150 task.views=3 task.side=32 embedder.channels=4,4 embedder.kernels=3,3 embedder.size=4
  head.conditioner=4 head.integrand=4)
small_molecules=(task.molecules=120 task.conformers=10 embedder.hidden=8 embedder.filters=8 embedder.interactions=1
  embedder.size=4 head.conditioner=4 head.integrand=4)

# show ARGUMENTS...: runs the window until it has drawn its first picture.
show() {
  local log status=1
  log=$(mktemp)
  PAIRS_LOG=debug "$PAIRS" "$@" >"$log" 2>&1 </dev/null &
  for _ in $(seq 300); do
    ! grep -q "first frame after" "$log" || { status=0 && break; }
    kill -0 $! 2>/dev/null || break
    sleep 0.1
  done
  kill $! 2>/dev/null
  wait $!
  ! grep '^pairs: ' "$log" >&2 || status=1
  [ $status -eq 0 ] || cat "$log" >&2
  rm -f "$log"
  exit $status
}

arguments=("$@")
has --batch || has --version || has --help || show "$@"
case $command in
  run)
    cpu_for_gpu
    has --resume || small "${small_stages[@]}" "${small_likelihood[@]}"
    ! has circle || small "${small_circle[@]}"
    ! has novel-view || small "${small_views[@]}"
    ! has digits || small "${small_digits[@]}"
    ! has objects || small "${small_objects[@]}"
    ! has molecules || small "${small_molecules[@]}"
    ;;
  likelihood)
    lower --steps 40
    small likelihood.hidden=16 likelihood.compared=4
    ;;
  report) lower --sets 20 ;;
  benchmark)
    small "${small_stages[@]}" "${small_likelihood[@]}"
    lower --sets 4
    lower --sizes 5
    for at in "${!arguments[@]}"; do
      [ "${arguments[at]}" != --budget ] || arguments[at + 1]=30000
    done
    ;;
  devices) ! has --add-gpu || exec "$PAIRS" --batch devices --help ;; # add_gpu.sh tests this with its own server
  demo)
    small "${small_stages[@]}"
    ! has novel-view || small "${small_views[@]}"
    ;;
  external-validation)
    lower --n 4
    lower --samples 200
    ;;
  study)
    # The paper's studies get short settings, whatever tasks they have.
    has list ||
      for setting in "${small_stages[@]}" cache.pieces=2 finetune.rate=1e-3; do
        arguments+=(--set "$setting")
      done
    ! has my-study.toml || arguments+=(--allow)
    ;;
  evaluate | compare)
    if has novel-view || has novel-view-n1-10; then
      lower --sets 2
      lower --samples 2
      lower --steps 5
      has --out || arguments+=(--out metrics.json)
    else
      lower --sets 20
      lower --samples 10
    fi
    ;;
  infer)
    ! has --camera || arguments+=(--samples 2 --steps 2)
    ! has runs/bump || arguments+=(--force) # the shortened run saw only sets up to 10
    ;;
  frequentist)
    lower --toys 200
    lower --null-toys 200
    lower --nodes 7
    if has --coverage || has --expected; then lower --sets 20; fi
    ;;
  figure)
    ! has width || lower --sets 4
    ! has --mcmc-draws || lower --mcmc-draws 2000
    ;;
esac
exec "$PAIRS" "${arguments[@]}"
