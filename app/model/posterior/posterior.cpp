#include "app/model/posterior/posterior.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/model/posterior/posterior_scene.h"
#include "app/model/posterior/posterior_state.h"
#include "app/posterior/question/set_arguments.h"
#include "app/posterior/source/other_prior.h"
#include "tasks/file_format.h"
#include "tasks/registry.h"
#include "tasks/table_file.h"
#include "tasks/view_folder.h"

namespace pairs::model {

Posterior::Posterior(Hub& hub) : state_(std::make_unique<State>(hub, player_)) {
  state_->request.set.id = ++state_->last_set;
}
Posterior::~Posterior() = default;

void Posterior::open(const std::string& run) {
  State& s = *state_;
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
  State& s = *state_;
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
  State& s = *state_;
  std::erase(runs, s.request.run);
  if (runs == s.request.others) return;
  s.request.others = std::move(runs);
  s.ask();
}

const std::vector<std::string>& Posterior::others() const {
  return state_->request.others;
}

void Posterior::new_set() {
  set_index(index() + 1);
}

void Posterior::set_index(std::int64_t index) {
  state_->another_set({.index = std::max<std::int64_t>(index, 0)});
}

std::int64_t Posterior::index() const {
  return state_->request.set.choice.index;
}

void Posterior::set_parameter(std::size_t k, double value) {
  State& s = *state_;
  const SetChoice& now = s.request.set.choice;
  if (!s.result.scene || k >= s.result.scene->parameters.size() || !now.file.empty() || following()) return;
  // A held slider sends its value in every frame, even if the task adjusts it.
  if (s.asked_value && *s.asked_value == State::Asked{s.request.set.id, k, value}) return;
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

void Posterior::set_given(std::size_t k, double value) {
  State& s = *state_;
  const auto& scene = s.result.scene;
  if (!scene || k >= scene->given.size() || following() || scene->set != s.request.set.id) return;
  if (scene->given[k].value == value) return;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < scene->given.size(); ++i)
    words.push_back(fmt::format("{}={}", scene->given[i].name, i == k ? value : scene->given[i].value));
  SetChoice set = settled_choice(s.request.set.choice, *scene);
  set.given = fmt::format("{}", fmt::join(words, ","));
  if (!set.file.empty()) s.keep_shown();
  s.another_set(std::move(set));
}

bool Posterior::State::holds_sets(const std::filesystem::path& path) const {
  try {
    return result.scene && result.scene->holds_sets && result.scene->holds_sets(path);
  } catch (const std::exception&) {
    return false;  // reading the file reports its problem
  }
}

void Posterior::open_file(const std::filesystem::path& path, std::vector<std::string> columns) {
  State& s = *state_;
  // Other columns of the same file keep the choice of observations.
  const bool whole = columns.empty() || path != s.request.set.choice.file;
  SetChoice choice{.index = s.request.set.choice.index, .file = path, .columns = std::move(columns)};
  choice.missing = s.missing;
  if (s.holds_sets(path)) return open_sets(std::move(choice));
  s.keep_shown();
  s.another_set(std::move(choice), whole);
}

std::optional<Posterior::OtherColumns> Posterior::take_other_columns() {
  State& s = *state_;
  if (s.result.set_columns.empty() || s.result.set_failure.empty() || !s.result.scene) return {};
  return OtherColumns{s.result.failed_file, std::exchange(s.result.set_columns, {}), s.result.scene->needed,
                      std::exchange(s.result.set_failure, "")};
}

std::optional<Posterior::BrokenTable> Posterior::take_broken_table() {
  State& s = *state_;
  if (s.result.spare.empty() || s.result.set_failure.empty() || s.result.large_held > 0) return {};
  return BrokenTable{s.result.failed_file, std::exchange(s.result.spare, {}),
                     s.failed_choice ? s.failed_choice->columns : std::vector<std::string>(),
                     std::exchange(s.result.set_failure, "")};
}

std::optional<Posterior::LargeSet> Posterior::take_large_set() {
  State& s = *state_;
  if (s.result.large_held == 0 || s.result.set_failure.empty() || !s.failed_choice) return {};
  return LargeSet{*s.failed_choice,     s.result.large_held,         s.result.large_most,
                  s.result.spare, std::exchange(s.result.set_failure, "")};
}

void Posterior::open_part(SetChoice choice, std::optional<std::uint64_t> seed) {
  choice.random = seed;
  state_->keep_shown();
  state_->another_set(std::move(choice));
}

void Posterior::set_random(std::optional<std::uint64_t> seed) {
  State& s = *state_;
  SetChoice choice = s.request.set.choice;
  if (choice.file.empty() || choice.random == seed || following()) return;
  s.keep_shown();
  choice.random = seed;
  s.another_set(std::move(choice));
}

void Posterior::set_up(const std::string& up) {
  State& s = *state_;
  SetChoice choice = s.request.set.choice;
  if (choice.file.empty() || choice.up == up || following()) return;
  s.keep_shown();
  choice.up = up;
  s.another_set(std::move(choice));
}

void Posterior::set_missing(Missing missing) {
  State& s = *state_;
  if (s.missing == missing) return;
  s.missing = missing;
  if (s.table.is_open()) {
    SetChoice sets = s.table.sets().set;
    sets.missing = missing;
    return open_sets(std::move(sets));
  }
  SetChoice choice = s.failed_choice ? *s.failed_choice : s.request.set.choice;
  if (choice.file.empty() || choice.missing == missing || following()) return;
  s.keep_shown();
  const bool whole = s.failed_choice && s.failed_whole;
  choice.missing = missing;
  s.another_set(std::move(choice), whole);
}

Missing Posterior::missing() const {
  return state_->missing;
}

void Posterior::simulate() {
  state_->end_following();
  if (!state_->request.set.choice.file.empty()) set_index(index());
}

std::int64_t Posterior::most() const {
  return std::max<std::int64_t>(state_->player.most(), 1);
}

bool Posterior::can_choose_n() const {
  return !following();
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

std::optional<std::string> Posterior::open_data(const std::filesystem::path& path, bool images) {
  std::error_code error;
  if (std::filesystem::exists(path / kCamerasFile, error)) return views_refusal(path, task_in_role(TaskRole::views));
  const std::string whole = whole_ending(path);
  const std::string ending = whole.ends_with(".gz") ? whole.substr(0, whole.size() - 3) : whole;
  const auto among = [&](const std::vector<std::string>& all) {
    return std::find(all.begin(), all.end(), ending) != all.end();
  };
  const bool table = among(table_endings()) || among(text_endings()) || !table_parts(path).empty();
  const auto shown = scene();
  const bool item = shown && shown->is_item && shown->is_item(path.string());
  if (ending != ".npz" && ending != ".npy" && !table && !images && !item && !state_->holds_sets(path))
    return std::nullopt;
  open_file(path);
  return "";
}

Question Posterior::question() const {
  const State& s = *state_;
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
  now.derived = s.restored_derived ? *s.restored_derived : derived();
  now.prior = s.inquiries.prior;
  now.tests = s.restored_tests.empty() ? s.inquiries.tests(inquiry_key()) : s.restored_tests;
  now.predictive_seed = static_cast<std::int64_t>(s.inquiries.predictive_seed);
  now.pinned = s.restoring.busy() ? s.restoring.asked() : pinned();
  return now;
}

void Posterior::restore(const Question& question) {
  State& s = *state_;
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
    open_sets(of_all_members(question.set));
  } else {
    s.another_set(question.set);
  }
  s.restored_tests = question.tests;
  s.restored_tests_set = s.request.set.id;
  s.restored_tests_member = question.set.member;
}

void Posterior::restore_extras(const Question& question) {
  State& s = *state_;
  set_interval(question.interval);
  set_learned_product(question.learned_product);
  s.restored_derived = question.derived;
  s.inquiries.prior = question.prior;
  s.inquiries.predictive_seed = static_cast<std::uint64_t>(question.predictive_seed);
  s.pin(nullptr);
  s.restoring.restore(question.pinned);
  s.ask();
}

IntervalKind Posterior::interval() const {
  return state_->request.interval;
}

void Posterior::set_interval(IntervalKind kind) {
  State& s = *state_;
  if (kind == s.request.interval) return;
  s.request.interval = kind;
  s.follower.set_interval(kind);
  s.table.set_interval(kind);
  s.ask();
}

bool Posterior::learned_product() const {
  return state_->request.learned_product;
}

void Posterior::set_learned_product(bool on) {
  State& s = *state_;
  if (on == s.request.learned_product) return;
  s.request.learned_product = on;
  s.ask();
}

std::vector<std::string> Posterior::derived() const {
  const auto now = scene();
  const auto& all = state_->request.derived;
  const auto known = now ? all.find(now->names) : all.end();
  return known == all.end() ? std::vector<std::string>() : known->second;
}

std::string Posterior::add_derived(const std::string& text) {
  State& s = *state_;
  const auto now = scene();
  if (!now) return "Nothing is shown yet of which a quantity could be derived";
  std::vector<std::string> texts = derived();
  texts.push_back(text);
  try {
    derived_quantities(texts, now->names);
  } catch (const Error& error) {
    return error.what();
  }
  s.request.derived[now->names] = std::move(texts);
  s.ask();
  return "";
}

void Posterior::remove_derived(std::size_t k) {
  State& s = *state_;
  const auto now = scene();
  const auto known = now ? s.request.derived.find(now->names) : s.request.derived.end();
  if (known == s.request.derived.end() || k >= known->second.size()) return;
  known->second.erase(known->second.begin() + static_cast<std::ptrdiff_t>(k));
  s.ask();
}

void Posterior::pin() {
  State& s = *state_;
  const auto now = scene();
  const auto snapshot = shown();
  if (!now || !snapshot || snapshot->set != now->set) return;
  PinnedQuestion asked = s.asked();
  asked.n = snapshot->n;
  s.pin(with_pinned(s.request.pinned, *now, *snapshot, ++s.last_pin, std::move(asked)));
}

void Posterior::unpin(std::uint64_t id) {
  state_->pin(without_pinned(state_->request.pinned, id));
}

void Posterior::rename_pin(std::uint64_t id, const std::string& name) {
  state_->pin(renamed_pinned(state_->request.pinned, id, name));
}

std::vector<Posterior::Pin> Posterior::pins() const {
  std::vector<Pin> all;
  const auto now = scene();
  if (now && state_->request.pinned)
    for (const PinnedPosterior& one : *state_->request.pinned)
      if (one.task == now->task && one.targets == now->names)
        all.push_back({one.id, one.numbers.name, one.numbers.role});
  return all;
}

std::vector<PinnedQuestion> Posterior::pinned() const {
  std::vector<PinnedQuestion> all;
  if (state_->request.pinned)
    for (const PinnedPosterior& one : *state_->request.pinned) {
      all.push_back(one.asked);
      all.back().name = one.numbers.name;
    }
  return all;
}

std::shared_ptr<const PosteriorScene> Posterior::scene() const {
  return state_->follow_scene ? state_->follow_scene : state_->result.scene;
}
std::shared_ptr<const PosteriorSnapshot> Posterior::shown() const {
  return state_->follow_scene ? state_->follower.result().snapshot : state_->result.snapshot;
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
const std::string& Posterior::set_failure() const {
  return state_->result.set_failure;
}
void Posterior::dismiss_set_failure() {
  state_->result.set_failure.clear();
}

std::string Posterior::batch_command() const {
  const State& s = *state_;
  if (s.request.run.empty()) return "";
  if (following() && s.follow_scene) return follow_command(s.request.run, s.follow_scene->choice, s.hub.device);
  CommandOptions options{{s.request.run},    s.request.set.choice,     n(), s.hub.data_folder.string(), s.hub.device,
                         s.request.interval, s.request.learned_product};
  options.runs.insert(options.runs.end(), s.request.others.begin(), s.request.others.end());
  // Keeps only the other runs that can be drawn.
  if (const auto& scene = s.result.scene; scene && scene->runs.front().run == s.request.run)
    std::erase_if(options.runs, [&](const std::string& name) {
      return std::none_of(scene->runs.begin(), scene->runs.end(), [&](const auto& run) { return run.run == name; });
    });
  return figure_command(options, s.result.scene.get(), s.result.snapshot.get());
}

std::optional<SamplesAsked> Posterior::samples_asked() const {
  const State& s = *state_;
  const auto& scene = s.result.scene;
  if (following() || !scene || scene->set != s.request.set.id || scene->runs.front().run != s.request.run) return {};
  SamplesAsked asked;
  asked.run = s.request.run;
  asked.data = s.hub.data_folder.string();
  asked.device = s.hub.device;
  asked.set = settled_choice(s.request.set.choice, *scene);
  asked.n = n();
  return asked;
}

SampleSaving& Posterior::saving() {
  return state_->saving;
}

std::optional<ReportAsked> Posterior::report_asked() const {
  const auto samples = samples_asked();
  if (!samples || samples->set.file.empty() || !samples->set.member.empty()) return {};
  ReportAsked asked;
  asked.run = samples->run;
  asked.question.set = samples->set;
  asked.question.n = samples->n;
  asked.question.interval = state_->request.interval;
  asked.question.device = samples->device;
  asked.question.data = samples->data;
  asked.question.derive = derived();
  asked.question.notes = state_->reports.notes();
  // The report contains the answers shown on the page.
  const SetInquiries& inquiries = state_->inquiries;
  const std::string key = inquiry_key();
  const auto answered = [](const std::shared_ptr<const SetInquiry::Answer>& answer) { return answer && answer->made; };
  if (answered(inquiries.local_test.answer(key))) asked.question.local_test = kLocalTestSets;
  if (answered(inquiries.confidence.answer(key))) asked.question.confidence = ToyPlan().toys;
  if (answered(inquiries.other_prior.answer(inquiries.prior_key(key)))) {
    PriorTexts texts = prior_texts(inquiries.prior);
    asked.question.prior = std::move(texts.now);
    asked.question.learned_prior = std::move(texts.learned);
  }
  return asked;
}

ReportSaving& Posterior::reports() {
  return state_->reports;
}

std::string Posterior::inquiry_key() const {
  const State& s = *state_;
  return fmt::format("{} n {}{} {}", s.request.run, n(), set_arguments(s.asked().set, SetCommand::figure), s.set_stamp);
}

SetInquiries& Posterior::inquiries() const {
  return state_->inquiries;
}

}  // namespace pairs::model
