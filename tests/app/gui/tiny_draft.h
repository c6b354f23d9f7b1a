#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/model/studio.h"

namespace pairs::gui {

// Settings with which every stage of a task takes about a second.
inline const std::vector<std::pair<std::string, std::string>> kTinyDraft = {
    {"embedder.layers", "16,16"}, {"embedder.size", "16"},   {"head.hidden", "16"},
    {"head.transforms", "1"},     {"head.bins", "8"},        {"pretrain.epochs", "4"},
    {"pretrain.steps", "40"},     {"pretrain.batch", "128"}, {"pretrain.validation_sets", "512"},
    {"cache.sizes", "20"},        {"cache.sets", "2000"},    {"finetune.epochs", "4"},
    {"finetune.steps", "40"},     {"finetune.batch", "64"},  {"finetune.validation_draws", "512"},
    {"evaluate.sizes", "1,20"},   {"evaluate.sets", "50"},   {"evaluate.samples", "50"},
    {"checkpoint", "0.05"},       {"device", "cpu"},         {"threads", "1"}};

// Applies the values of kTinyDraft that the draft's networks read.
inline void make_draft_tiny(model::Studio& studio) {
  model::Draft& draft = studio.training.drafts.shown();
  for (const auto& [key, value] : kTinyDraft) {
    const std::vector<model::Setting>& shown = draft.settings();
    if (std::any_of(shown.begin(), shown.end(), [&](const model::Setting& one) { return one.key == key; }))
      draft.set(key, value);
  }
}

}  // namespace pairs::gui
