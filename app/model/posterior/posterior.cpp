#include "app/model/posterior/posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "app/model/hub/latest_worker.h"
#include "app/model/posterior/posterior_engine.h"
#include "core/base/clock.h"
#include "core/base/text.h"

namespace pairs::model {
namespace {

constexpr double kPlaySeconds = 8;

// A round N at which there is something to see, with more and less of it to either side.
std::int64_t first_n(std::int64_t most) {
  const double n = std::pow(static_cast<double>(most), 0.75), power = std::pow(10, std::floor(std::log10(n)));
  return std::max<std::int64_t>(1, std::llround(std::round(n / power) * power));
}

}  // namespace

struct Posterior::State {
  explicit State(Hub& shared)
      : hub(shared), engine([this] { hub.wake(); }), worker([this](const std::string& text) { fail(text); }) {}

  Hub& hub;
  PosteriorWish wish;
  SetWish before;  // the set that was shown when a file was asked for
  PosteriorNews news;
  std::uint64_t seen = 0;      // version of the news
  std::uint64_t shaded = 0;    // version of the runs' shades
  std::uint64_t last_set = 0;  // id
  std::size_t told = 0;        // problems that are in the log
  std::int64_t most = 0;       // of the last scene; 0: none yet
  std::string scene_task;      // of the last scene
  std::uint64_t scene_set = 0;
  std::map<std::string, std::int64_t> file_n;  // shown of a file, by task
  bool chosen_n = false;                       // by a person, rather than the first
  bool playing = false, loop = false;
  double place = 0;  // of the playing N, 0 to 1
  Stopwatch clock;
  std::mutex failure_mutex;
  std::string worker_failure;
  PosteriorEngine engine;
  LatestWorker worker;  // last: ends first

  void fail(const std::string& text) {
    {
      const std::lock_guard lock(failure_mutex);
      worker_failure = text;
    }
    hub.wake();
  }

  void ask() {
    shaded = hub.run_shades->version();
    if (wish.run.empty()) return worker.cancel();
    wish.data = hub.data_folder.string();
    wish.device = hub.device;
    wish.shades.clear();
    wish.shades[wish.run] = hub.run_shades->of(wish.run);
    for (const std::string& other : wish.others) wish.shades[other] = hub.run_shades->of(other);
    worker.request([this, wanted = wish](const LatestWorker::Stale& stale) { engine.work(wanted, stale); });
  }

  void another_set(SetWish set) {
    set.id = ++last_set;
    wish.set = std::move(set);
    news.set_failure.clear();
    ask();
  }

  // The nearest N that can be asked for.
  std::int64_t allowed(std::int64_t n) const {
    n = std::clamp<std::int64_t>(n, 1, std::max<std::int64_t>(most, 1));
    if (!news.scene || news.scene->sizes.empty()) return n;
    const auto distance = [&](std::int64_t size) {
      return std::abs(std::log(static_cast<double>(size) / static_cast<double>(n)));
    };
    return *std::min_element(news.scene->sizes.begin(), news.scene->sizes.end(),
                             [&](std::int64_t a, std::int64_t b) { return distance(a) < distance(b); });
  }

  void want(std::int64_t n) {
    n = allowed(n);
    if (news.scene && !news.scene->simulated) file_n[news.scene->task] = n;
    if (n == wish.n) return;
    wish.n = n;
    ask();
  }

  void take_scene() {
    const PosteriorScene& scene = *news.scene;
    const bool other_task = scene.task != scene_task, other_set = other_task || scene.set != scene_set;
    scene_task = scene.task;
    scene_set = scene.set;
    if (scene.set == wish.set.id) {
      // Another task has other files and values.
      if (!scene.by_hand) wish.set.values.clear();
      wish.set.file = scene.simulated ? std::filesystem::path() : std::filesystem::path(scene.set_source);
      if (scene.simulated)
        wish.files.erase(scene.task);
      else
        wish.files[scene.task] = wish.set.file;
    }
    // As much of a new file as the run saw in training; of one that is come back to as much as was shown.
    std::int64_t of_file = std::min(scene.most, scene.trained);
    if (const auto before = file_n.find(scene.task); other_task && before != file_n.end()) of_file = before->second;
    if (scene.simulated) file_n.erase(scene.task);
    if (scene.most != most) {
      most = scene.most;
      if (!chosen_n && scene.simulated) want(first_n(most));
    }
    want(other_set && !scene.simulated ? of_file : wish.n);
  }

