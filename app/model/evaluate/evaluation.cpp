#include "app/model/evaluate/evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "app/kinds/observation_room.h"
#include "app/model/hub/waking_monitor.h"
#include "app/posterior/caveats/posterior_warnings.h"
#include "app/runs/places.h"
#include "app/runs/run_stamp.h"
#include "app/runs/task_words.h"
#include "app/scores/run_evaluation.h"
#include "app/scores/sharpness.h"
#include "app/text/counts.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest.h"
#include "core/base/threads/priority.h"
#include "core/base/threads/threads.h"
#include "core/report/number_text.h"
#include "core/train/events/event_values.h"
#include "core/train/run/session.h"
#include "core/train/settings/config.h"

namespace pairs::model {
namespace {

using Texts = std::array<std::string, evaluation_fields>;
constexpr double kLookAgain = 2;  // seconds between checks of the run's files

std::size_t at(EvaluationField field) {
  return static_cast<std::size_t>(field);
}

// The worker's findings about a run.
struct Opened {
  std::string run, name, error, warning, stamp, weights;
  bool shipped = false;
  std::uint64_t shaded = 0;  // version of the runs' shades
  std::int64_t max_n = 0;
  std::vector<std::int64_t> heads;
  EvaluationOptions defaults;
  std::shared_ptr<const Scores> stored;
};

// The speed of an evaluation: seconds for each set, and for each of its observations.
struct Speed {
  std::string run;
  double set = 1, observation = 1.0 / 64;
  bool measured = false;
  double seconds(std::int64_t n) const { return set + observation * static_cast<double>(n); }
};

// The outcome of a background job.
struct Outcome {
  Level level = Level::info;
  std::string text;
  std::filesystem::path saved = {};  // a file that was written, if nothing else is to report
};

std::vector<std::string> labels_of(const LoadedRun& run) {
  std::vector<std::string> labels;
  for (const Target& target : run.task->info().targets) labels.push_back(target.label);
  return labels;
}

std::int64_t whole(const std::string& text, const char* what, std::int64_t most) {
  const bool digits = !text.empty() && text.size() < 18 && text.find_first_not_of("0123456789") == std::string::npos;
  const std::int64_t value = digits ? std::stoll(text) : -1;
  if (value < 0 || value > most)
    fail_usage("{} must be a whole number from 0 to {}, not \"{}\"", what, most, printable(text));
  return value;
}

std::shared_ptr<const Opened> open(const Tasks& tasks, const std::string& run, const std::string& data,
                                   const std::string& device, const KeptScores& kept, const RunShades& shades) {
  auto opened = std::make_shared<Opened>();
  opened->run = opened->name = run;
  opened->stamp = run_stamp(tasks, run, data);
  opened->shaded = shades.version();
  try {
    opened->name = find_run(tasks, run, data).name;
    const LoadedRun loaded = load_run(tasks, run, data, device);
    opened->shipped = is_shipped(loaded.folder);
    opened->max_n = loaded.estimator->max_n();
    opened->heads = loaded.estimator->sizes();
    opened->defaults = evaluation_options(loaded);
    opened->weights = weights_checksum(loaded);
    const std::string &trained = loaded.estimator->data_source(), &here = loaded.task->info().data_source;
    if (trained != here)
      opened->warning = fmt::format("{} was trained on {} and is evaluated on {}, so its scores may be poor; {}",
                                    opened->name, trained, here, other_data_advice(loaded, ""));
    else if (const auto reported = training_warnings(loaded, false); !reported.empty())
      opened->warning = reported.front().text;
    try {
      std::optional<Metrics> metrics = stored_metrics(loaded);
      std::string place = metrics ? (loaded.folder / run_file::metrics).string() : "";
      if (!metrics)
        if (const auto own = kept.find(opened->weights, here); own && still_tested(*own, *loaded.task)) metrics = *own;
      if (metrics) metrics->shade = shades.of(run);
      if (metrics && !metrics->rows.empty())
        opened->stored = make_scores(run, *metrics, metrics->rows.size(), std::move(place), labels_of(loaded),
                                     neighbor_metrics(tasks, loaded.folder, *metrics));
    } catch (const Error& error) {
      opened->warning = error.what();
    }
  } catch (const std::exception& error) {
    opened->error = sentence(error);
  }
  return opened;
}

// Times a few sets at a small and a larger size.
Speed measured_speed(const LoadedRun& run, const EvaluationOptions& wanted, const std::function<bool()>& stale) {
  const auto [least, most] = std::minmax_element(wanted.sizes.begin(), wanted.sizes.end());
  const std::vector<std::int64_t> heads = run.estimator->sizes();
  const std::int64_t low = *least;
  std::int64_t high = *most;
  if (heads.empty()) high = std::min<std::int64_t>(high, std::max(low, room_of(run.task->info()).amounts().timed));
  const auto time_of = [&](std::int64_t n, std::int64_t sets) {
    EvaluationOptions options = wanted;
    options.sizes = {n};
    options.sets = {sets};
    options.pool_replicates = 0;  // only the first sets are resampled
    options.purpose = Purpose::check;
    const Stopwatch watch;
    evaluate(*run.estimator, options, [&] { return !stale(); });
    return watch.seconds() / static_cast<double>(evaluated_sets(*run.task, options, 0));
  };
  Speed speed;
  time_of(low, 1);  // first calls are slow
  double at_low = time_of(low, 4);
  if (at_low < 0.01) at_low = time_of(low, 32);
  speed.set = at_low;
  speed.observation = 0;
  if (high > low) {
    const double rise = (time_of(high, 4) - at_low) / static_cast<double>(high - low);
    speed.observation = std::max(rise, 1e-9);
    speed.set = std::max(at_low - speed.observation * static_cast<double>(low), 0.1 * at_low);
  }
  speed.measured = true;
  return speed;
}

}  // namespace

class EvaluationParts {
 public:
  explicit EvaluationParts(Hub& hub)
      : hub(hub), writer([this](const std::string& text) {
          report({Level::error, text});
        }) {}

