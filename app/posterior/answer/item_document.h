#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/set/observed_set.h"
#include "app/posterior/validation/external_validation.h"
#include "core/train/run/run.h"

namespace pairs {

// Adds what is known of a set that was made from an item, if it was: {"item", "own"?, "own_other"?, "kind"?,
// "read_as"?, "external_validation", "out_of_distribution"}. `name`: of the item.
void add_item(nlohmann::json& document, const ObservedSet& set, const ExternalValidation& validated,
              const std::string& name);

// What is known of it as sentences: the item's own values, and what training and external validation say of its kind.
// Empty for other sets.
std::vector<std::string> item_texts(const LoadedRun& run, const ObservedSet& set, const ExternalValidation& validated);

}  // namespace pairs
