#include "app/model/posterior/posterior.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/model/posterior/posterior_state.h"
#include "app/model/posterior/shown/posterior_scene.h"
#include "app/posterior/question/set_arguments.h"
#include "app/posterior/source/other_prior.h"
#include "tasks/registry.h"

namespace pairs::model {

Posterior::Posterior(Hub& hub) : state_(std::make_unique<PosteriorState>(hub, player_)) {
  state_->request.set.id = ++state_->last_set;
}
Posterior::~Posterior() = default;

void Posterior::open(const std::string& run) {
  PosteriorState& s = *state_;
  if (run == s.request.run) return;
  s.leave_followed();
  s.request.run = run;
  s.request.others.clear();
  show_again();
}

const std::string& Posterior::run() const {
  return state_->request.run;
}

void Posterior::reload() {
  for (SetInquiry* inquiry : state_->inquiries.all()) inquiry->forget();
  show_again();
}

void Posterior::show_again() {
  PosteriorState& s = *state_;
  s.none_chosen = false;
  s.table.reload(s.request.run);
  ++s.request.scene;
  // The shown posterior stays until a new one is ready, unless the run changes.
  const std::vector<std::string> problems = s.result.problems;
  s.result = PosteriorResult();
  s.result.problems = problems;
  s.ask();
}

void Posterior::set_others(std::vector<std::string> runs) {
  PosteriorState& s = *state_;
  std::erase(runs, s.request.run);
  if (runs == s.request.others) return;
  s.request.others = std::move(runs);
  s.ask();
}

const std::vector<std::string>& Posterior::others() const {
  return state_->request.others;
}

void Posterior::new_set() {
  set.choose_index(set.index() + 1);
}

std::int64_t Posterior::most() const {
  return std::max<std::int64_t>(state_->player.most(), 1);
}

bool Posterior::can_choose_n() const {
  return !state_->following();
}

void Posterior::n_chosen() {
  state_->chosen_n = true;
}

bool Posterior::ready() const {
  return state_->ready();
}

void Posterior::follow_player() {
  state_->follow_player();
}

std::shared_ptr<const Task> Posterior::data_task() const {
  const auto now = scene();
  return now ? now->data_task : nullptr;
}

std::optional<std::string> Posterior::open_data(const LookedPath& looked) {
  if (looked.cameras) return views_refusal(looked.path, task_in_role(TaskRole::views));
  if (!looked.table && !looked.images && !looked.page_item && !looked.page_sets) return std::nullopt;
  set.open_file(looked.path);
  return "";
}

Question Posterior::question() const {
  const PosteriorState& s = *state_;
  Question now;
  now.set = s.asked().set;
  now.n = s.chosen_n ? n() : 0;
  now.others = s.request.others;
  const SetChoice shown = now.set;
  if (s.table.is_open()) {
    const bool one_of_them = !shown.member.empty() && shown.file == s.table.sets().set.file;
    now.set = s.table.sets().set;
    now.set.index = shown.index;
    if (one_of_them) now.set = shown;
    now.many = true;
  } else if (!shown.member.empty()) {
    now.set = {.index = shown.index};  // a single set of many has no file of its own
  }
  now.interval = s.request.interval;
  now.learned_product = s.request.learned_product;
  now.derived = s.restored_derived ? *s.restored_derived : options.derived();
  now.prior = s.inquiries.prior;
  now.tests = s.restored_tests.empty() ? s.inquiries.tests(inquiry_key()) : s.restored_tests;
  now.predictive_seed = static_cast<std::int64_t>(s.inquiries.predictive_seed);
  now.pinned = s.restoring.busy() ? s.restoring.asked() : pins.questions();
  return now;
}

void Posterior::restore(const Question& question) {
  PosteriorState& s = *state_;
  restore_extras(question);
  s.request.others = question.others;
  std::erase(s.request.others, s.request.run);
  if (question.n > 0) {
    s.chosen_n = true;
    s.player.want(question.n);
    s.restored_n = question.n;
  }
  if (question.many) {
    const SetChoice simulated{.index = question.set.index};
    s.another_set(question.set.member.empty() ? simulated : question.set);
    s.open_sets(of_all_members(question.set));
  } else {
    s.another_set(question.set);
  }
  s.restored_tests = question.tests;
  s.restored_tests_set = s.request.set.id;
  s.restored_tests_member = question.set.member;
}

void Posterior::restore_extras(const Question& question) {
  PosteriorState& s = *state_;
  options.set_interval(question.interval);
  options.set_learned_product(question.learned_product);
  s.restored_derived = question.derived;
  s.inquiries.prior = question.prior;
  s.inquiries.predictive_seed = static_cast<std::uint64_t>(question.predictive_seed);
  s.pin(nullptr);
  s.restoring.restore(question.pinned);
  s.ask();
}

std::shared_ptr<const PosteriorScene> Posterior::scene() const {
  return state_->scene();
}
std::shared_ptr<const PosteriorSnapshot> Posterior::shown() const {
  return state_->shown();
}
std::shared_ptr<const Figure> Posterior::width() const {
  return state_->follow_scene ? state_->follower.result().width : state_->result.width;
}
std::shared_ptr<const PredictiveCheck> Posterior::check() const {
  return state_->follow_scene ? nullptr : state_->result.check;
}
std::shared_ptr<const NuisanceView> Posterior::nuisance() const {
  return state_->follow_scene ? nullptr : state_->result.nuisance;
}
std::shared_ptr<const Figure> Posterior::observed() const {
  return state_->follow_scene ? nullptr : state_->result.observed;
}
double Posterior::embedded() const {
  return state_->follow_scene ? 1 : state_->result.embedded;
}
const std::string& Posterior::failure() const {
  return state_->result.failure;
}
std::string Posterior::batch_command() const {
  const PosteriorState& s = *state_;
  if (s.request.run.empty()) return "";
  if (state_->following() && s.follow_scene) return follow_command(s.request.run, s.follow_scene->choice, s.hub.device);
  CommandOptions asked{{s.request.run},    s.request.set.choice,     n(), s.hub.data_folder.string(), s.hub.device,
                         s.request.interval, s.request.learned_product};
  asked.runs.insert(asked.runs.end(), s.request.others.begin(), s.request.others.end());
  // Keeps only the other runs that can be drawn.
  if (const auto& scene = s.result.scene; scene && scene->runs.front().run == s.request.run)
    std::erase_if(asked.runs, [&](const std::string& name) {
      return std::none_of(scene->runs.begin(), scene->runs.end(), [&](const auto& run) { return run.run == name; });
    });
  return figure_command(asked, s.result.scene.get(), s.result.snapshot.get());
}

std::string Posterior::inquiry_key() const {
  return state_->inquiry_key();
}

SetInquiries& Posterior::inquiries() const {
  return state_->inquiries;
}

}  // namespace pairs::model