  Hub& hub;
  std::string run;
  std::shared_ptr<const Opened> opened;
  std::shared_ptr<const Scores> shown;
  std::map<std::string, std::shared_ptr<const Scores>> fresh;  // results of evaluations made here, by run
  std::map<std::string, Speed> speeds;
  Texts texts, problems;
  std::map<std::string, Texts> typed;  // the user's settings by run
  std::string measured;                // the run whose speed was last requested
  std::string failure, none;
  Evaluation::Work work;
  EvaluationOptions at_work;
  Stopwatch since_start, since_look;
  std::shared_ptr<const Progress> progress;

  // Written by workers, taken by poll().
  Newest<Scores> new_scores;
  std::mutex mutex;
  std::vector<Outcome> outcomes;

  void report(Outcome outcome) {
    {
      const std::lock_guard lock(mutex);
      outcomes.push_back(std::move(outcome));
    }
    hub.wake();
  }

  void read() {
    since_look.restart();
    new_speed.cancel();
    new_opened.ask([tasks = hub.tasks, run = run, data = hub.data_folder.string(), device = hub.device,
                    kept = hub.kept_scores,
                    shades = hub.run_shades](const auto&) { return open(tasks, run, data, device, *kept, *shades); });
  }

  // Rereads the run if its files have changed since the last check.
  void look() {
    if (!opened || run.empty() || since_look.seconds() < kLookAgain || new_opened.busy() || new_speed.busy()) return;
    since_look.restart();
    new_opened.ask([tasks = hub.tasks, run = run, stamp = opened->stamp, shaded = opened->shaded,
                    data = hub.data_folder.string(), device = hub.device, kept = hub.kept_scores,
                    shades = hub.run_shades](const auto&) -> std::shared_ptr<const Opened> {
      if (run_stamp(tasks, run, data) == stamp && shades->version() == shaded) return nullptr;
      return open(tasks, run, data, device, *kept, *shades);
    });
  }

  void choose() {
    shown = nullptr;
    if (!opened || !opened->error.empty()) return;
    const auto own = fresh.find(run);
    const bool current = own != fresh.end() && own->second->metrics->weights == opened->weights;
    shown = current ? own->second : opened->stored;
  }

  // The typed settings of the run; else those of the scores shown; else the run's own.
  void fill() {
    if (!opened || !opened->error.empty()) return;
    const Scores* scores = shown && shown->complete ? shown.get() : opened->stored.get();
    if (const auto own = typed.find(run); own != typed.end())
      texts = own->second;
    else
      texts = evaluation_texts(scores ? options_of(*scores->metrics) : opened->defaults);
    check();
  }

