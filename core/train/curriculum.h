#pragma once

#include <vector>

#include "core/task.h"
#include "core/train/config.h"
#include "core/train/source.h"

namespace pairs {

// The lessons with which stage 1 begins, element e for epoch e (curriculum learning, Bengio et al. 2009, applied to
// simulators): the run's own task with some of its settings changed, by pretrain.curriculum, "key=value: epochs"
// separated by semicolons, e.g. "distractors=0: 2; distractors=1: 4" (several settings of one lesson by spaces). After
// them comes the run's task. Throws a usage error when the text is not of that form, leaves no epoch for the task
// itself, or a lesson's sets do not fit the run's networks.
std::vector<Lesson> curriculum(const RunConfig& config, const TaskInfo& task);

}  // namespace pairs
