#!/usr/bin/env bash
# Plants one include at a time in an otherwise correct tree and expects check.sh to accept or reject it.
set -euo pipefail
check=$(dirname "$(realpath "$0")")/check.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
count=0

# expect ok|wrong FILE LINE: the verdict when FILE holds LINE alone.
expect() {
  local verdict=ok
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/core/base/text" "$tree/$(dirname "$2")"
  echo '#include <vector>' >"$tree/core/base/text/error.h"
  printf '%s\n' '#pragma once' "$3" >"$tree/$2"
  "$check" "$tree" >"$tree/out" 2>&1 || verdict=wrong
  count=$((count + 1))
  if [[ $verdict == "$1" ]] && { [[ $verdict == ok ]] || grep -q "^$2:2: " "$tree/out"; }; then return; fi
  echo "expected $1 but got $verdict: $2 with $3"
  cat "$tree/out"
  failures=$((failures + 1))
}

expect ok core/ops/a_cpu.cpp '#include "core/base/text/error.h"'
expect ok core/ops/a_kernels.cu '#include "core/ops/a.h"'
expect ok core/ops/a_cpu.cpp '#include "a.h"'
expect ok core/task.h '#include "core/heads/head_config.h"'
expect ok core/train/run/run.h '#include "core/eval/metrics/metrics.h"'
expect ok core/eval/metrics/metrics.cpp '#include "core/task.h"'
expect ok tasks/digits/digits.cpp '#include "render/digit_warp.h"'
expect ok tasks/digits/digits.cpp '#include "tasks/parts/rows.h"'
expect ok tasks/digits/digits.cpp '#include "tasks/digits/glyphs.h"'
expect ok tasks/registry.cpp '#include "tasks/digits/entry.h"'
expect ok tasks/catalog.cpp '#include "tasks/own/own_tasks.h"'
expect ok tests/core/train/run_test.cpp '#include "core/train/run/run.h"'
expect ok tests/core/train/run_test.cpp '#include "tests/core/train/toy_task.h"'
expect ok tests/core/train/run_test.cpp '#include "tests/on_device.h"'
expect ok app/batch/run.cpp '#include "tasks/registry.h"'
expect ok app/main.cpp '#include "app/batch/commands.h"'
expect ok app/gui/window.cpp '#include <GLFW/glfw3.h>'
expect ok core/base/text/log.cpp '#include <boost/core/noncopyable.hpp>'
expect wrong core/base/text/error.h '#include "core/ops/ops.h"'
expect wrong core/ops/a_cpu.cpp '#include "core/nn/embedder.h"'
expect wrong core/ops/a_kernels.cu '#include "core/nn/embedder.h"'
expect wrong core/nn/mlp.cpp '#include "core/heads/head.h"'
expect wrong core/heads/flow.cpp '#include "core/task.h"'
expect wrong core/task.h '#include "core/train/run/run.h"'
expect wrong core/report/svg.cpp '#include "core/eval/metrics/metrics.h"'
expect wrong core/report/svg.cpp '#include "core/task.h"'
expect wrong core/eval/metrics/metrics.cpp '#include "core/train/run/run.h"'
expect wrong core/train/run/run.cpp '#include "tasks/registry.h"'
expect wrong core/train/run/run.cpp '  #  include <tasks/registry.h>'
expect wrong render/digit_warp.cpp '#include "core/ops/ops.h"'
expect wrong render/digit_warp.cpp '#include "tasks/digits/digits.h"'
expect wrong tasks/digits/digits.cpp '#include "core/train/run/run.h"'
expect wrong tasks/digits/digits.cpp '#include "app/batch/commands.h"'
expect wrong tasks/digits/digits.cpp '#include "tasks/gaussian/gaussian.h"'
expect wrong tasks/catalog.cpp '#include "tasks/digits/digits.h"'
expect wrong tests/core/train/run_test.cpp '#include "tasks/registry.h"'
expect wrong tests/core/train/run_test.cpp '#include "tasks/digits/digits.h"'
expect wrong tests/core/train/run_test.cpp '#include "app/runs/places.h"'
expect wrong tests/core/train/run_test.cpp '#include "tests/tasks/in_place_of.h"'
expect wrong tasks/rows.cpp '#include "tasks/digits/digits.h"'
expect wrong app/batch/data.cpp '#include "tasks/digits/images.h"'
expect wrong core/train/run/run.cpp '#include "tasks/digits/digits.h"'
expect wrong app/batch/run.cpp '#include "app/gui/window.h"'
expect wrong app/batch/run.cpp '#include <imgui.h>'
expect wrong app/model/studio.cpp '#include <imgui.h>'
expect wrong app/model/studio.cpp '#include "app/gui/window.h"'
expect wrong app/scores/cost.cpp '#include "app/batch/parts/command.h"'
expect wrong app/model/train/training.cpp '#include "app/model/posterior/posterior.h"'
expect wrong app/model/hub/hub.h '#include "app/model/train/training.h"'
expect wrong app/gui/train/train_panel.cpp '#include "app/gui/posterior/posterior_panel.h"'
expect wrong app/gui/train/train_panel.cpp '#include "app/model/posterior/posterior.h"'
expect ok app/gui/train/train_panel.cpp '#include "app/model/train/training.h"'
expect wrong app/gui/widgets/ui.cpp '#include "app/gui/plot/plot_view.h"'
expect wrong app/main.cpp '#include <GLFW/glfw3.h>'
expect wrong core/report/figure.h '#include <GL/gl.h>'
expect wrong core/ops/a_cpu.cpp '#include "../nn/embedder.h"'
expect wrong core/base/text/error.h '#include "tests/core/helper.h"'