  EvaluationOptions options() const {
    EvaluationOptions out = opened->defaults;
    out.sizes = parse_sizes(texts[at(EvaluationField::sizes)], "Sizes", "");
    out.sets = parse_counts(texts[at(EvaluationField::sets)], "Sets", "");
    out.samples = whole(texts[at(EvaluationField::samples)], "Samples", 10000000);
    out.seed = static_cast<std::uint64_t>(whole(texts[at(EvaluationField::seed)], "Seed", 9007199254740992));
    return out;
  }

  void check() {
    problems = {};
    if (!opened || !opened->error.empty()) return;
    std::size_t sizes = 0;
    const auto guarded = [&](EvaluationField field, const auto& test) {
      try {
        test(texts[at(field)]);
      } catch (const Error& error) {
        problems[at(field)] = error.what();
      }
    };
    guarded(EvaluationField::sizes, [&](const std::string& text) {
      const auto values = parse_sizes(text, "Sizes", "");
      for (const std::int64_t n : values) {
        if (!opened->heads.empty() && std::find(opened->heads.begin(), opened->heads.end(), n) == opened->heads.end())
          fail_usage("{} has heads for N = {} alone, not for {}; name some of these", opened->name,
                     fmt::join(opened->heads, ", "), n);
        if (n > opened->max_n)
          fail_usage("{} saw sets of at most {} observations; name sizes up to that, not {}", opened->name,
                     opened->max_n, n);
      }
      sizes = values.size();
    });
    guarded(EvaluationField::sets, [&](const std::string& text) {
      const auto values = parse_counts(text, "Sets", "");
      if (sizes > 0) check_per_size(values.size(), sizes, "Sets");
    });
    guarded(EvaluationField::samples, [&](const std::string& text) {
      if (whole(text, "Samples", 10000000) == 1)
        fail_usage("One sample has no spread to measure; give 2 or more, or 0 to leave out RMAE and calibration");
    });
    guarded(EvaluationField::seed, [&](const std::string& text) { whole(text, "Seed", 9007199254740992); });
  }

  bool valid() const {
    return opened && opened->error.empty() &&
           std::all_of(problems.begin(), problems.end(), [](const std::string& text) { return text.empty(); });
  }

  Speed speed_of(const std::string& of) const {
    const auto found = speeds.find(of);
    return found == speeds.end() ? Speed() : found->second;
  }

  // Seconds by `speed` for the first `sets` sets, size after size; for all of them if negative.
  static double predicted(const EvaluationOptions& options, const Speed& speed, std::int64_t sets) {
    double sum = 0;
    for (std::size_t i = 0; i < options.sizes.size() && sets != 0; ++i) {
      const std::int64_t all = options.sets.size() == 1 ? options.sets[0] : options.sets[i];
      const std::int64_t taken = sets < 0 ? all : std::min(all, sets);
      sum += static_cast<double>(taken) * speed.seconds(options.sizes[i]);
      if (sets > 0) sets -= taken;
    }
    return sum;
  }

  void follow() {
    const Speed speed = speed_of(work.run);
    const std::int64_t done = progress ? progress->done : 0;
    work.seconds = since_start.seconds();
    work.share = done > 0 ? predicted(at_work, speed, done) / predicted(at_work, speed, -1) : 0;
    work.sizes = static_cast<std::int64_t>(at_work.sizes.size());
    work.done = 0;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < at_work.sizes.size(); ++i) {
      before += at_work.sets.size() == 1 ? at_work.sets[0] : at_work.sets[i];
      work.n = at_work.sizes[i];
      if (done < before) break;
      ++work.done;
    }
    work.remaining = NAN;
    if (speed.measured) work.remaining = predicted(at_work, speed, -1);
    // The weight of the rate so far grows with the finished share.
    if (work.share > 0) {
      const double by_rate = work.seconds * (1 - work.share) / work.share;
      const double trust = speed.measured ? std::min(1.0, 5 * work.share) : 1;
      work.remaining = trust * by_rate + (trust < 1 ? (1 - trust) * work.remaining * (1 - work.share) : 0);
    }
  }

