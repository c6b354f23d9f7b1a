#!/usr/bin/env bash
# Plants one line at a time in an otherwise correct tree and expects kinds.sh to accept or reject it.
set -euo pipefail
check=$(dirname "$(realpath "$0")")/kinds.sh
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

expect ok tasks/digits.cpp '  info_.kind = ObservationKind::image;'
expect ok tasks/views.cpp '  info_.target_kind = TargetKind::image;'
expect ok app/kinds/kind.cpp '    case ObservationKind::rows: return rows;'
expect ok core/target_model.cpp '  switch (info.target_kind) {'
expect ok core/heads/make_head.cpp '    if (name == kind.name) return kind;'
expect ok app/gui/plot/legend.cpp '    if (entry.kind == KeyKind::line) draw();'
expect ok app/model/task/specimen.cpp '// Not if (info.kind == ObservationKind::image).'
expect ok app/posterior/source/posterior_source.cpp '  if (estimator.has_density()) return;'
expect wrong app/batch/train/demo_command.cpp '  if (run.estimator->has_density()) draw();'
expect wrong app/scores/verdict.cpp '  if (of_images(rows)) return image_verdict(rows);'
expect wrong app/gui/shell.cpp '  studio.viewing() ? studio.viewer.draw() : studio.posterior.draw();'
expect ok core/base/text/error.cpp 'if (dynamic_cast<const std::bad_alloc*>(&error)) return;'
expect wrong tasks/digits.cpp '  if (info_.kind == ObservationKind::image) return;'
expect wrong app/kinds/points/points_room.cpp '  if (info.kind == ObservationKind::rows) return;'
expect wrong app/model/task/specimen.cpp '  card.image = info.kind == ObservationKind::image;'
expect wrong core/train/settings/source.cpp '  const bool image = task.info().image_target();'
expect wrong core/eval/evaluate/evaluate.cpp '  if (task->image_target()) return;'
expect wrong core/estimator.cpp '  switch (info.target_kind) {'
expect wrong core/train/stages/pretrain.cpp '  if (config.estimator.head.kind == "gaussian") fit();'
expect wrong app/model/task/specimen.cpp '  if (config.kind == "cnn") return "CNN";'
expect wrong core/train/settings/config.cpp '  if (c.estimator.embedder.kind != "mlp") fail();'
expect wrong core/train/settings/config.cpp '  if (kind == "spline") return;'
expect wrong core/train/steps/regression_sigma.cpp '  auto* head = dynamic_cast<GaussianHead*>(&any);'
expect wrong app/batch/parts/sampler_options.cpp '  auto head = std::dynamic_pointer_cast<FlowMatchingHead>(any);'

count=$((count + 1))
if awk -f "$(dirname "$check")/kinds.awk" /dev/null >"$tree/out" 2>&1; then
  echo "an empty list of files passed"
  failures=$((failures + 1))
fi

echo "$count cases, $failures wrong verdicts"
((failures == 0))
