# Sourced, with the arguments of the script, by tests of many workers of one study. Provides a scratch folder whose workers
# end with the script, a study whose runs last seconds, and the runs as a single worker makes them.
PAIRS=$(realpath "$1")
SCRATCH=$(mktemp -d)
workers=()
trap 'kill -9 "${workers[@]}" 2>/dev/null; rm -rf "$SCRATCH"' EXIT
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/tiny.sh"
cd "$SCRATCH" || exit 1

# write_study TITLE SEEDS: writes study.toml, with the settings of stdin below those that both tests share.
write_study() {
  {
    cat <<TOML
title = "$1"
tasks = ["bump-hunt"]
strategies = ["pairs", "n1"]
seeds = [$2]
[set]
threads = 1
device = "cpu"
evaluate.samples = 19
TOML
    cat
  } >study.toml
}

# start_worker FOLDER LOG: starts a worker of the study on the folder; its process is $!.
start_worker() {
  # The program itself replaces the subshell, so that a signal to $! reaches it.
  (exec "$PAIRS" --batch study study.toml --out "$1" >/dev/null 2>>"$2") &
}

# study_undisturbed COUNT: runs the study in the folder `whole` with one worker; sets `runs` to the names of its COUNT runs.
study_undisturbed() {
  "$PAIRS" --batch study study.toml --out whole >/dev/null 2>whole.log ||
    say_fail "a study with one worker failed: $(tail -1 whole.log)"
  runs=$(cd whole && ls -d bump-hunt-*)
  [ "$(wc -w <<<"$runs")" -eq "$1" ] || say_fail "there are not $1 runs: $runs"
}

# same_weights FOLDER WHERE: compares the weights of all runs with those of the undisturbed study.
same_weights() {
  local run
  for run in $runs; do
    cmp -s "whole/$run/estimator.safetensors" "$1/$run/estimator.safetensors" || say_fail "$2: $run differs"
  done
}

# count_stage_ends RUN STAGE: prints how many times a stage of the run ended, as its events record it.
count_stage_ends() {
  grep -c "\"stage\":\"$2\".*\"type\":\"stage-done\"" "$1/events.jsonl"
}