  void evaluate_now(Monitor& monitor, const std::string& which, const std::string& data, const std::string& device,
                    const EvaluationOptions& options) {
    lower_priority(4);
    WakingMonitor waking(monitor, hub.wake);
    const LoadedRun loaded = load_run(hub.tasks, which, data, device);
    const std::vector<std::string> labels = labels_of(loaded);
    const auto publish = [&](Metrics metrics, const std::string& place) {
      metrics.shade = hub.run_shades->of(which);
      const bool complete = metrics.rows.size() == options.sizes.size();
      const std::vector<Metrics> others =
          complete ? neighbor_metrics(hub.tasks, loaded.folder, metrics) : std::vector<Metrics>();
      new_scores.put(make_scores(which, metrics, options.sizes.size(), place, labels, others));
      hub.wake();
    };
    const Metrics metrics = evaluate_in(waking, loaded, options, [&](const Metrics& so_far) { publish(so_far, ""); });
    const std::string file = (loaded.folder / run_file::metrics).string();
    if (is_shipped(loaded.folder)) {
      hub.kept_scores->keep(metrics);
      report({Level::info, fmt::format("{} is evaluated; shipped weights keep no scores, so save them where you like "
                                       "before the program ends",
                                       loaded.name)});
      return;
    }
    try {
      if (save_metrics(loaded, metrics)) {
        publish(metrics, file);
        report({Level::info, fmt::format("The scores of {} are kept in {}", loaded.name, file)});
      } else {
        report({Level::warning, fmt::format("{} holds an evaluation of more sets and is kept; save this one under "
                                            "another name",
                                            file)});
      }
    } catch (const Error& error) {
      hub.kept_scores->keep(metrics);
      report({Level::warning, fmt::format("The scores of {} are not kept: {}", loaded.name, error.what())});
    }
  }

  // The threads come last: they end before what they write to.
  Latest<Opened> new_opened{[this] { hub.wake(); }};
  Latest<Speed> new_speed{[this] { hub.wake(); }};
  LatestWorker writer;
  Session session;
};

Evaluation::Evaluation(Hub& hub) : parts_(std::make_unique<EvaluationParts>(hub)) {}
Evaluation::~Evaluation() = default;

bool Evaluation::poll() {
  EvaluationParts& p = *parts_;
  bool changed = false;
  const auto opened = p.new_opened.take();
  const auto speed = p.new_speed.take();
  if (const auto found = opened ? opened->value : nullptr; found) {
    const auto own = p.fresh.find(p.run);
    // Scores stored with the weights are reread from there.
    if (own != p.fresh.end() && own->second->complete && found->stored && !own->second->place.empty())
      p.fresh.erase(own);
    p.opened = found;
    p.choose();
    p.fill();
    changed = true;
  }
  if (speed && speed->value) {
    p.speeds[speed->value->run] = *speed->value;
    changed = true;
  }
  for (const auto& failed : {opened ? opened->failure : "", speed ? speed->failure : ""})
    if (!failed.empty()) p.hub.messages.error("evaluate", failed);
  if (const auto scores = p.new_scores.take()) {
    p.fresh[scores->run] = scores;
    p.choose();
    p.fill();
    changed = true;
  }
  std::vector<Outcome> outcomes;
  {
    const std::lock_guard lock(p.mutex);
    outcomes.swap(p.outcomes);
  }
  for (Outcome& one : outcomes)
    if (one.saved.empty())
      p.hub.messages.add(one.level, "evaluate", std::move(one.text));
    else
      p.hub.messages.saved(one.saved);
  changed = changed || !outcomes.empty();
  if (p.work.running) {
    for (const Event& event : p.session.drain())
      if (event.type == EventType::warning) p.hub.messages.warning("evaluate", event_text(event));
    if (auto latest = p.session.latest(); latest != p.progress) {
      p.progress = std::move(latest);
      changed = true;
    }
    const SessionState state = p.session.state();
    if (state == SessionState::idle || state == SessionState::failed) {
      const std::string name = p.work.name;
      if (state == SessionState::failed) {
        p.failure = p.session.error();
        p.hub.messages.error("evaluate", p.failure);
        p.session.dismiss();
      } else if (p.session.outcome() == SessionOutcome::stopped) {
        p.hub.messages.info("evaluate", fmt::format("The evaluation of {} was stopped", name));
      }
      if (const double all = EvaluationParts::predicted(p.at_work, Speed(), -1);
          p.session.outcome() == SessionOutcome::done && !p.speeds.contains(p.work.run)) {
        Speed usual;
        const double scale = p.since_start.seconds() / all;
        p.speeds[p.work.run] = {p.work.run, usual.set * scale, usual.observation * scale, true};
      }
      p.work = {};
      changed = true;
      p.hub.wake();  // scores may have arrived after the check
    } else {
      p.follow();
    }
  }
  p.look();
  return changed;
}

