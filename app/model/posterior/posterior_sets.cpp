#include "app/model/posterior/posterior_sets.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/model/posterior/posterior_state.h"

namespace pairs::model {

void PosteriorState::close_table() {
  table.close();
  request.extra.clear();
  none_chosen = false;
}

void PosteriorState::choose_shown() {
  if (!table.is_open() || table.chosen().empty() || !result.scene) return;
  const PosteriorScene& scene = *result.scene;
  const SetChoice &shown = scene.choice, &sets = table.sets().question.set;
  const bool one_of_them = !shown.member.empty() && shown.group == sets.group && shown.file == sets.file;
  table.choose_instead(one_of_them ? shown.member : "");
  none_chosen = !one_of_them;
  if (table.chosen().empty()) return request.extra.clear();
  std::erase_if(request.extra, [&](const OtherSet& one) { return one.name == shown.member; });
}

void PosteriorState::show_chosen() {
  if (table.chosen().empty()) return;
  none_chosen = false;
  const auto choice_of = [&](std::size_t row) {
    SetChoice choice = table.sets().question.set;
    choice.index = chosen().index;
    choice.member = table.row(row).name;
    return choice;
  };
  request.extra.clear();
  for (std::size_t k = 1; k < table.chosen().size(); ++k)
    request.extra.push_back({table.row(table.chosen()[k]).name, choice_of(table.chosen()[k])});
  SetChoice first = choice_of(table.chosen().front());
  // Conditions that the user set stay.
  SetChoice shown = chosen();
  shown.given = first.given;
  shown.random = first.random;
  if (first == shown) return ask();
  keep_shown();
  another_set(std::move(first));
}

void PosteriorState::follow_table() {
  const bool one_of_many = result.scene && result.scene->set == request.set.id && !result.scene->choice.member.empty();
  if (!table.is_open() && one_of_many) {  // of a task that is come back to
    table_task = result.scene->task;
    table.open(
        {.question = {.run = request.asked.run, .set = of_all_members(chosen()), .source = request.asked.source}});
  }
  if (!table.is_open()) return;
  if (result.scene && table_task.empty()) table_task = result.scene->task;
  if (result.scene && result.scene->task != table_task) return close_table();
  if (result.scene) {
    AskedSets sets = table.sets();
    sets.question.run = request.asked.run;
    sets.question.source = request.asked.source;
    table.open(std::move(sets));
  }
  if (!table.chosen().empty() || none_chosen) return;
  const std::vector<std::size_t>& rows = table.order();
  const SetChoice choice = chosen();
  const bool same = choice.file == table.sets().question.set.file && choice.group == table.sets().question.set.group;
  const std::string shown = same ? choice.member : "";
  const auto answered = std::find_if(rows.begin(), rows.end(), [&](std::size_t row) {
    return shown.empty() ? table.row(row).problem.empty() : table.row(row).name == shown;
  });
  if (answered == rows.end()) return;
  table.choose(static_cast<std::size_t>(answered - rows.begin()), SetClick::alone);
  show_chosen();
}

void PosteriorState::open_sets(SetChoice sets) {
  end_following();
  forget_failure();
  none_chosen = false;
  request.extra.clear();
  table_task = result.scene && result.scene->runs.front().run == request.asked.run ? result.scene->task : "";
  table.set_interval(request.asked.interval);
  table.open({.question = {.run = request.asked.run, .set = std::move(sets), .source = request.asked.source}});
}

void PosteriorSets::open(const std::filesystem::path& path, const std::string& group,
                         std::vector<std::string> columns) {
  SetChoice sets{.index = state_.chosen().index, .file = path, .columns = std::move(columns), .group = group};
  sets.missing = state_.missing;
  open(std::move(sets));
}

void PosteriorSets::open(SetChoice sets) {
  state_.open_sets(std::move(sets));
}

SetTable& PosteriorSets::table() {
  return state_.table;
}

const SetTable& PosteriorSets::table() const {
  return state_.table;
}

void PosteriorSets::choose(std::size_t place, SetClick click) {
  state_.table.choose(place, click);
  state_.show_chosen();
}

void PosteriorSets::close() {
  SetChoice file = state_.table.sets().question.set;
  state_.close_table();
  if (file.group.empty()) return state_.simulate();
  file.group.clear();
  state_.keep_shown();
  state_.another_set(std::move(file));
}

}  // namespace pairs::model
