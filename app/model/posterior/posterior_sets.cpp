#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/model/posterior/posterior_state.h"

namespace pairs::model {

void Posterior::State::close_table() {
  table.close();
  request.beside.clear();
  none_chosen = false;
}

void Posterior::State::choose_shown() {
  if (!table.is_open() || table.chosen().empty() || !result.scene) return;
  const PosteriorScene& scene = *result.scene;
  const bool one_of_them = !scene.simulated && !scene.member.empty() && scene.group == table.sets().group &&
                           std::filesystem::path(scene.set_source) == table.sets().data;
  table.choose_instead(one_of_them ? scene.member : "");
  none_chosen = !one_of_them;
  if (table.chosen().empty()) return request.beside.clear();
  std::erase_if(request.beside, [&](const BesideSet& one) { return one.name == scene.member; });
}

void Posterior::State::show_chosen() {
  if (table.chosen().empty()) return;
  none_chosen = false;
  const auto choice_of = [&](std::size_t row) {
    SetChoice choice{.index = request.set.choice.index, .file = table.sets().data, .columns = table.sets().columns};
    choice.group = table.sets().group;
    choice.member = table.row(row).name;
    return choice;
  };
  request.beside.clear();
  for (std::size_t k = 1; k < table.chosen().size(); ++k)
    request.beside.push_back({table.row(table.chosen()[k]).name, choice_of(table.chosen()[k])});
  SetChoice first = choice_of(table.chosen().front());
  if (BesideSet{"", first} == BesideSet{"", request.set.choice}) return ask();
  keep_shown();
  another_set(std::move(first));
}

void Posterior::State::follow_table() {
  const bool one_of_many = result.scene && result.scene->set == request.set.id && !result.scene->member.empty();
  if (!table.is_open() && one_of_many) {  // of a task that is come back to
    const SetChoice& choice = request.set.choice;
    table_task = result.scene->task;
    table.open(request.run, {.data = choice.file, .group = choice.group, .columns = choice.columns});
  }
  if (!table.is_open()) return;
  if (result.scene && table_task.empty()) table_task = result.scene->task;
  if (result.scene && result.scene->task != table_task) return close_table();
  if (result.scene) table.open(request.run, table.sets());
  if (!table.chosen().empty() || none_chosen) return;
  const std::vector<std::size_t>& rows = table.order();
  const SetChoice& choice = request.set.choice;
  const bool same = choice.file == table.sets().data && choice.group == table.sets().group;
  const std::string shown = same ? choice.member : "";
  const auto answered = std::find_if(rows.begin(), rows.end(), [&](std::size_t row) {
    return shown.empty() ? table.row(row).problem.empty() : table.row(row).name == shown;
  });
  if (answered == rows.end()) return;
  table.choose(static_cast<std::size_t>(answered - rows.begin()), SetClick::alone);
  show_chosen();
}

void Posterior::open_sets(const std::filesystem::path& path, const std::string& group,
                          std::vector<std::string> columns) {
  State& s = *state_;
  s.end_following();
  s.forget_failure();
  s.none_chosen = false;
  s.request.beside.clear();
  s.table_task = s.result.scene && s.result.scene->runs.front().run == s.request.run ? s.result.scene->task : "";
  s.table.set_interval(s.request.interval);
  s.table.open(s.request.run, {.data = path, .group = group, .columns = std::move(columns)});
}

SetTable& Posterior::table() {
  return state_->table;
}

const SetTable& Posterior::table() const {
  return state_->table;
}

void Posterior::choose_set(std::size_t place, SetClick click) {
  state_->table.choose(place, click);
  state_->show_chosen();
}

void Posterior::close_sets() {
  const AskedSets sets = state_->table.sets();
  state_->close_table();
  if (sets.group.empty()) return simulate();
  open_file(sets.data, sets.columns);
}

}  // namespace pairs::model