# Includes within a large folder.
expect ok core/base/files/a.cpp '#include "core/base/text/error.h"'
expect ok core/base/files/a.cpp '#include "core/base/files/b.h"'
expect wrong core/base/text/a.h '#include "core/base/files/b.h"'
expect wrong core/train/settings/a.cpp '#include "core/train/run/run.h"'
expect ok app/posterior/files/a.cpp '#include "app/posterior/many/many_sets.h"'
expect wrong app/posterior/question/a.cpp '#include "app/posterior/files/draws_file.h"'
expect ok app/batch/commands.cpp '#include "app/batch/evaluate/a.h"'
expect wrong app/batch/parts/a.cpp '#include "app/batch/commands.h"'
expect ok tasks/own/own_tasks.cpp '#include "tasks/own/file/task_file.h"'
expect wrong tasks/own/file/task_file.cpp '#include "tasks/own/budget/pool.h"'
expect wrong tasks/own/own_tasks.h '#include "tasks/digits/glyphs.h"'

# expect_name ok|wrong FILE LINE: like expect, in a tree with two task folders, one of which has settings.
expect_name() {
  local verdict=ok
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/core/base/text" "$tree/app/batch" "$tree/app/model" "$tree/tasks/bump_hunt" "$tree/tasks/gaussian"
  echo '#include <vector>' >"$tree/core/base/text/error.h"
  printf '  return {.name = "%s",\n' bump-hunt digits >"$tree/tasks/bump_hunt/entry.cpp"
  printf '  return {.name = "%s",\n' gaussian >"$tree/tasks/gaussian/entry.cpp"
  printf '%s\n' 'return {{"size", &size, "Pixels", 8, 512},' ' {"convention",' '  &convention,' '  {"precision"}}};' \
    >"$tree/tasks/gaussian/gaussian.cpp"
  printf '%s\n' '#pragma once' "$3" >"$tree/$2"
  "$check" "$tree" >"$tree/out" 2>&1 || verdict=wrong
  count=$((count + 1))
  if [[ $verdict == "$1" ]] && { [[ $verdict == ok ]] || grep -q "^$2:2: names " "$tree/out"; }; then return; fi
  echo "expected $1 but got $verdict: $2 with $3"
  cat "$tree/out"
  failures=$((failures + 1))
}

expect_name ok core/base/text/text.cpp 'if (head.kind == "gaussian") draw_circle();'
expect_name ok app/model/draft.cpp '{"gaussian", "Mean and spread by regression"},'
expect_name ok app/model/draft.cpp 'std::string digits = "digits of a number";  // posterior draws'
expect_name ok app/model/draft.cpp 'const auto size = views->cast().height;'
expect_name ok app/model/draft.cpp 'key == "task.name"'
expect_name ok tasks/gaussian/gaussian.h 'struct GaussianSettings { std::string name = "gaussian"; };'
expect_name wrong app/model/studio.cpp 'constexpr const char* kFirst = "bump-hunt";'
expect_name wrong app/model/studio.cpp 'open("pairs --batch run bump-hunt --json");'
expect_name wrong app/model/studio.cpp 'auto posterior = bump_hunt::posterior();'
expect_name wrong app/model/studio.cpp 'class BumpHuntPanel;'
expect_name wrong app/model/studio.cpp '// Of bump-hunt alone.'
expect_name wrong core/base/text/text.cpp 'return task == "digits" ? 1 : 0;'
expect_name wrong core/base/text/text.cpp 'return config.task == "gaussian";'
expect_name wrong app/batch/run.cpp '"  pairs --batch run gaussian\n"'
expect_name wrong app/batch/run.cpp '"  pairs --batch presets gaussian"'
expect_name wrong app/batch/run.cpp 'set.push_back("task.size=32");'
expect_name wrong app/batch/run.cpp 'if (key == "task.convention") return;'

# expect_wrong WHY COMMAND...: expects the command to fail.
expect_wrong() {
  local why=$1
  shift
  count=$((count + 1))
  if "$@" >"$tree/out" 2>&1; then
    echo "$why passed"
    failures=$((failures + 1))
  fi
}
rm -rf "${tree:?}"/*
mkdir -p "$tree/core/new"
echo '#include <vector>' >"$tree/core/new/file.cpp"
expect_wrong "a folder that the rules do not name" "$check" "$tree"
expect_wrong "an empty list of files" awk -f "$(dirname "$check")/layers.awk" /dev/null

echo "$count cases, $failures wrong verdicts"
((failures == 0))