bool Evaluation::busy() const {
  return parts_->work.running || state() == State::loading || parts_->writer.busy();
}

std::string Evaluation::activity() const {
  const Work& work = parts_->work;
  if (work.running) return fmt::format("evaluating {}, {}", work.name, percent_text(work.share));
  return state() == State::loading ? "reading scores" : "";
}

bool Evaluation::wait(double seconds) {
  const Stopwatch watch;
  const auto left = [&] { return std::max(0.0, seconds - watch.seconds()); };
  const bool rest = parts_->new_opened.wait(left()) && parts_->new_speed.wait(left()) && parts_->writer.wait(left()) &&
                    parts_->session.wait(left());
  poll();
  return rest;
}

void Evaluation::show(const std::string& run) {
  EvaluationParts& p = *parts_;
  if (run == p.run) return;
  p.run = run;
  p.opened = nullptr;
  p.shown = nullptr;
  p.texts = p.problems = {};
  p.new_opened.forget();
  p.new_speed.cancel();
  if (!run.empty()) p.read();
}

Evaluation::State Evaluation::state() const {
  const EvaluationParts& p = *parts_;
  if (p.run.empty()) return State::none;
  if (!p.opened) return State::loading;
  if (!p.opened->error.empty()) return State::failed;
  return p.shown ? State::scored : State::unscored;
}

const std::string& Evaluation::run() const {
  return parts_->run;
}
const std::string& Evaluation::name() const {
  return parts_->opened ? parts_->opened->name : parts_->run;
}
const std::string& Evaluation::error() const {
  return parts_->opened ? parts_->opened->error : parts_->none;
}
const std::string& Evaluation::warning() const {
  return parts_->opened ? parts_->opened->warning : parts_->none;
}
bool Evaluation::shipped() const {
  return parts_->opened && parts_->opened->shipped;
}
std::shared_ptr<const Scores> Evaluation::scores() const {
  return parts_->shown;
}

void Evaluation::measure() {
  EvaluationParts& p = *parts_;
  if (!p.opened || !p.opened->error.empty() || p.work.running || p.measured == p.run || p.new_opened.busy()) return;
  p.measured = p.run;
  if (p.speeds.contains(p.run)) return;
  p.new_speed.ask([tasks = p.hub.tasks, run = p.run, data = p.hub.data_folder.string(), device = p.hub.device,
                   options = p.opened->defaults](const auto& stale) {
    auto speed = std::make_shared<Speed>(measured_speed(load_run(tasks, run, data, device), options, stale));
    speed->run = run;
    return speed;
  });
}

std::string Evaluation::blocked() const {
  const EvaluationParts& p = *parts_;
  if (p.work.running && p.work.stopping) return fmt::format("The evaluation of {} is being stopped", p.work.name);
  if (p.work.running) return fmt::format("{} is being evaluated; stop it or wait until it is done", p.work.name);
  switch (state()) {
    case State::none:
      return "No run is shown; select one on the left";
    case State::loading:
      return "The run is being read";
    case State::failed:
      return p.opened->error;
    default:
      break;
  }
  for (const std::string& problem : p.problems)
    if (!problem.empty()) return problem;
  return "";
}

void Evaluation::start() {
  EvaluationParts& p = *parts_;
  if (!blocked().empty()) return;
  p.failure.clear();
  p.at_work = p.options();
  p.progress = nullptr;
  p.work = {};
  p.work.running = true;
  p.work.run = p.run;
  p.work.name = p.opened->name;
  p.since_start.restart();
  p.new_speed.cancel();  // a measurement of its speed would only slow it down
  p.session.start([&p, run = p.run, data = p.hub.data_folder.string(), device = p.hub.device, threads = p.hub.threads,
                   options = p.at_work](Monitor& monitor) {
    struct Wake {
      const std::function<void()>& wake;
      ~Wake() { wake(); }
    } const at_end{p.hub.wake};
    use_threads(threads);
    p.evaluate_now(monitor, run, data, device, options);
  });
  p.follow();
}

