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
  if (run == s.request.asked.run) return;
  s.leave_followed();
  s.request.asked.set = s.chosen();
  s.request.asked.run = run;
  s.request.asked.others.clear();
  show_again();
}

const std::string& Posterior::run() const {
  return state_->request.asked.run;
}

void Posterior::reload() {
  for (SetInquiry* inquiry : state_->inquiries.all()) inquiry->forget();
  show_again();
}

void Posterior::show_again() {
  PosteriorState& s = *state_;
  s.request.asked.set = s.chosen();
  s.none_chosen = false;
  s.table.reload(s.request.asked.run);
  ++s.request.scene;
  // The shown posterior stays until a new one is ready, unless the run changes.
  const std::vector<std::string> problems = s.result.problems;
  s.result = PosteriorResult();
  s.result.problems = problems;
  s.ask();
}

void Posterior::set_others(std::vector<std::string> runs) {
  PosteriorState& s = *state_;
  std::erase(runs, s.request.asked.run);
  if (runs == s.request.asked.others) return;
  s.request.asked.others = std::move(runs);
  s.ask();
}

const std::vector<std::string>& Posterior::others() const {
  return state_->request.asked.others;
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
  now.run = s.request.asked.run;
  now.set = s.asked_set();
  now.n = s.chosen_n ? n() : 0;
  now.others = s.request.asked.others;
  const SetChoice shown = now.set;
  if (s.table.is_open()) {
    const bool one_of_them = !shown.member.empty() && shown.file == s.table.sets().question.set.file;
    now.set = s.table.sets().question.set;
    now.set.index = shown.index;
    if (one_of_them) now.set = shown;
    now.many = true;
  } else if (!shown.member.empty()) {
    now.set = {.index = shown.index};  // a single set of many has no file of its own
  }
  now.interval = s.request.asked.interval;
  now.learned_product = s.request.asked.learned_product;
  now.source = s.request.asked.source;
  now.derived = s.restored_derived ? *s.restored_derived : options.derived();
  now.other_derived = s.request.asked.other_derived;
  if (const auto shown = s.scene()) now.other_derived.erase(shown->names);
  now.prior = s.inquiries.prior;
  now.tests = s.restored_tests.empty() ? s.inquiries.tests(inquiry_key()) : s.restored_tests;
  now.predictive_seed = s.inquiries.predictive_seed;
  now.pinned = s.restoring.busy() ? s.restoring.asked() : pins.questions();
  return now;
}

void Posterior::restore(const Question& question) {
  PosteriorState& s = *state_;
  restore_extras(question);
  s.request.asked.others = question.others;
  std::erase(s.request.asked.others, s.request.asked.run);
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
  options.set_source(question.source);
  s.request.asked.other_derived = question.other_derived;
  s.restored_derived = question.derived;
  s.inquiries.prior = question.prior;
  s.inquiries.predictive_seed = question.predictive_seed;
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
  if (s.request.asked.run.empty()) return "";
  if (state_->following() && s.follow_scene)
    return follow_command(s.request.asked.run, s.follow_scene->choice, s.hub.device);
  CommandOptions options{s.request.asked, s.hub.data_folder.string(), s.hub.device};
  options.asked.set = s.chosen();
  options.asked.n = n();
  // Keeps only the other runs that can be drawn.
  if (const auto& scene = s.result.scene; scene && scene->runs.front().run == s.request.asked.run)
    std::erase_if(options.asked.others, [&](const std::string& name) {
      return std::none_of(scene->runs.begin(), scene->runs.end(), [&](const auto& run) { return run.run == name; });
    });
  return figure_command(options, s.result.scene.get(), s.result.snapshot.get());
}

std::string Posterior::inquiry_key() const {
  return state_->inquiry_key();
}

SetInquiries& Posterior::inquiries() const {
  return state_->inquiries;
}

}  // namespace pairs::model
