#include "app/model/posterior/posterior.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "app/model/hub/background.h"
#include "app/model/hub/n_player.h"
#include "app/model/posterior/file_follower.h"
#include "app/model/posterior/posterior_engine.h"
#include "app/model/posterior/posterior_scene.h"
#include "app/model/posterior/report_saving.h"
#include "app/model/posterior/sample_saving.h"
#include "app/model/posterior/set_inquiry.h"
#include "app/model/posterior/set_table.h"
#include "core/base/clock.h"
#include "tasks/registry.h"
#include "tasks/table_file.h"
#include "tasks/view_folder.h"

namespace pairs::model {
namespace {

// A round N at which there is something to see, with more and less of it to either side.
std::int64_t first_n(std::int64_t most) {
  const double n = std::pow(static_cast<double>(most), 0.75), power = std::pow(10, std::floor(std::log10(n)));
  return std::max<std::int64_t>(1, std::llround(std::round(n / power) * power));
}

}  // namespace

struct Posterior::State {
  State(Hub& shared, NPlayer& n)
      : hub(shared),
        player(n),
        saving(shared),
        reports(shared),
        table(shared),
        inquiries(shared),
        follower(shared),
        background(shared) {}

  Hub& hub;
  PosteriorRequest request;
  SetRequest before;  // the set that was shown when a file was asked for
  PosteriorResult result;
  std::uint64_t shaded = 0;    // version of the runs' shades
  std::uint64_t last_set = 0;  // id
  struct Asked {
    std::uint64_t set;
    std::size_t parameter;
    double value;
    bool operator==(const Asked&) const = default;
  };
  std::optional<Asked> asked_value;  // the set that a value by hand made
  std::size_t told = 0;              // problems that are in the log
  std::string scene_task;            // of the last scene
  std::uint64_t scene_set = 0;
  std::string scene_source;                    // of its set
  std::map<std::string, std::int64_t> file_n;  // shown of a file, by task
  bool chosen_n = false;                       // by a person, rather than the first
  std::int64_t restored_n = 0;                 // of an earlier start, until the set is there; 0: none
  NPlayer& player;
  SampleSaving saving;
  ReportSaving reports;
  SetTable table;
  std::string table_task;        // whose sets it holds; "" until a run is there
  bool none_chosen = false;      // no set of the table is shown, since the one that was to be cannot be read
  std::uint64_t failed_set = 0;  // id of the set that could not be read, while the one before it stays; 0: none
  SetInquiries inquiries;
  FileFollower follower;
  std::shared_ptr<const PosteriorScene> follow_scene;  // of the file that is followed
  std::uint64_t stopped_set = 0;  // id of the set that it becomes, until its posterior is there; 0: none
  std::uint64_t last_pin = 0;     // id
  Background<PosteriorEngine, PosteriorRequest> background;

  void ask() {
    shaded = hub.run_shades->version();
    if (request.run.empty()) return background.cancel();
    request.tasks = hub.tasks;
    request.data = hub.data_folder.string();
    request.device = hub.device;
    request.n = player.n();
    request.shades.clear();
    request.shades[request.run] = hub.run_shades->of(request.run);
    for (const std::string& other : request.others) request.shades[other] = hub.run_shades->of(other);
    background.request(request);
  }

  void end_following() {
    follower.end();
    follow_scene = nullptr;
    stopped_set = 0;
  }

  // The set that a followed file becomes, for its task; none where nothing came or its text is wrong.
  std::optional<SetRequest> followed_set() {
    const auto state = follower.result().state;
    if (!state || !follow_scene || state->seen == 0 || !state->failure.empty()) return {};
    SetRequest set{++last_set, {.index = request.set.choice.index, .file = state->file}, follow_scene->task};
    if (state->used < state->seen) set.choice.random = kFollowSeed;
    return set;
  }

  // Another task or run is shown: the file that was followed is its task's set.
  void leave_followed() {
    if (const std::optional<SetRequest> set = followed_set()) {
      request.files[set->task] = set->choice;
      file_n.erase(set->task);
      request.set = *set;
    }
    end_following();
  }