  std::int64_t played() const {
    return std::llround(std::exp(place * std::log(static_cast<double>(std::max<std::int64_t>(most, 1)))));
  }
};

Posterior::Posterior(Hub& hub) : state_(std::make_unique<State>(hub)) {
  state_->wish.set.id = ++state_->last_set;
}
Posterior::~Posterior() = default;

void Posterior::open(const std::string& run) {
  State& s = *state_;
  if (run == s.wish.run) return;
  s.wish.run = run;
  s.wish.others.clear();
  reload();
}

const std::string& Posterior::run() const {
  return state_->wish.run;
}

void Posterior::reload() {
  State& s = *state_;
  ++s.wish.scene;
  // What is shown stays until there is something new, but for another run.
  const std::vector<std::string> problems = s.news.problems;
  s.news = PosteriorNews();
  s.news.problems = problems;
  s.ask();
}

void Posterior::set_others(std::vector<std::string> runs) {
  State& s = *state_;
  std::erase(runs, s.wish.run);
  if (runs == s.wish.others) return;
  s.wish.others = std::move(runs);
  s.ask();
}

const std::vector<std::string>& Posterior::others() const {
  return state_->wish.others;
}

void Posterior::new_set() {
  set_index(state_->wish.set.index + 1);
}

void Posterior::set_index(std::int64_t index) {
  SetWish set;
  set.index = std::max<std::int64_t>(index, 0);
  state_->another_set(set);
}

std::int64_t Posterior::index() const {
  return state_->wish.set.index;
}

void Posterior::set_parameter(std::size_t k, double value) {
  State& s = *state_;
  if (!s.news.scene || k >= s.news.scene->parameters.size() || !s.wish.set.file.empty()) return;
  SetWish set;
  set.index = s.wish.set.index;
  // Values that the task ties to the last one are known once its set is there.
  if (s.news.scene->set == s.wish.set.id || s.wish.set.values.size() != s.news.scene->parameters.size())
    for (const SetParameter& parameter : s.news.scene->parameters) set.values.push_back(parameter.value);
  else
    set.values = s.wish.set.values;
  set.values[k] = value;
  set.changed = static_cast<std::int64_t>(k);
  s.another_set(set);
}

void Posterior::open_file(const std::filesystem::path& path) {
  SetWish set;
  set.index = state_->wish.set.index;
  set.file = path;
  if (state_->news.scene && state_->news.scene->set == state_->wish.set.id) state_->before = state_->wish.set;
  state_->another_set(set);
}

void Posterior::simulate() {
  if (!state_->wish.set.file.empty()) set_index(state_->wish.set.index);
}

std::int64_t Posterior::n() const {
  return state_->wish.n;
}

void Posterior::set_n(std::int64_t n) {
  State& s = *state_;
  s.chosen_n = true;
  s.playing = false;
  if (s.most > 0) return s.want(n);
  s.wish.n = std::max<std::int64_t>(n, 1);  // what there is becomes known later
  s.ask();
}

void Posterior::step_n(int direction) {
  State& s = *state_;
  if (s.news.scene && !s.news.scene->sizes.empty()) {
    const std::vector<std::int64_t>& sizes = s.news.scene->sizes;
    const auto at = std::find(sizes.begin(), sizes.end(), s.wish.n) - sizes.begin();
    return set_n(sizes[static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(at + direction, 0, static_cast<std::ptrdiff_t>(sizes.size()) - 1))]);
  }
  const std::int64_t n = s.wish.n, below = direction < 0 ? n - 1 : n;
  std::int64_t step = 1;
  while (below / step >= 100) step *= 10;
  set_n((direction < 0 ? (n + step - 1) / step - 1 : n / step + 1) * step);
}

std::int64_t Posterior::most() const {
  return std::max<std::int64_t>(state_->most, 1);
}

void Posterior::toggle_play() {
  State& s = *state_;
  s.playing = !s.playing;
  if (!s.playing) return;
  s.chosen_n = true;
  s.clock.restart();
  s.place = s.wish.n >= s.most || s.most < 2
                ? 0
                : std::log(static_cast<double>(s.wish.n)) / std::log(static_cast<double>(s.most));
}

