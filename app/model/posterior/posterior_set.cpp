#include "app/model/posterior/posterior_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/model/posterior/posterior_state.h"
#include "app/model/posterior/shown/posterior_scene.h"

namespace pairs::model {

void PosteriorSet::choose_index(std::int64_t index) {
  state_.another_set({.index = std::max<std::int64_t>(index, 0)});
}

std::int64_t PosteriorSet::index() const {
  return state_.chosen().index;
}

void PosteriorSet::set_parameter(std::size_t k, double value) {
  PosteriorState& s = state_;
  const SetChoice now = s.chosen();
  if (!s.result.scene || k >= s.result.scene->parameters.size() || !now.simulated() || s.following()) return;
  // A held slider sends its value in every frame, even if the task adjusts it.
  if (s.asked_value && *s.asked_value == PosteriorState::Asked{s.request.set.id, k, value}) return;
  SetChoice set{.index = now.index, .theta = now.theta, .psi = now.psi, .given = now.given};
  // Values that depend on the last one are known once the set is ready.
  if (s.result.scene->set == s.request.set.id || set.theta.empty()) {
    set.theta.clear();
    set.psi.clear();
    for (const SetParameter& parameter : s.result.scene->parameters)
      (parameter.nuisance ? set.psi : set.theta).push_back(parameter.value);
  }
  const bool nuisance = k >= set.theta.size();
  const std::size_t place = nuisance ? k - set.theta.size() : k;
  (nuisance ? set.psi : set.theta)[place] = value;
  set.changed = Component{nuisance, static_cast<std::int64_t>(place)};
  s.another_set(std::move(set));
  s.asked_value = {s.request.set.id, k, value};
}

void PosteriorSet::set_condition(std::size_t k, double value) {
  PosteriorState& s = state_;
  const auto& scene = s.result.scene;
  if (!scene || k >= scene->given.size() || s.following() || scene->set != s.request.set.id) return;
  if (scene->given[k].value == value) return;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < scene->given.size(); ++i)
    words.push_back(fmt::format("{}={}", scene->given[i].name, i == k ? value : scene->given[i].value));
  SetChoice set = settled_choice(s.chosen(), *scene);
  set.given = fmt::format("{}", fmt::join(words, ","));
  if (!set.simulated()) s.keep_shown();
  s.another_set(std::move(set));
}

void PosteriorSet::open_file(const std::filesystem::path& path, std::vector<std::string> columns) {
  PosteriorState& s = state_;
  // Other columns of the same file keep the choice of observations.
  const SetChoice now = s.chosen();
  const bool whole = columns.empty() || path != now.file;
  SetChoice choice{.index = now.index, .file = path, .columns = std::move(columns)};
  choice.missing = s.missing;
  s.keep_shown();
  s.another_set(std::move(choice), whole, true);
}

std::optional<PosteriorSet::OtherColumns> PosteriorSet::take_other_columns() {
  PosteriorState& s = state_;
  if (s.result.set_columns.empty() || s.result.set_failure.empty() || !s.result.scene) return {};
  return OtherColumns{s.result.failed_file, std::exchange(s.result.set_columns, {}), s.result.scene->needed,
                      std::exchange(s.result.set_failure, "")};
}

std::optional<PosteriorSet::BrokenTable> PosteriorSet::take_broken_table() {
  PosteriorState& s = state_;
  if (s.result.spare.empty() || s.result.set_failure.empty() || s.result.large_held > 0) return {};
  return BrokenTable{s.result.failed_file, std::exchange(s.result.spare, {}),
                     s.failed_choice ? s.failed_choice->columns : std::vector<std::string>(),
                     std::exchange(s.result.set_failure, "")};
}

std::optional<PosteriorSet::LargeSet> PosteriorSet::take_large_set() {
  PosteriorState& s = state_;
  if (s.result.large_held == 0 || s.result.set_failure.empty() || !s.failed_choice) return {};
  return LargeSet{*s.failed_choice, s.result.large_held, s.result.large_most, s.result.spare,
                  std::exchange(s.result.set_failure, "")};
}

void PosteriorSet::open_part(SetChoice choice, std::optional<std::uint64_t> seed) {
  choice.random = seed;
  state_.keep_shown();
  state_.another_set(std::move(choice));
}

void PosteriorSet::choose_random(std::optional<std::uint64_t> seed) {
  PosteriorState& s = state_;
  SetChoice choice = s.chosen();
  if (choice.simulated() || choice.random == seed || s.following()) return;
  s.keep_shown();
  choice.random = seed;
  s.another_set(std::move(choice));
}

void PosteriorSet::set_up(const std::string& up) {
  PosteriorState& s = state_;
  SetChoice choice = s.chosen();
  if (choice.simulated() || choice.up == up || s.following()) return;
  s.keep_shown();
  choice.up = up;
  s.another_set(std::move(choice));
}

void PosteriorSet::set_missing(Missing missing) {
  PosteriorState& s = state_;
  if (s.missing == missing) return;
  s.missing = missing;
  if (s.table.is_open()) {
    SetChoice sets = s.table.sets().question.set;
    sets.missing = missing;
    return s.open_sets(std::move(sets));
  }
  SetChoice choice = s.failed_choice ? *s.failed_choice : s.chosen();
  if (choice.simulated() || choice.missing == missing || s.following()) return;
  s.keep_shown();
  const bool whole = s.failed_choice && s.failed_whole;
  choice.missing = missing;
  s.another_set(std::move(choice), whole);
}

Missing PosteriorSet::missing() const {
  return state_.missing;
}

void PosteriorSet::simulate() {
  state_.simulate();
}

const std::string& PosteriorSet::failure() const {
  return state_.result.set_failure;
}

void PosteriorSet::dismiss_failure() {
  state_.result.set_failure.clear();
}

}  // namespace pairs::model
