#include "app/model/posterior/work/posterior_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "app/model/posterior/shown/posterior_scene.h"
#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/plots/posterior_plots.h"
#include "app/posterior/set/chosen_sets.h"
#include "app/posterior/set/group_columns.h"
#include "app/posterior/set/set_kind.h"
#include "app/posterior/set/set_size.h"
#include "app/runs/strategy_look.h"
#include "app/runs/task_words.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/report/shades.h"

namespace pairs::model {
namespace {

constexpr std::int64_t kWidths = 25;
// References that take longer than this are published after the runs, so that dragging stays quick.
constexpr double kSlowReference = 8;       // ms
constexpr double kShareInterval = 0.05;    // minimum seconds between updates of the embedded share,
constexpr double kPartialInterval = 0.25;  // of the posterior of a partly embedded set,
constexpr double kWidthInterval = 0.1;     // and of the figure of the width against N

std::vector<std::int64_t> log_sizes(std::int64_t most, std::int64_t count) {
  std::set<std::int64_t> sizes;
  for (std::int64_t k = 0; k < count; ++k)
    sizes.insert(std::llround(
        std::exp(std::log(static_cast<double>(most)) * static_cast<double>(k) / static_cast<double>(count - 1))));
  return {sizes.begin(), sizes.end()};
}

// Whether the observed set can stay.
std::string question_of(const LoadedRun& run) {
  return run.config.task + "\n" + run.task->info().variant + "\n" + run.config.data;
}

}  // namespace

// The state of the worker's thread.
class PosteriorEngine::Work {
 public:
  explicit Work(ResultBoard<PosteriorResult>& result) : board_(result) {}

  void run(const PosteriorRequest& request, const Stale& stale);

 private:
  struct Shown {
    std::string run;  // as requested
    AskedRun asked;
  };

  void load_runs(const PosteriorRequest& request, const Stale& stale);
  void show_nothing(const PosteriorRequest& request, const std::string& failure);
  void load_set(const PosteriorRequest& request);
  std::shared_ptr<ObservedSet> make_set(const PosteriorRequest& request);
  // Resets all results after a change of runs or set.
  void begin();
  void publish_scene();
  // Reads the likelihood of the shown run. Returns whether it, or what is wanted of it, is another than before.
  bool load_refiner(SourceWish wish);
  // Whether the posterior of n observations is refined without being asked again.
  bool refines(std::int64_t n) const;
  void embed_next();
  void embed_until(std::int64_t n, const Stale& stale);
  void serve(std::int64_t n, bool asked);
  void show(const PosteriorAnswer& at, bool asked, const std::vector<PosteriorNumbers>& before = {});
  void check(const Stale& stale);
  void load_beside(const PosteriorRequest& request, const Stale& stale);
  PosteriorNumbers numbers_of(const OtherSet& one, const Stale& stale) const;
  PinnedPosteriors ghosts() const;
  void finish_set(std::int64_t n, const Stale& stale);
  void work_out_widths(std::int64_t n, const Stale& stale);
  void publish_width(std::int64_t n);
  void report(const std::string& problem) {
    if (reported_.insert(problem).second) board_.publish([&](PosteriorResult& n) { n.problems.push_back(problem); });
  }