  void pin(PinnedPosteriors pinned) {
    if (pinned == request.pinned) return;
    follower.set_pinned(pinned);
    request.pinned = std::move(pinned);
    ask();
  }

  // The set that is shown now is the one to go back to.
  void keep_shown() {
    if (result.scene && result.scene->set == request.set.id) before = request.set;
  }

  void close_table() {
    table.close();
    request.beside.clear();
    none_chosen = false;
  }

  // What was chosen cannot be read: chosen is the set that is shown, where it is one of the table's.
  void choose_shown() {
    if (!table.is_open() || table.chosen().empty() || !result.scene) return;
    const PosteriorScene& scene = *result.scene;
    const bool one_of_them = !scene.simulated && !scene.member.empty() && scene.group == table.sets().group &&
                             std::filesystem::path(scene.set_source) == table.sets().data;
    table.choose_instead(one_of_them ? scene.member : "");
    none_chosen = !one_of_them;
    if (table.chosen().empty()) return request.beside.clear();
    std::erase_if(request.beside, [&](const BesideSet& one) { return one.name == scene.member; });
  }

  // The set that was asked for cannot be read: the one before it is asked for again.
  void go_back() {
    failed_set = request.set.id;
    if (result.scene && result.scene->set == before.id) request.set = before;
    choose_shown();
  }

  // An older failure says nothing about what is asked for now.
  void forget_failure() {
    result.set_failure.clear();
    failed_set = 0;
  }

