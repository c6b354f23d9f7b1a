#include "app/posterior/answer/item_document.h"

#include <algorithm>

#include "app/posterior/answer/own_values.h"
#include "app/posterior/validation/external_validation_file.h"
#include "app/posterior/validation/recalibration.h"

namespace pairs {

void add_item(nlohmann::json& document, const ObservedSet& set, const ExternalValidation& validated,
              const std::string& name) {
  if (!set.of_item()) return;
  const std::vector<Target>& targets = set.task().info().targets;
  const std::vector<double> own = set.theta();
  document["item"] = name;
  for (std::size_t t = 0; t < std::min(own.size(), targets.size()); ++t) document["own"][targets[t].name] = own[t];
  for (std::size_t t = 0; t < targets.size(); ++t)
    if (set.marks().other_quantity(t)) document["own_other"][targets[t].name] = set.marks().other[t];
  const std::string kind = kind_of(validated, set.marks());
  if (!kind.empty()) document["kind"] = kind;
  if (!set.read_as().empty()) document["read_as"] = set.read_as();
  document["external_validation"] = external_validation_document(only_kind(validated, kind));
  document["external_validation"]["recalibrated"] =
      recalibrations_document(recalibrations_of(validated, set.marks()), targets);
  document["out_of_distribution"] = validated.out_of_distribution(set.marks());
}

std::vector<std::string> item_texts(const LoadedRun& run, const ObservedSet& set, const ExternalValidation& validated) {
  std::vector<std::string> texts;
  if (!set.of_item()) return texts;
  if (std::string own = own_values_text(set.task(), set.marks()); !own.empty()) texts.push_back(std::move(own));
  texts.push_back(learned_text(run, only_kind(validated, kind_of(validated, set.marks()))));
  return texts;
}

}  // namespace pairs