  ResultBoard<PosteriorResult>& board_;
  std::uint64_t scene_id_ = 0;
  std::vector<Shown> runs_;  // the shown one first
  std::map<std::string, int> shades_;
  std::shared_ptr<const Task> task_;
  std::string question_;  // the question about the set
  SampleView view_;
  std::shared_ptr<ObservedSet> set_;
  std::uint64_t set_id_ = 0, last_set_ = 0, failed_set_ = 0;
  std::string last_set_question_;
  std::optional<SetPosterior> posterior_;  // of the runs and the set
  std::optional<StableAxes> axes_;
  std::optional<NuisanceAxes> nuisance_axes_;
  PinnedPosteriors pinned_;
  struct Beside {
    OtherSet set;
    std::vector<PosteriorNumbers> numbers;  // one, or none if there is no posterior
  };
  std::vector<Beside> extra_;
  IntervalKind interval_ = IntervalKind::central;
  bool learned_product_ = false;
  // The likelihood of the shown run, read for a wish and again once its file is another.
  std::shared_ptr<const Refiner> refiner_;
  std::string refiner_stamp_;
  SourceWish source_ = SourceWish::run;
  std::uint64_t refined_set_ = 0;  // the set and N at which it is refined however long that takes
  std::int64_t refined_n_ = 0;
  double at_once_ = 0;  // seconds that it may take at others
  std::function<bool()> keep_refining_;
  std::map<std::vector<std::string>, std::vector<std::string>> derived_;  // by the targets' names
  std::vector<WidthPoint> widths_;
  std::set<std::int64_t> width_done_;
  PosteriorAnswer at_;        // of the last snapshot; n = 0: none
  std::int64_t checked_ = 0;  // N of the last check or picture of this set
  double reference_milliseconds_ = 0;
  std::uint64_t snapshots_ = 0;
  std::set<std::string> reported_;
  Stopwatch since_share_;
};

void PosteriorEngine::Work::show_nothing(const PosteriorRequest& request, const std::string& failure) {
  runs_.clear();
  posterior_.reset();
  set_.reset();
  task_ = nullptr;
  scene_id_ = request.scene;
  board_.publish([&](PosteriorResult& n) { n.failure = failure; });
}

void PosteriorEngine::Work::load_runs(const PosteriorRequest& request, const Stale& stale) {
  const bool again = request.scene != scene_id_;
  const bool other_shades = std::exchange(shades_, request.shades) != request.shades;
  std::vector<std::string> names = {request.asked.run};
  for (const std::string& other : request.asked.others)
    if (std::find(names.begin(), names.end(), other) == names.end()) names.push_back(other);
  const bool same = !again && std::equal(names.begin(), names.end(), runs_.begin(), runs_.end(),
                                         [](const std::string& name, const Shown& one) { return name == one.run; });
  if (same && !other_shades) return;
  if (again) {
    board_.publish([&](PosteriorResult& n) {
      std::vector<std::string> problems = std::move(n.problems);
      n = PosteriorResult();
      n.problems = std::move(problems);
      n.scene_id = request.scene;
    });
    reported_.clear();
    failed_set_ = 0;
  }
  std::vector<Shown> loaded;
  for (const std::string& name : names) {
    if (!loaded.empty() && stale()) throw Stopped();
    const auto known = std::find_if(runs_.begin(), runs_.end(), [&](const Shown& one) { return one.run == name; });
    if (!again && known != runs_.end()) {
      loaded.push_back(*known);
      continue;
    }
    board_.now("loading " + name);
    try {
      Shown one{name, {load_run(request.tasks, name, request.data, request.device)}};
      if (!loaded.empty()) {
        const std::string other = other_question(asked_task(loaded.front().asked.loaded), asked_task(one.asked.loaded));
        PAIRS_CHECK(other.empty(), "{}", other);
      }
      loaded.push_back(std::move(one));
    } catch (const std::exception& error) {
      if (loaded.empty()) return show_nothing(request, sentence(error));
      report(sentence(error));
    }
  }
  if (again || runs_.empty() || runs_.front().run != loaded.front().run) extra_.clear();
  runs_ = std::move(loaded);
  scene_id_ = request.scene;
  for (Shown& one : runs_) {
    const auto shade = shades_.find(one.run);
    one.asked.role =
        shaded(strategy_role(one.asked.loaded.config.strategy), shade == shades_.end() ? 0 : shade->second);
  }
  const LoadedRun& first = runs_.front().asked.loaded;
  if (const std::string why = not_drawn(*first.estimator); !why.empty())
    return show_nothing(request, fmt::format("{} cannot be shown here: {}", first.name, why));
  if (const std::string question = question_of(first); !task_ || question != question_) {
    question_ = question;
    task_ = first.task;
    view_ = prior_view(*task_);
    set_.reset();
    posterior_.reset();
  }
  if (set_) begin();
}

std::shared_ptr<ObservedSet> PosteriorEngine::Work::make_set(const PosteriorRequest& request) {
  SetChoice choice = request.asked.set;
  // A file or values set by hand belong to another task.
  const bool before = request.set.id <= last_set_ && question_ != last_set_question_;
  if (before || (!request.set.task.empty() && request.set.task != task_->info().name)) {
    const auto own = request.files.find(task_->info().name);
    const std::int64_t index = choice.index;
    choice = own == request.files.end() ? SetChoice() : own->second;
    choice.index = index;
  }
  choice.assume_given = true;
  last_set_ = std::max(last_set_, request.set.id);
  last_set_question_ = question_;
  const LoadedRun& run = runs_.front().asked.loaded;
  std::int64_t held = 0;
  const auto failed = [&](const std::exception& error, const std::vector<std::string>& columns) {
    failed_set_ = request.set.id;
    const bool table = !choice.simulated() && choice.member.empty();
    TableColumns read{.chosen = choice.columns, .reader = choice.reader};
    read.table = choice.table;
    const auto spare = table ? spare_columns(choice.file, *task_, read) : std::vector<std::string>();
    board_.publish([&](PosteriorResult& n) {
      n.set_failure = sentence(error);
      n.failed_set = request.set.id;
      n.failed_file = choice.file;
      n.set_columns = columns;
      n.spare = columns.empty() ? spare : std::vector<std::string>();
      n.large_held = held;
      n.large_most = held > 0 ? largest_size(run, false) : 0;
      n.problems.push_back(sentence(error));
    });
  };
  try {
    if (!choice.simulated()) {
      std::error_code error;
      const bool there = std::filesystem::exists(choice.file, error);
      board_.now("reading " + printable((there ? choice.file.filename() : choice.file).string()));
    }
    // The choice for missing values is that of all files, and not of items.
    if (!set_field("missing").of(set_kind(*task_, choice))) choice.missing = Missing::refuse;
    if (request.set.opened && !before && holds_many_sets(*task_, choice)) {
      failed_set_ = request.set.id;
      board_.publish([&](PosteriorResult& n) { n.many_set = request.set.id; });
      return set_ ? nullptr : std::make_shared<ObservedSet>(task_, SetChoice{.index = choice.index});
    }
    auto set = std::make_shared<ObservedSet>(task_, choice);
    if (!request.set.whole || before || set->simulated() || set->of_item()) return set;
    held = set->held();
    check_set_size(run, false, printable(choice.file.string(), 300), held);
    return set;
  } catch (const ColumnsError& error) {
    failed(error, error.columns());
  } catch (const std::exception& error) {
    failed(error, {});
  }
  return set_ ? nullptr : std::make_shared<ObservedSet>(task_, SetChoice{.index = choice.index});
}

void PosteriorEngine::Work::load_set(const PosteriorRequest& request) {
  if (set_ && (set_id_ == request.set.id || failed_set_ == request.set.id)) return;
  const std::shared_ptr<ObservedSet> set = make_set(request);
  if (!set) return;  // the set before it stays
  if (!set->warnings().empty())
    board_.publish([&](PosteriorResult& n) {
      n.problems.insert(n.problems.end(), set->warnings().begin(), set->warnings().end());
    });
  // Values set by hand move the set a little: axes stay.
  const auto apart_from_values = [](SetChoice choice) {
    choice.theta.clear();
    choice.psi.clear();
    choice.given.clear();
    return choice;
  };
  if (!set_ || !(apart_from_values(set->choice()) == apart_from_values(set_->choice()))) {
    axes_.emplace(task_->info().targets);
    nuisance_axes_.emplace(task_->info());
  }
  set_ = set;
  set_id_ = request.set.id;
  for (Shown& one : runs_) one.asked.embedded = nullptr;
  begin();
}

void PosteriorEngine::Work::begin() {
  std::vector<AskedRun> asked;
  for (const Shown& one : runs_) asked.push_back(one.asked);
  posterior_.emplace(set_, std::move(asked));
  posterior_->ask_learned_product(learned_product_);
  for (std::size_t r = 0; r < runs_.size(); ++r) runs_[r].asked.embedded = posterior_->runs()[r].embedded;
  widths_.clear();
  width_done_.clear();
  at_ = {};
  checked_ = 0;
  publish_scene();
}

void PosteriorEngine::Work::publish_scene() {
  std::vector<std::string> asked;
  for (const Shown& one : runs_) asked.push_back(one.run);
  const auto scene = std::make_shared<PosteriorScene>(scene_of(*posterior_, set_id_, asked));
  board_.publish([&](PosteriorResult& n) {
    n.scene = scene;
    n.failure.clear();
    n.embedded = static_cast<double>(posterior_->ready()) / static_cast<double>(set_->size());
  });
}

bool PosteriorEngine::Work::load_refiner(SourceWish wish) {
  const LoadedRun& run = runs_.front().asked.loaded;
  const bool other_wish = std::exchange(source_, wish) != wish;
  std::string now = run.folder.string() + " " + likelihood_stamp(run);
  const bool other_file = now != refiner_stamp_;
  if (!other_wish && !other_file) return false;
  refiner_ = nullptr;
  refiner_stamp_ = std::move(now);
  try {
    refiner_ = refiner_of(run, source_);
  } catch (const std::exception& error) {
    report(fmt::format("the posterior is not refined: {}", sentence(error)));
  }
  if (posterior_) publish_scene();
  return true;
}

bool PosteriorEngine::Work::refines(std::int64_t n) const {
  if (!refiner_ || !refiner_->wanted(source_, n)) return false;
  return (set_id_ == refined_set_ && n == refined_n_) || refiner_->expected_seconds(n) <= at_once_;
}

void PosteriorEngine::Work::embed_next() {
  posterior_->embed_next();
  if (posterior_->ready() < set_->size() && since_share_.seconds() <= kShareInterval) return;
  since_share_.restart();
  board_.publish([&](PosteriorResult& n) {
    n.embedded = static_cast<double>(posterior_->ready()) / static_cast<double>(set_->size());
  });
}

void PosteriorEngine::Work::embed_until(std::int64_t n, const Stale& stale) {
  Stopwatch since_partial;
  while (posterior_->ready() < n) {
    // While θ or ψ is dragged, shows the observations embedded so far.
    if (stale()) {
      if (at_.n == 0 && posterior_->ready() > 0) serve(posterior_->ready(), false);
      throw Stopped();
    }
    embed_next();
    if (posterior_->ready() < n && since_partial.seconds() > kPartialInterval) {
      serve(posterior_->ready(), false);
      since_partial.restart();
    }
  }
}

void PosteriorEngine::Work::serve(std::int64_t n, bool asked) {
  // A partly embedded set is passed by.
  const bool refined = asked && refines(n);
  posterior_->refine_by(refined ? refiner_ : nullptr, source_, keep_refining_);
  if (refined || reference_milliseconds_ > kSlowReference) show(posterior_->answer(n, false), false, at_.numbers);
  if (refined) board_.now("refining the posterior");
  at_ = posterior_->answer(n);
  reference_milliseconds_ = at_.reference_milliseconds();
  show(at_, asked);
}

// The axes are reset only once the requested N is ready. References that were shown `before` and are still being
// computed keep their places in the legend.
void PosteriorEngine::Work::show(const PosteriorAnswer& at, bool asked, const std::vector<PosteriorNumbers>& before) {
  for (const std::string& problem : at.problems) report(problem);
  StableAxes passing = *axes_;
  const ShownSet set{set_id_, set_->truth(), posterior_->source_text(), interval_};
  const auto snapshot = std::make_shared<PosteriorSnapshot>(
      snapshot_of(task_->info(), at, set, asked ? *axes_ : passing, ++snapshots_, ghosts()));
  if (const auto asked_for = derived_.find(target_names(task_->info())); asked_for != derived_.end())
    snapshot->derived =
        derived_numbers(derived_quantities(asked_for->second, task_->info()), at.sources, task_->info().targets);
  if (refiner_ && refiner_->wanted(source_, at.n) && !refines(at.n))
    snapshot->refine_seconds = refiner_->expected_seconds(at.n);
  if (snapshot->density && !before.empty()) {
    const auto named = std::make_shared<Figure>(*snapshot->density);
    for (const PosteriorNumbers& one : before)
      if (std::none_of(at.numbers.begin(), at.numbers.end(), [&](const auto& there) { return there.name == one.name; }))
        name_awaited(named->plots.front(), one);
    snapshot->density = named;
  }
  board_.publish([&](PosteriorResult& n) {
    n.snapshot = snapshot;
    n.failure.clear();
  });
  publish_width(at.n);
}

void PosteriorEngine::Work::check(const Stale& stale) {
  checked_ = at_.n;
  const auto publish = [this](std::shared_ptr<const PredictiveCheck> check, std::shared_ptr<const NuisanceView> view) {
    board_.publish([&](PosteriorResult& n) {
      n.check = std::move(check);
      n.nuisance = std::move(view);
    });
  };
  try {
    const std::unique_ptr<NuisancePosterior> nuisances = posterior_->nuisances(at_.n);
    if (!nuisances) {
      const auto picture = std::make_shared<Figure>(posterior_->picture(at_, view_));
      board_.publish([&](PosteriorResult& n) { n.observed = picture; });
      return;
    }
    const auto made = posterior_->check(at_, *nuisances, view_);
    board_.publish([&](PosteriorResult& n) { n.check = made; });
    if (stale()) throw Stopped();
    publish(made, posterior_->nuisance_view(at_, *nuisances, *nuisance_axes_));
  } catch (const Stopped&) {
    checked_ = 0;
    throw;
  } catch (const std::exception& error) {
    report(fmt::format("the predictive check is left out: {}", sentence(error)));
    publish(nullptr, nullptr);
  }
}

PosteriorNumbers PosteriorEngine::Work::numbers_of(const OtherSet& one, const Stale& stale) const {
  AskedRun run = runs_.front().asked;
  run.embedded = nullptr;
  SetPosterior posterior(std::make_shared<ObservedSet>(task_, one.choice), {std::move(run)});
  const std::int64_t n = posterior.set().size();
  posterior.embed_until(n, [&] { return !stale(); });
  const bool refined = refiner_ && refiner_->first(source_, n) && refiner_->expected_seconds(n) <= at_once_;
  posterior.refine_by(refined ? refiner_ : nullptr, source_, [&] { return !stale(); });
  const PosteriorAnswer answer = posterior.answer(n, refined);
  if (answer.numbers.empty()) fail("{}: {}", printable(one.name), no_posterior_text(answer));
  return answer.numbers.front();
}

// Loads the posteriors of the sets shown with the current one; keeps those already loaded.
void PosteriorEngine::Work::load_beside(const PosteriorRequest& request, const Stale& stale) {
  std::vector<Beside> all;
  for (const OtherSet& one : request.extra) {
    const auto known = std::find_if(extra_.begin(), extra_.end(), [&](const Beside& b) { return b.set == one; });
    if (known != extra_.end()) {
      all.push_back(*known);
      continue;
    }
    if (stale()) throw Stopped();
    all.push_back({one, {}});
    try {
      all.back().numbers.push_back(numbers_of(one, stale));
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      report(sentence(error));
    }
  }
  extra_ = std::move(all);
}

// The pins, then the other sets, each in its own shade.
PinnedPosteriors PosteriorEngine::Work::ghosts() const {
  if (extra_.empty()) return pinned_;
  std::vector<PinnedPosterior> all = pinned_ ? *pinned_ : std::vector<PinnedPosterior>();
  const TaskInfo& info = task_->info();
  int shade = static_cast<int>(pinned_of(pinned_, info.name, target_names(info)).size());
  for (const Beside& one : extra_)
    for (const PosteriorNumbers& numbers : one.numbers)
      all.push_back({0, info.name, target_names(info), ghost_of(numbers, one.set.name, shade++)});
  return std::make_shared<const std::vector<PinnedPosterior>>(std::move(all));
}

void PosteriorEngine::Work::finish_set(std::int64_t n, const Stale& stale) {
  bool complete = posterior_->all_ready() >= n;
  while (posterior_->all_ready() < set_->size()) {
    if (stale()) throw Stopped();
    embed_next();
    if (!complete && posterior_->all_ready() >= n) {
      serve(n, true);
      complete = true;
    }
  }
}

void PosteriorEngine::Work::work_out_widths(std::int64_t n, const Stale& stale) {
  Stopwatch since_shown;
  for (const std::int64_t at : log_sizes(set_->size(), kWidths)) {
    if (!width_done_.insert(at).second) continue;
    if (stale()) {
      width_done_.erase(at);
      throw Stopped();
    }
    for (WidthPoint& point : posterior_->widths(at)) widths_.push_back(std::move(point));
    if (since_shown.seconds() <= kWidthInterval) continue;
    publish_width(n);
    since_shown.restart();
  }
  publish_width(n);
}

void PosteriorEngine::Work::publish_width(std::int64_t n) {
  if (widths_.empty()) return;
  const auto figure = std::make_shared<Figure>(width_against_n(widths_, task_->info().targets, set_->size(), n));
  board_.publish([&](PosteriorResult& result) { result.width = figure; });
}

void PosteriorEngine::Work::run(const PosteriorRequest& request, const Stale& stale) {
  load_runs(request, stale);
  if (runs_.empty()) return;
  const bool other_source = load_refiner(request.asked.source);
  load_set(request);
  const bool other_pin = std::exchange(pinned_, request.pinned) != request.pinned;
  const bool other_interval = std::exchange(interval_, request.asked.interval) != request.asked.interval;
  const bool other_product =
      std::exchange(learned_product_, request.asked.learned_product) != request.asked.learned_product;
  const bool other_derived = std::exchange(derived_, request.asked.other_derived) != request.asked.other_derived;
  posterior_->ask_learned_product(learned_product_);
  const std::int64_t n = std::clamp<std::int64_t>(request.asked.n, 1, set_->size());
  const bool before = refines(n);
  at_once_ = request.at_once;
  refined_set_ = request.refined_set;
  refined_n_ = request.refined_n;
  const bool other_refined = other_source || refines(n) != before;
  keep_refining_ = [&stale] { return !stale(); };
  board_.now("embedding the observed set");
  embed_until(n, stale);
  board_.now("posterior");
  if (at_.n != n || other_product || other_refined)
    serve(n, true);
  else if (other_pin || other_interval || other_derived)
    show(at_, true);
  if (stale()) throw Stopped();
  const bool other_beside = !std::equal(extra_.begin(), extra_.end(), request.extra.begin(), request.extra.end(),
                                        [](const Beside& one, const OtherSet& asked) { return one.set == asked; });
  if (other_beside) {
    load_beside(request, stale);
    show(at_, true);
  }
  if (checked_ != n) check(stale);
  board_.now("embedding the observed set");
  finish_set(n, stale);
  board_.now("posterior width against N");
  work_out_widths(n, stale);
}

bool OtherSet::operator==(const OtherSet& other) const {
  return name == other.name && choice == other.choice;
}

PosteriorEngine::PosteriorEngine(std::function<void()> wake)
    : ResultBoard(std::move(wake)), work_(std::make_unique<Work>(*this)) {}
PosteriorEngine::~PosteriorEngine() = default;

void PosteriorEngine::work(const PosteriorRequest& request, const Stale& stale) {
  const torch::NoGradGuard no_grad;
  try {
    work_->run(request, stale);
  } catch (const Stopped&) {
    now("");
    throw;
  } catch (const std::exception& error) {
    publish([&](PosteriorResult& n) { n.failure = sentence(error); });
  }
  now("");
}

}  // namespace pairs::model
