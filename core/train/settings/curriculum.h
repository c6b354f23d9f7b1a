#pragma once

#include <string>
#include <vector>

#include "core/train/settings/config.h"
#include "core/train/settings/source.h"

namespace pairs {

// The lessons of stage 1, one per epoch from the first epoch on (curriculum learning, Bengio et al. 2009, applied to
// simulators): the run's task with some settings changed. pretrain.curriculum lists "settings: share" separated by
// semicolons. Settings are key=value separated by spaces, and a value alone belongs to the previous key; the share is a
// percentage of all epochs or a number of them: "distractors=0: 10 %; 1: 30 %; 2: 4". After the lessons comes the run's
// own task. Throws a usage error if the text does not have that form, leaves no epoch for the task itself, or if a
// lesson's sets do not fit the run's networks.
std::vector<Lesson> curriculum(const RunConfig& config);
// The run's own values of the settings that lessons change, "distractors=3"; "" without lessons.
std::string own_settings(const RunConfig& config, const std::vector<Lesson>& lessons);

}  // namespace pairs
