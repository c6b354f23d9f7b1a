#pragma once

#include <string>
#include <vector>

#include "core/train/config.h"
#include "core/train/source.h"

namespace pairs {

// The lessons with which stage 1 begins, element e for epoch e (curriculum learning, Bengio et al. 2009, applied to
// simulators): the run's own task with some of its settings changed, by pretrain.curriculum, "settings: share"
// separated by semicolons. Settings are key=value separated by spaces, a value alone is of the key before; the share is
// a part of all epochs or a number of them: "distractors=0: 10 %; 1: 30 %; 2: 4". After the lessons comes the run's
// task. Throws a usage error when the text is not of that form, leaves no epoch for the task itself, or a lesson's sets
// do not fit the run's networks.
std::vector<Lesson> curriculum(const RunConfig& config);
// What the run's own settings say of those that lessons change, "distractors=3"; "" without lessons.
std::string own_settings(const RunConfig& config, const std::vector<Lesson>& lessons);

}  // namespace pairs