bool Posterior::playing() const {
  return state_->playing;
}
void Posterior::set_loop(bool loop) {
  state_->loop = loop;
}
bool Posterior::loop() const {
  return state_->loop;
}

void Posterior::advance(double seconds) {
  State& s = *state_;
  if (!s.playing || s.most < 2) return;
  // A set that is still being embedded is waited for, not overtaken.
  if (s.news.embedded < 1 && s.news.snapshot && s.news.snapshot->n != s.wish.n) return;
  s.place += seconds / kPlaySeconds;
  if (s.place >= 1 && s.loop) s.place = 0;
  if (s.place >= 1) {
    s.place = 1;
    s.playing = false;
  }
  s.want(s.played());
}

std::shared_ptr<const PosteriorScene> Posterior::scene() const {
  return state_->news.scene;
}
std::shared_ptr<const PosteriorSnapshot> Posterior::shown() const {
  return state_->news.snapshot;
}
std::shared_ptr<const Figure> Posterior::width() const {
  return state_->news.width;
}
std::shared_ptr<const PredictiveCheck> Posterior::check() const {
  return state_->news.check;
}
std::shared_ptr<const NuisanceView> Posterior::nuisance() const {
  return state_->news.nuisance;
}
std::shared_ptr<const Figure> Posterior::observed() const {
  return state_->news.observed;
}
double Posterior::embedded() const {
  return state_->news.embedded;
}
const std::string& Posterior::failure() const {
  return state_->news.failure;
}
const std::string& Posterior::set_failure() const {
  return state_->news.set_failure;
}
void Posterior::dismiss_set_failure() {
  state_->news.set_failure.clear();
}

std::string Posterior::batch_command() const {
  const State& s = *state_;
  if (s.wish.run.empty() || !s.wish.set.values.empty()) return "";
  const std::string device = s.hub.device == "auto" ? "" : " --device " + shell_word(s.hub.device);
  std::string runs = shell_word(s.wish.run);
  if (!s.wish.set.file.empty())
    return fmt::format("pairs --batch infer {} --data {} --n {}{}{}", runs, shell_word(s.wish.set.file.string()),
                       s.wish.n, s.news.scene && s.wish.n > s.news.scene->trained ? " --force" : "", device);
  for (const std::string& other : s.wish.others) runs += " " + shell_word(other);
  const std::filesystem::path& data = s.hub.data_folder;
  return fmt::format("pairs --batch figure posterior {} --index {} --n {}{}{}", runs, s.wish.set.index, s.wish.n,
                     data.empty() ? "" : " --data " + shell_word(data.string()), device);
}

bool Posterior::poll() {
  State& s = *state_;
  if (s.hub.run_shades->version() != s.shaded) s.ask();
  bool changed = false;
  if (s.playing) {
    advance(std::min(s.clock.seconds(), 0.1));
    s.clock.restart();
    changed = true;
  }
  {
    const std::lock_guard lock(s.failure_mutex);
    if (!s.worker_failure.empty()) {
      s.news.failure = std::exchange(s.worker_failure, "");
      changed = true;
    }
  }
  const std::uint64_t version = s.engine.version();
  if (version == s.seen) return changed;
  s.seen = version;
  PosteriorNews news = s.engine.news();
  for (; s.told < news.problems.size(); ++s.told) s.hub.messages.warning("posterior", news.problems[s.told]);
  if (news.scene_id != s.wish.scene) return changed;
  if (!news.failure.empty() && news.failure != s.news.failure) s.hub.messages.error("posterior", news.failure);
  const bool dismissed = news.failed_set == s.news.failed_set && s.news.set_failure.empty();
  const bool other_set = news.failed_set != s.wish.set.id;
  s.news = std::move(news);
  if (dismissed || other_set) s.news.set_failure.clear();
  if (!other_set && s.news.scene && s.news.scene->set == s.before.id) s.wish.set = s.before;
  if (s.news.scene) s.take_scene();
  return true;
}

bool Posterior::busy() const {
  return state_->worker.busy();
}

std::string Posterior::activity() const {
  return state_->worker.busy() ? state_->engine.activity() : "";
}

bool Posterior::wait(double seconds) {
  const Stopwatch watch;
  for (;;) {
    if (!state_->worker.wait(std::max(seconds - watch.seconds(), 0.0))) return false;
    poll();
    if (!state_->worker.busy()) return true;
  }
}

}  // namespace pairs::model
