#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/source/posterior_source.h"

namespace pairs {

struct ExternalValidation;
struct ValidatedItem;

// How posteriors of one target are widened for items of one kind, so that their intervals cover the values of the
// external validation. On the target's unbounded scale (log-odds between two bounds, an inverse softplus above one),
// let a posterior's 90 % interval be that of a normal of width w. The posterior is spread around its median until its
// 90 % interval is that of a normal of width factor90 · √(w² + added²), and its tails until the 99 % interval is that
// of factor99 · √(w² + added²); it is never narrowed. None of these numbers depends on the θ of the evaluated item.
struct Recalibration {
  std::string kind;        // kind_of()
  std::size_t target = 0;  // index of the target
  std::int64_t count = 0;  // number of items it was learned from
  double added = 0;        // a standard deviation
  double factor90 = 1, factor99 = 1;
  double inside90 = 0;        // share in the widened 90 % interval (ten-fold cross-validation),
  std::int64_t missed99 = 0;  // and the number outside the widened 99 % interval
};

// Learns the widening for each kind with at least 40 validation items, and for each target of which these have a value
// of their own. `items`: the records of validate_items.
std::vector<Recalibration> learn_recalibrations(const std::vector<ValidatedItem>& items,
                                                const ExternalValidation& validated,
                                                const std::vector<Target>& targets);
// The recalibrations of one kind.
std::vector<Recalibration> of_kind(std::vector<Recalibration> all, const std::string& kind);

// Writes recalibrations as a list of objects, and reads such a list. Throws Error for an impossible number.
nlohmann::json recalibrations_document(const std::vector<Recalibration>& all, const std::vector<Target>& targets);
std::vector<Recalibration> recalibrations_of_json(const nlohmann::json& document, const std::vector<Target>& targets);

// The posterior of an item, widened by the recalibrations of its kind: samples and density. Returned unchanged if `by`
// is empty or the samples are not finite.
PosteriorSource recalibrated(PosteriorSource source, const std::vector<Target>& targets,
                             const std::vector<Recalibration>& by);

}  // namespace pairs
