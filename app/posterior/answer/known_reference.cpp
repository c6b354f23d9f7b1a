#include "app/posterior/answer/known_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/posterior/source/known_source.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/set_references.h"

namespace pairs {
namespace {

std::vector<std::string> names_of_choice(const SetChoice& choice) {
  std::error_code error;
  if (!choice.member.empty()) return names_of_set(choice.member, std::filesystem::is_directory(choice.file, error));
  return names_of_set(choice.file.filename().string(), true);
}

void report_exact_left_out(const std::string& why, PosteriorAnswer& answer) {
  answer.problems.push_back(fmt::format("exact is left out: {}", why));
}

bool has_exact(const Task& task) {
  const std::vector<std::string> all = task.references();
  return std::find(all.begin(), all.end(), "exact") != all.end();
}

}  // namespace

bool knows_exact(const Task& task) {
  const HasSetReferences* const known = face<HasSetReferences>(task);
  return has_exact(task) || (known != nullptr && known->knows_sets());
}

std::vector<std::string> names_of_set(const std::string& name, bool is_file) {
  if (!is_file) return {name};
  return {name, std::filesystem::path(name).stem().string()};
}

void ask_known_reference(const Task& task, const std::vector<std::string>& names, std::int64_t held, std::int64_t n,
                         PosteriorAnswer& answer) {
  const HasSetReferences* const known = face<HasSetReferences>(task);
  if (known == nullptr) return;
  try {
    const std::shared_ptr<ReferencePosterior> reference = known->reference_of(names);
    if (!reference) return;
    PAIRS_CHECK(n == held, "it is that of all {} observations of the set, and {} are asked about", count_text(held),
                count_text(n));
    answer.sources.push_back(known_source("exact", reference, task.info().targets));
  } catch (const std::exception& error) {
    report_exact_left_out(sentence(error), answer);
  }
}

void ask_known_reference(const Task& task, ObservedSet& set, std::int64_t n, PosteriorAnswer& answer) {
  if (set.simulated() || set.of_item()) return;
  ask_known_reference(task, names_of_choice(set.choice()), set.held(), n, answer);
}

void ask_exact(const Task& task, const Observations& x, const torch::Tensor& given,
               const std::vector<std::string>& names, std::int64_t held, PosteriorAnswer& answer) {
  const std::size_t sources = answer.sources.size(), problems = answer.problems.size();
  if (has_exact(task)) {
    try {
      answer.sources.push_back(reference_source(task, "exact", x, given));
    } catch (const std::exception& error) {
      report_exact_left_out(sentence(error), answer);
    }
  }
  ask_known_reference(task, names, held, x.count(), answer);
  if (answer.sources.size() == sources && answer.problems.size() == problems)
    report_exact_left_out("the task does not know that of this set", answer);
}

}  // namespace pairs
