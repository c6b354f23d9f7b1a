#include "app/posterior/known_reference.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/posterior/known_source.h"
#include "core/base/error.h"
#include "core/base/face.h"
#include "core/report/number_text.h"
#include "core/set_references.h"

namespace pairs {
namespace {

std::vector<std::string> names_of_set(const SetChoice& choice) {
  if (!choice.member.empty()) return {choice.member};
  return {choice.file.filename().string(), choice.file.stem().string()};
}

}  // namespace

void ask_known_reference(const Task& task, ObservedSet& set, std::int64_t n, PosteriorAnswer& answer) {
  const HasSetReferences* const known = face<HasSetReferences>(task);
  if (known == nullptr || set.simulated() || set.of_thing()) return;
  try {
    const std::shared_ptr<ReferencePosterior> reference = known->reference_of(names_of_set(set.choice()));
    if (!reference) return;
    PAIRS_CHECK(n == set.held(), "it is that of all {} observations of the set, and {} are asked about",
                count_text(set.held()), count_text(n));
    answer.sources.push_back(known_source("exact", reference));
  } catch (const std::exception& error) {
    answer.problems.push_back(fmt::format("exact is left out: {}", sentence(error)));
  }
}

}  // namespace pairs