void Evaluation::stop() {
  EvaluationParts& p = *parts_;
  if (!p.work.running || p.work.stopping) return;
  p.work.stopping = true;
  try {
    p.session.stop();
  } catch (const Error&) {
    // It ended in between; poll() detects that.
  }
}

const Evaluation::Work& Evaluation::work() const {
  return parts_->work;
}
const std::string& Evaluation::failure() const {
  return parts_->failure;
}
void Evaluation::dismiss() {
  parts_->failure.clear();
}

const EvaluationVerdict* Evaluation::fresh_verdict(const std::string& run) const {
  const auto fresh = parts_->fresh.find(run);
  return fresh == parts_->fresh.end() || !fresh->second->complete ? nullptr : &fresh->second->verdict;
}

void Evaluation::reload() {
  const std::string run = parts_->run;
  parts_->fresh.clear();  // of the previous data
  show("");
  show(run);
}

void Evaluation::discard() {
  parts_->fresh.erase(parts_->run);
  parts_->choose();
  parts_->fill();
}

void Evaluation::save_as(const std::string& file) {
  EvaluationParts& p = *parts_;
  if (!p.shown) return;
  p.writer.request([&p, file, metrics = p.shown->metrics](const LatestWorker::Stale&) {
    PAIRS_CHECK(std::filesystem::path(file).extension() == ".json", "{} must end in .json", printable(file, 300));
    write_file(file, metrics_text(*metrics));
    p.report({Level::info, "", file});
  });
}

std::string Evaluation::batch_command() const {
  const EvaluationParts& p = *parts_;
  if (p.run.empty()) return "";
  std::string command = "pairs --batch evaluate " + shell_word(p.run);
  if (p.opened && p.opened->error.empty()) {
    const Texts usual = evaluation_texts(p.opened->defaults);
    // A list of sets belongs to its sizes.
    const bool sizes = p.texts[at(EvaluationField::sizes)] != usual[at(EvaluationField::sizes)];
    for (std::size_t i = 0; i < usual.size(); ++i)
      if (p.texts[i] != usual[i] || (sizes && i == at(EvaluationField::sets)))
        command += fmt::format(" {} {}", kEvaluationArguments[i], shell_word(p.texts[i]));
  }
  if (!p.hub.data_folder.empty()) command += " --data " + shell_word(p.hub.data_folder.string());
  if (p.hub.device != "auto") command += " --device " + shell_word(p.hub.device);
  return command;
}

const std::string& EvaluationForm::text(EvaluationField field) const {
  return parts_.texts[at(field)];
}

void EvaluationForm::set(EvaluationField field, const std::string& text) {
  EvaluationParts& p = parts_;
  p.texts[at(field)] = text;
  if (p.opened && p.opened->error.empty()) p.typed[p.run] = p.texts;
  p.check();
}

void EvaluationForm::reset() {
  EvaluationParts& p = parts_;
  if (!p.opened || !p.opened->error.empty()) return;
  p.texts = p.typed[p.run] = evaluation_texts(p.opened->defaults);
  p.check();
}

bool EvaluationForm::changed() const {
  const EvaluationParts& p = parts_;
  return p.opened && p.opened->error.empty() && p.texts != evaluation_texts(p.opened->defaults);
}

const std::string& EvaluationForm::problem(EvaluationField field) const {
  return parts_.problems[at(field)];
}

double EvaluationForm::expected_seconds() const {
  const EvaluationParts& p = parts_;
  const auto speed = p.speeds.find(p.run);
  if (!p.valid() || speed == p.speeds.end()) return NAN;
  // The cost of samples is not separated: a set's time is proportional to their number.
  const EvaluationOptions options = p.options();
  Speed mine = speed->second;
  if (p.opened->defaults.samples > 0)
    mine.set *= std::max(0.1, static_cast<double>(options.samples) / static_cast<double>(p.opened->defaults.samples));
  return EvaluationParts::predicted(options, mine, -1);
}

}  // namespace pairs::model