  // Shows what is chosen in the table.
  void show_chosen() {
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

  // The rows of the run and task that are shown, the first of them on the screen.
  void follow_table() {
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

  void another_set(SetChoice choice) {
    end_following();
    if (table.is_open() && (choice.member.empty() || choice.file != table.sets().data)) close_table();
    request.set = {++last_set, std::move(choice)};
    forget_failure();
    ask();
  }

  // After the player's N may have changed.
  void follow_player() {
    if (result.scene && !result.scene->simulated) {
      // All that can be used of a file is as much as there will be of it.
      if (player.n() == std::min(result.scene->most, result.scene->trained))
        file_n.erase(result.scene->task);
      else
        file_n[result.scene->task] = player.n();
    }
    if (player.n() != request.n) ask();
  }

  void take_scene() {
    const PosteriorScene& scene = *result.scene;
    const bool other_task = scene.task != scene_task, other_set = other_task || scene.set != scene_set;
    const bool other_file = other_task || scene.set_source + '\n' + scene.member != scene_source;
    scene_task = scene.task;
    scene_set = scene.set;
    scene_source = scene.set_source + '\n' + scene.member;
    if (scene.set == request.set.id) {
      SetChoice& choice = request.set.choice;
      // Another task has other files and values.
      if (!scene.by_hand)
        choice = {.index = choice.index, .columns = scene.chosen, .group = scene.group, .member = scene.member};
      choice.given = scene.given_words;
      choice.file = scene.simulated ? std::filesystem::path() : std::filesystem::path(scene.set_source);
      choice.random = scene.random;
      if (scene.simulated)
        request.files.erase(scene.task);
      else
        request.files[scene.task] = choice;
    }
    // As much of a new file as the run saw in training; of one that is come back to as much as was shown.
    std::int64_t of_file = std::min(scene.most, scene.trained);
    if (const auto before = file_n.find(scene.task); other_task && before != file_n.end()) of_file = before->second;
    if (scene.set == request.set.id && restored_n > 0) of_file = std::exchange(restored_n, 0);
    if (scene.simulated) file_n.erase(scene.task);
    const bool other_most = scene.most != player.most();
    player.set_range(scene.most, scene.sizes);
    if (other_set && other_file && !scene.simulated)
      player.want(of_file);
    else if (other_most && !chosen_n && scene.simulated)
      player.want(first_n(scene.most));
    player.want(player.n());
    follow_player();
  }

  // A set that is still being embedded is waited for by a playing N, not overtaken.
  bool ready() const { return result.embedded >= 1 || !result.snapshot || result.snapshot->n == request.n; }
};

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
  reload();
}

const std::string& Posterior::run() const {
  return state_->request.run;
}

void Posterior::reload() {
  State& s = *state_;
  s.none_chosen = false;
  s.table.reload(s.request.run);
  for (SetInquiry* inquiry : s.inquiries.all()) inquiry->forget();
  ++s.request.scene;
  // What is shown stays until there is something new, but for another run.
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
  // A slider that is held tells its value in every frame, also where the task settles on another.
  if (s.asked_value && *s.asked_value == State::Asked{s.request.set.id, k, value}) return;
  SetChoice set{.index = now.index, .theta = now.theta, .psi = now.psi, .given = now.given};
  // Values that the task ties to the last one are known once its set is there.
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

void Posterior::open_file(const std::filesystem::path& path, std::vector<std::string> columns) {
  State& s = *state_;
  try {
    if (s.result.scene && s.result.scene->holds_sets && s.result.scene->holds_sets(path)) return open_sets(path, "");
  } catch (const std::exception&) {
    // What is wrong with the file is told below, where it is read.
  }
  s.keep_shown();
  s.another_set({.index = s.request.set.choice.index, .file = path, .columns = std::move(columns)});
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

std::optional<Posterior::OtherColumns> Posterior::take_other_columns() {
  State& s = *state_;
  if (s.result.set_columns.empty() || s.result.set_failure.empty() || !s.result.scene) return {};
  return OtherColumns{s.result.failed_file, std::exchange(s.result.set_columns, {}), s.result.scene->needed,
                      std::exchange(s.result.set_failure, "")};
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

void Posterior::follow_file(const std::filesystem::path& path) {
  State& s = *state_;
  if (!s.result.scene || s.result.scene->runs.front().run != s.request.run) return;
  s.player.stop();
  s.forget_failure();
  auto scene = std::make_shared<PosteriorScene>(followed_scene(*s.result.scene, path, ++s.last_set));
  s.follower.follow({s.hub.tasks, s.request.run, s.hub.data_folder.string(), s.hub.device, scene->runs.front().role,
                     path, scene->set});
  s.follow_scene = std::move(scene);
}

void Posterior::stop_following() {
  State& s = *state_;
  const auto state = following();
  if (!state || s.stopped_set != 0) return;
  s.follower.stop();
  if (const std::optional<SetRequest> set = s.followed_set()) {
    s.keep_shown();
    s.request.set = *set;
    s.stopped_set = set->id;
    s.forget_failure();
    s.ask();
  } else if (state->seen == 0) {
    s.end_following();
  }
}

void Posterior::end_following() {
  state_->end_following();
}

std::shared_ptr<const FollowState> Posterior::following() const {
  return state_->follower.result().state;
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
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto& tables = table_endings();
  const bool table = std::find(tables.begin(), tables.end(), ending) != tables.end();
  const auto shown = scene();
  const bool thing = shown && shown->is_thing && shown->is_thing(path.string());
  if (ending != ".csv" && ending != ".npz" && !table && !images && !thing) return std::nullopt;
  open_file(path);
  return "";
}

RememberedSet Posterior::remembered() const {
  const State& s = *state_;
  const SetChoice& choice = s.request.set.choice;
  RememberedSet now{choice.index, s.chosen_n ? n() : 0, choice.file, choice.random, choice.columns, s.request.others};
  if (s.table.is_open()) {
    now.file = s.table.sets().data;
    now.columns = s.table.sets().columns;
    now.group = s.table.sets().group;
    now.many = true;
  } else if (!choice.member.empty()) {
    now.file.clear();  // one of many alone is no file
  }
  if (const auto state = following()) now.file = state->file;
  return now;
}

void Posterior::restore(const RememberedSet& remembered) {
  State& s = *state_;
  s.request.others = remembered.others;
  std::erase(s.request.others, s.request.run);
  if (remembered.n > 0) {
    s.chosen_n = true;
    s.player.want(remembered.n);
    s.restored_n = remembered.n;
  }
  if (remembered.many) {
    s.another_set({.index = std::max<std::int64_t>(remembered.index, 0)});
    return open_sets(remembered.file, remembered.group, remembered.columns);
  }
  s.another_set({.index = std::max<std::int64_t>(remembered.index, 0),
                 .file = remembered.file,
                 .random = remembered.file.empty() ? std::nullopt : remembered.random,
                 .columns = remembered.columns});
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
  if (now && snapshot && snapshot->set == now->set) s.pin(with_pinned(s.request.pinned, *now, *snapshot, ++s.last_pin));
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
  if (const auto followed = following()) return follow_command(s.request.run, followed->file, s.hub.device);
  CommandOptions options{{s.request.run},    s.request.set.choice,     n(), s.hub.data_folder.string(), s.hub.device,
                         s.request.interval, s.request.learned_product};
  options.runs.insert(options.runs.end(), s.request.others.begin(), s.request.others.end());
  // Of the others those that can be drawn.
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
  return asked;
}

ReportSaving& Posterior::reports() {
  return state_->reports;
}

SetInquiries& Posterior::inquiries() const {
  return state_->inquiries;
}

bool Posterior::poll() {
  State& s = *state_;
  if (s.hub.run_shades->version() != s.shaded) s.ask();
  bool changed = s.follower.poll();
  if (s.table.poll()) {
    s.follow_table();
    changed = true;
  }
  for (SetInquiry* inquiry : s.inquiries.all()) changed |= inquiry->poll();
  changed |= play();
  if (const auto written = s.reports.job().take()) {
    if (written->failure.empty())
      s.hub.messages.saved(written->file);
    else
      s.hub.messages.error("report", written->failure);
    changed = true;
  }
  if (std::string failure = s.background.take_failure(); !failure.empty()) {
    s.result.failure = std::move(failure);
    changed = true;
  }
  std::optional<PosteriorResult> result = s.background.take();
  if (!result) return changed;
  for (; s.told < result->problems.size(); ++s.told) s.hub.messages.warning("posterior", result->problems[s.told]);
  if (result->scene_id != s.request.scene) return changed;
  if (!result->failure.empty() && result->failure != s.result.failure)
    s.hub.messages.error("posterior", result->failure);
  const bool dismissed = result->failed_set == s.result.failed_set && s.result.set_failure.empty();
  const bool failed = result->failed_set != 0 && result->failed_set == s.request.set.id;
  const bool other_set = !failed && result->failed_set != s.failed_set;
  s.result = std::move(*result);
  if (dismissed || other_set) s.result.set_failure.clear();
  if (failed) s.go_back();
  if (s.result.scene) s.take_scene();
  s.follow_table();
  // The followed posterior stays until the same file's stands in its place.
  const auto& shown = s.result.snapshot;
  const bool there = shown && shown->set == s.stopped_set && shown->n == s.request.n;
  if (s.stopped_set != 0 && (there || s.result.failed_set == s.stopped_set)) s.end_following();
  return true;
}

bool Posterior::busy() const {
  return state_->background.busy() || state_->saving.job().busy() || state_->reports.job().busy() ||
         state_->table.busy() ||
         std::ranges::any_of(state_->inquiries.all(), [](const SetInquiry* inquiry) { return inquiry->busy(); });
}

std::string Posterior::activity() const {
  if (state_->saving.job().busy()) return "drawing posterior samples";
  if (state_->table.busy()) return "asking about many sets";
  for (const SetInquiry* inquiry : state_->inquiries.all())
    if (inquiry->busy()) return inquiry->doing();
  const std::string report = state_->reports.doing();
  return report.empty() ? state_->background.activity() : "writing a report: " + report;
}

bool Posterior::wait(double seconds) {
  const Stopwatch watch;
  for (;;) {
    if (!state_->background.wait(seconds - watch.seconds())) return false;
    for (FileJob* job : {&state_->saving.job(), &state_->reports.job()})
      if (!job->wait(std::max(seconds - watch.seconds(), 0.0))) return false;
    if (!state_->table.wait(std::max(seconds - watch.seconds(), 0.0))) return false;
    for (SetInquiry* inquiry : state_->inquiries.all())
      if (!inquiry->wait(std::max(seconds - watch.seconds(), 0.0))) return false;
    poll();
    // What was asked for in between may have been answered in between.
    if (!busy() && !state_->background.fresh() && !state_->table.fresh()) return true;
  }
}

}  // namespace pairs::model
