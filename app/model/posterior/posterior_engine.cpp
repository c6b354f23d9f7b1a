#include "app/kinds/samples_figure.h"
#include "app/model/posterior/posterior_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "app/kinds/observed.h"
#include "app/kinds/sample_plot.h"
#include "app/model/hub/one_thread.h"
#include "app/model/posterior/nuisance_figures.h"
#include "app/model/posterior/posterior_figures.h"
#include "app/model/posterior/predictive_check.h"
#include "app/model/posterior/theta_draws.h"
#include "app/posterior/embedded_set.h"
#include "app/posterior/grid_posterior.h"
#include "app/posterior/posterior_figure.h"
#include "app/posterior/typicality.h"
#include "app/runs/strategy_look.h"
#include "app/text/number_text.h"
#include "core/aggregate.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/transfer.h"
#include "core/report/shades.h"
#include "core/train/run.h"

namespace pairs::model {
namespace {

using Stale = PosteriorEngine::Stale;

constexpr std::int64_t kPointsAtOnce = 4096, kImagesAtOnce = 64, kFirstPoints = 512;
constexpr std::int64_t kShownPoints = 3000, kShownImages = 40;
constexpr std::int64_t kWidths = 25;
// References that take longer than this are published after the runs, so that dragging stays quick.
constexpr double kSlowReference = 0.008;
constexpr double kShareInterval = 0.05;

struct ShownRun {
  std::string run;
  LoadedRun loaded;
  std::shared_ptr<EmbeddedSet> embedded;
};

bool serves(const ShownRun& run, std::int64_t n) {
  const std::vector<std::int64_t> sizes = run.loaded.estimator->sizes();
  return sizes.empty() || std::find(sizes.begin(), sizes.end(), n) != sizes.end();
}

std::vector<std::int64_t> log_sizes(std::int64_t most, std::int64_t count) {
  std::set<std::int64_t> sizes;
  for (std::int64_t k = 0; k < count; ++k)
    sizes.insert(std::llround(
        std::exp(std::log(static_cast<double>(most)) * static_cast<double>(k) / static_cast<double>(count - 1))));
  return {sizes.begin(), sizes.end()};
}

std::shared_ptr<const Figure> one_plot(Plot plot, const std::string& title, const std::string& source) {
  auto figure = std::make_shared<Figure>();
  figure->title = title;
  figure->source = source;
  figure->plots.push_back(std::move(plot));
  return figure;
}

PosteriorSummary summary_of(const TargetNumbers& numbers, const TargetNumbers* exact) {
  PosteriorSummary out;
  out.mean = numbers.mean;
  out.sd = numbers.sd;
  out.q05 = numbers.quantiles[0];
  out.q25 = numbers.quantiles[1];
  out.median = numbers.quantiles[2];
  out.q75 = numbers.quantiles[3];
  out.q95 = numbers.quantiles[4];
  if (exact != nullptr) {
    out.mean_shift = (numbers.mean - exact->mean) / exact->sd;
    out.sd_ratio = numbers.sd / exact->sd;
  }
  return out;
}

}  // namespace

struct PosteriorEngine::Parts {
  explicit Parts(std::function<void()> wake_up) : wake(std::move(wake_up)) {}

  // Of the worker's thread.
  std::uint64_t scene_id = 0;
  std::vector<ShownRun> runs;  // the shown one first
  std::map<std::string, int> shades;
  std::shared_ptr<const Task> task;
  std::string task_key;  // a set stays while this does
  SampleView view;
  std::optional<std::uint64_t> set_id;
  std::string set_key;
  std::uint64_t last_set = 0;
  std::string last_set_task;
  SetWish set;
  Latents latents;  // of a simulated set, one row; else undefined
  torch::Tensor x;  // [size, ...] float32; the first `simulated` hold values
  std::int64_t size = 0, simulated = 0;
  std::int64_t in_set = 0;  // in the file, of which the first `size` can be used; else `size`
  std::string file_note;
  std::unique_ptr<GridPosteriors> grids, width_grids;
  std::vector<StableRange> ranges;
  std::vector<StableHeight> heights;
  std::vector<WidthPoint> widths;
  std::set<std::int64_t> width_done;
  double reference_seconds = 0;
  // N of the last snapshot, and of the last check or picture of this set; 0: none.
  std::int64_t served = 0, checked = 0, drawn = 0;
  std::uint64_t snapshots = 0;
  std::vector<PosteriorNumbers> last_numbers;
  std::vector<PosteriorSource> last_sources;  // that the numbers are of, and others that failed
  std::optional<NuisanceAxes> nuisance_axes;
  std::set<std::string> told;
  Stopwatch since_share;

  // Of both.
  std::function<void()> wake;
  mutable std::mutex mutex;
  PosteriorNews news;
  std::string activity;
  std::atomic<std::uint64_t> version{0};

  template <class F>
  void publish(F&& change) {
    {
      const std::lock_guard lock(mutex);
      change(news);
      version.store(++news.version);
    }
    wake();
  }
  void tell(const std::string& problem) {
    if (!told.insert(problem).second) return;
    publish([&](PosteriorNews& n) { n.problems.push_back(problem); });
  }
  void now(const std::string& doing) {
    const std::lock_guard lock(mutex);
    activity = doing;
  }

  void load_runs(const PosteriorWish& wish, const Stale& stale);
  void fresh_set();
  bool load_set(const PosteriorWish& wish);
  void simulate(std::int64_t until);
  SeriesRole role_of(const ShownRun& run) const {
    const auto shade = shades.find(run.run);
    return shaded(strategy_role(run.loaded.config.strategy), shade == shades.end() ? 0 : shade->second);
  }
  // Observations that the shown run has embedded, and that all have: runs that come later catch up.
  std::int64_t ready() const { return runs.front().embedded->count(); }
  std::int64_t all_ready() const {
    std::int64_t least = size;
    for (const ShownRun& run : runs) least = std::min(least, run.embedded->count());
    return least;
  }
  void embed_next();
  void publish_scene();
  std::vector<PosteriorSource> run_sources(std::int64_t n, std::vector<std::string>* warnings) const;
  std::vector<PosteriorSource> reference_sources(std::int64_t n);
  void serve(std::int64_t n);
  void show(std::int64_t n, const std::vector<PosteriorNumbers>& numbers, std::vector<std::string> warnings,
            double milliseconds);
  void publish_width(std::int64_t n);
  void draw_observed(std::int64_t n);
  // Whether the task knows p(ψ | θ, X), without which there is neither a check nor a posterior of ψ.
  bool checkable() const { return nuisance_posterior(*task, x.slice(0, 0, 1)) != nullptr; }
  void check(std::int64_t n, const Stale& stale);
  void width_at(std::int64_t n);
  std::string source_text() const;
};

void PosteriorEngine::Parts::load_runs(const PosteriorWish& wish, const Stale& stale) {
  const bool again = wish.scene != scene_id;
  const bool other_shades = shades != wish.shades;
  shades = wish.shades;
  std::vector<std::string> names = {wish.run};
  for (const std::string& other : wish.others)
    if (std::find(names.begin(), names.end(), other) == names.end()) names.push_back(other);
  const bool same = !again && runs.size() == names.size() &&
                    std::equal(names.begin(), names.end(), runs.begin(),
                               [](const std::string& name, const ShownRun& run) { return name == run.run; });
  if (same && other_shades && set_id) fresh_set();
  if (same) return;
  if (again) {
    publish([&](PosteriorNews& n) {
      const auto problems = std::move(n.problems);
      const std::uint64_t version = n.version;
      n = PosteriorNews();
      n.problems = problems;
      n.version = version;
      n.scene_id = wish.scene;
    });
    told.clear();
  }
  std::vector<ShownRun> loaded;
  for (const std::string& name : names) {
    if (!loaded.empty() && stale()) throw Stopped();
    const auto known = std::find_if(runs.begin(), runs.end(), [&](const ShownRun& run) { return run.run == name; });
    if (!again && known != runs.end()) {
      loaded.push_back(*known);
      continue;
    }
    now("loading " + name);
    try {
      ShownRun run{name, load_run(name, wish.data, wish.device), nullptr};
      if (!loaded.empty()) {
        const TaskInfo &first = loaded.front().loaded.task->info(), &other = run.loaded.task->info();
        PAIRS_CHECK(first.name == other.name && first.variant == other.variant,
                    "{} is not drawn beside {}: it is a run of another task", run.loaded.name,
                    loaded.front().loaded.name);
      }
      loaded.push_back(std::move(run));
    } catch (const std::exception& error) {
      if (loaded.empty()) {
        runs.clear();
        task = nullptr;
        scene_id = wish.scene;
        publish([&](PosteriorNews& n) { n.failure = sentence(error); });
        return;
      }
      tell(sentence(error));
    }
  }
  runs = std::move(loaded);
  scene_id = wish.scene;
  const LoadedRun& first = runs.front().loaded;
  if (first.task->info().image_target()) {
    const std::string title = first.task->info().title;
    runs.clear();
    task = nullptr;
    publish([&](PosteriorNews& n) {
      n.failure = title + " predicts images; the densities that this tab draws are of parameters";
    });
    return;
  }
  const std::string key = first.config.task + "\n" + first.task->info().variant + "\n" + first.config.data;
  if (!task || key != task_key) {
    task_key = key;
    task = first.task;
    view = prior_view(*task);
    set_id.reset();
  }
  const std::vector<Target>& targets = task->info().targets;
  const bool confined = std::all_of(runs.begin(), runs.end(), [](const ShownRun& run) {
    return run.loaded.estimator->config().head.support != "real";
  });
  const bool bounded = std::all_of(targets.begin(), targets.end(),
                                   [](const Target& t) { return std::isfinite(t.low) && std::isfinite(t.high); });
  grids = std::make_unique<GridPosteriors>(targets, confined && bounded);
  width_grids = std::make_unique<GridPosteriors>(targets, confined && bounded, targets.size() == 2 ? 48 : 0);
  if (set_id) fresh_set();
}

// Of the set that is there, nothing has been worked out.
void PosteriorEngine::Parts::fresh_set() {
  for (ShownRun& run : runs)
    if (!run.embedded) run.embedded = std::make_shared<EmbeddedSet>(run.loaded.estimator, size);
  widths.clear();
  width_done.clear();
  served = checked = drawn = 0;
  publish_scene();
}

bool PosteriorEngine::Parts::load_set(const PosteriorWish& wish) {
  if (set_id == wish.set.id) return true;
  {
    const std::lock_guard lock(mutex);
    if (news.failed_set == wish.set.id && set_id) return true;  // the set before it stays
  }
  const TaskInfo& info = task->info();
  SetWish made = wish.set;
  // A file, or values set by hand, of the task that was shown before say nothing here.
  if (made.id <= last_set && task_key != last_set_task) {
    const auto own = wish.files.find(info.name);
    made.file = own == wish.files.end() ? std::filesystem::path() : own->second;
    made.values.clear();
  }
  last_set = std::max(last_set, made.id);
  last_set_task = task_key;
  torch::Tensor values;
  Latents drawn_latents;
  std::string note;
  std::int64_t held = info.max_n;
  if (!made.file.empty()) {
    try {
      now("reading " + made.file.filename().string());
      const Observed observed = read_observed(made.file, info, info.max_n);
      values = observed.x;
      held = observed.held;
      if (held > info.max_n)
        note = fmt::format("{} holds {} observations; the first {} are used, the most that the task {} knows",
                           made.file.filename().string(), count_text(held), count_text(info.max_n), info.title);
      publish([&](PosteriorNews& n) {
        n.problems.insert(n.problems.end(), observed.warnings.begin(), observed.warnings.end());
      });
    } catch (const std::exception& error) {
      publish([&](PosteriorNews& n) {
        n.set_failure = sentence(error);
        n.failed_set = made.id;
        n.problems.push_back(sentence(error));
      });
      if (set_id) return true;
      made.file.clear();
      made.values.clear();
    }
  }
  if (made.file.empty()) {
    held = info.max_n;
    const std::int64_t index[] = {made.index};
    drawn_latents = task->latents(kFigureSeed, Purpose::explore, index);
    const std::int64_t targets = drawn_latents.theta.size(1);
    if (static_cast<std::int64_t>(made.values.size()) == targets + drawn_latents.psi.size(1)) {
      const torch::Tensor all = torch::tensor(made.values, torch::kFloat64).unsqueeze(0);
      drawn_latents.theta = all.narrow(1, 0, targets).clone();
      drawn_latents.psi = all.narrow(1, targets, all.size(1) - targets).clone();
      if (made.changed >= 0)
        task->settle(drawn_latents,
                     made.changed < targets ? Component{false, made.changed} : Component{true, made.changed - targets});
    }
    std::vector<std::int64_t> shape = info.observation_shape;
    shape.insert(shape.begin(), info.max_n);
    values = torch::empty(shape, torch::kFloat32);
  }
  // Values set by hand move the set a little: axes and grids stay.
  const std::string key = made.file.empty() ? fmt::format("{}", made.index) : made.file.string();
  if (key != set_key || !set_id) {
    set_key = key;
    ranges.clear();
    heights.assign(info.targets.size(), StableHeight());
    for (const Target& target : info.targets) ranges.emplace_back(target.view_low, target.view_high);
    grids->forget();
    nuisance_axes.reset();
  }
  width_grids->forget();
  set = made;
  set_id = wish.set.id;
  latents = drawn_latents;
  x = values;
  size = values.size(0);
  in_set = held;
  simulated = made.file.empty() ? 0 : size;
  file_note = note;
  for (ShownRun& run : runs) run.embedded = nullptr;
  fresh_set();
  return true;
}

void PosteriorEngine::Parts::publish_scene() {
  auto scene = std::make_shared<PosteriorScene>();
  const TaskInfo& info = task->info();
  scene->task = info.name;
  scene->title = info.title;
  for (const Target& target : info.targets) scene->targets.push_back(target.short_title());
  for (const ShownRun& run : runs)
    scene->runs.push_back({run.run, run.loaded.name, strategy_title(run.loaded.config.strategy), role_of(run)});
  scene->question = info.question;
  scene->most = size;
  for (const std::int64_t n : runs.front().loaded.estimator->sizes())
    if (n <= size) scene->sizes.push_back(n);
  scene->set = *set_id;
  scene->set_size = in_set;
  scene->trained = runs.front().loaded.estimator->max_n();
  scene->simulated = latents.theta.defined();
  scene->by_hand = scene->simulated && !set.values.empty();
  if (scene->simulated) {
    scene->set_name =
        fmt::format("Set {} of the prior{}", count_text(set.index), set.values.empty() ? "" : ", changed");
    scene->set_source = info.data_source;
    const std::vector<double> theta = doubles(latents.theta), psi = doubles(latents.psi);
    for (std::size_t t = 0; t < info.targets.size(); ++t) {
      const Target& target = info.targets[t];
      scene->parameters.push_back({target.name, target.label, target.unit, target.view_low, target.view_high, theta[t],
                                   false, target.meaning, target.title()});
    }
    for (std::size_t k = 0; k < info.nuisances.size(); ++k) {
      const Nuisance& nuisance = info.nuisances[k];
      scene->parameters.push_back({nuisance.name, nuisance.label, nuisance.unit, nuisance.view_low, nuisance.view_high,
                                   psi[k], true, nuisance.meaning, nuisance.title()});
    }
  } else {
    scene->set_name = set.file.filename().string();
    if (scene->set_name.empty()) scene->set_name = set.file.parent_path().filename().string();
    scene->set_source = set.file.string();
  }
  publish([&](PosteriorNews& n) {
    n.scene = scene;
    n.failure.clear();
    n.embedded = static_cast<double>(ready()) / static_cast<double>(size);
  });
}

void PosteriorEngine::Parts::simulate(std::int64_t until) {
  until = std::min(until, size);
  if (until <= simulated) return;
  const SetRange range[] = {{set.index, simulated, until - simulated}};
  x.slice(0, simulated, until).copy_(task->observe(latents, kFigureSeed, Purpose::explore, range, torch::kCPU));
  simulated = until;
}

void PosteriorEngine::Parts::embed_next() {
  const bool image = task->info().kind == ObservationKind::image;
  const std::int64_t from = all_ready();
  std::int64_t take = image ? kImagesAtOnce : from == 0 ? kFirstPoints : kPointsAtOnce;
  take = std::min(take, size - from);
  simulate(from + take);
  for (ShownRun& run : runs)
    if (run.embedded->count() < from + take) run.embedded->add(x.slice(0, run.embedded->count(), from + take));
  if (ready() == size || since_share.seconds() > kShareInterval) {
    since_share.restart();
    publish([&](PosteriorNews& n) { n.embedded = static_cast<double>(ready()) / static_cast<double>(size); });
  }
}

std::vector<PosteriorSource> PosteriorEngine::Parts::run_sources(std::int64_t n,
                                                                 std::vector<std::string>* warnings) const {
  std::vector<PosteriorSource> sources;
  const auto warn = [&](std::string text) {
    if (warnings) warnings->push_back(std::move(text));
  };
  for (const ShownRun& run : runs) {
    const bool first = &run == &runs.front();
    const std::shared_ptr<Estimator> estimator = run.loaded.estimator;
    if (run.embedded->count() < n) continue;
    if (!serves(run, n)) {
      warn(fmt::format("{} has a head for some N only and none for {}", run.loaded.name, count_text(n)));
      continue;
    }
    if (n > estimator->max_n()) {
      if (!first) {
        warn(fmt::format("{} is left out here: it saw sets of at most {}", run.loaded.name,
                         count_text(estimator->max_n())));
        continue;
      }
      warn(fmt::format("{} saw sets of at most {} in training: this posterior is an extrapolation", run.loaded.name,
                       count_text(estimator->max_n())));
    }
    if (!run.loaded.finetuned && strategy(run.loaded.config.strategy).stages_2_and_3)
      warn(fmt::format("{} is only pretrained: its posterior holds for the small sets it saw", run.loaded.name));
    if (latents.theta.defined() && estimator->data_source() != task->info().data_source)
      warn(fmt::format("{} was trained on {} and is asked about {}: its posterior may be wrong", run.loaded.name,
                       estimator->data_source(), task->info().data_source));
    const Stopwatch watch;
    const torch::Tensor aggregate = run.embedded->aggregate(n, x), count = torch::full({1}, n, torch::kInt64);
    PosteriorSource source;
    source.milliseconds = 1000 * watch.seconds();
    source.name = runs.size() == 1 ? strategy_title(run.loaded.config.strategy) : run.loaded.name;
    source.role = role_of(run);
    source.ours = true;
    const torch::Tensor given = latents.given;
    source.log_density = [estimator, aggregate, count, given](const torch::Tensor& theta) {
      return estimator->log_prob_grid(theta.unsqueeze(0), aggregate, count, given)[0];
    };
    source.sample = [estimator, aggregate, count, given](std::int64_t draws) {
      return estimator->sample(aggregate, count, draws, stream_key(kFigureSeed, Purpose::posterior), given)[0];
    };
    sources.push_back(std::move(source));
  }
  return sources;
}

std::vector<PosteriorSource> PosteriorEngine::Parts::reference_sources(std::int64_t n) {
  std::vector<PosteriorSource> sources;
  for (const std::string& name : task->references()) {
    try {
      const Stopwatch watch;
      const std::shared_ptr<ReferencePosterior> reference = task->reference(name);
      reference->add(x.slice(0, 0, n));
      PosteriorSource source;
      source.name = name;
      const bool exact = name == "exact", naive = name.find("naive") != std::string::npos;
      source.role = exact ? SeriesRole::exact : naive ? SeriesRole::naive : SeriesRole::other;
      source.mean = reference->mean();
      source.sd = reference->covariance().diagonal().sqrt();
      source.log_density = [reference](const torch::Tensor& theta) { return reference->log_density(theta); };
      source.sample = [reference](std::int64_t draws) {
        Stream stream(stream_key(kFigureSeed, Purpose::posterior), 1);
        return reference->sample(draws, stream);
      };
      source.milliseconds = 1000 * watch.seconds();
      sources.push_back(std::move(source));
    } catch (const std::exception& error) {
      tell(fmt::format("{} is left out: {}", name, sentence(error)));
    }
  }
  return sources;
}

void PosteriorEngine::Parts::serve(std::int64_t n) {
  const OneThread one_thread;
  std::vector<std::string> warnings;
  const Stopwatch watch;
  std::vector<PosteriorSource> sources = run_sources(n, &warnings);
  if (!file_note.empty()) warnings.push_back(file_note);
  const auto problem = [&](const std::string& text) { warnings.push_back(text); };
  if (reference_seconds > kSlowReference) show(n, grids->evaluate(sources, problem), warnings, 1000 * watch.seconds());
  for (PosteriorSource& source : reference_sources(n)) sources.push_back(std::move(source));
  warnings.erase(std::unique(warnings.begin(), warnings.end()), warnings.end());
  std::vector<PosteriorNumbers> numbers = grids->evaluate(sources, problem);
  double taken = 0;
  for (const PosteriorNumbers& one : numbers)
    if (!one.ours) taken += one.milliseconds / 1000;
  reference_seconds = taken;
  show(n, numbers, std::move(warnings), 1000 * watch.seconds());
  last_numbers = std::move(numbers);
  last_sources = std::move(sources);
  served = n;
}

void PosteriorEngine::Parts::show(std::int64_t n, const std::vector<PosteriorNumbers>& numbers,
                                  std::vector<std::string> warnings, double milliseconds) {
  const std::vector<Target>& targets = task->info().targets;
  auto snapshot = std::make_shared<PosteriorSnapshot>();
  snapshot->version = ++snapshots;
  snapshot->set = *set_id;
  snapshot->n = n;
  snapshot->warnings = std::move(warnings);
  snapshot->milliseconds = milliseconds;
  snapshot->question = task->info().question.text(n, count_text(n));
  snapshot->sentence = posterior_sentence(numbers, targets);
  const PosteriorNumbers* exact = nullptr;
  for (const PosteriorNumbers& one : numbers)
    if (one.role == SeriesRole::exact) exact = &one;
  for (const PosteriorNumbers& one : numbers) {
    PosteriorSeries series{one.name, one.role, one.ours, {}, one.kl, one.milliseconds};
    for (std::size_t t = 0; t < targets.size(); ++t)
      series.targets.push_back(
          summary_of(one.targets[t], exact != nullptr && exact != &one ? &exact->targets[t] : nullptr));
    snapshot->series.push_back(std::move(series));
  }
  if (!numbers.empty()) {
    std::vector<std::pair<double, double>> axes;
    std::vector<double> tops;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const auto [low, high] = occupied_range(numbers, t);
      axes.push_back(ranges[t].update(low, high));
      double peak = 0;
      for (const PosteriorNumbers& one : numbers)
        if (one.ours || one.role == SeriesRole::exact)
          peak = std::max(peak, *std::max_element(one.marginals[t].begin(), one.marginals[t].end()));
      tops.push_back(heights[t].update(peak));
    }
    const Truth truth = latents.theta.defined() ? doubles(latents.theta) : Truth();
    const std::string title = fmt::format("{}: posterior at N = {}", task->info().title, count_text(n));
    std::vector<Plot> marginals;
    for (std::size_t t = 0; t < targets.size(); ++t)
      marginals.push_back(density_plot(numbers, targets[t], t, truth, axes[t], tops[t]));
    if (targets.size() == 1) {
      snapshot->density = one_plot(std::move(marginals.front()), title, source_text());
    } else {
      auto figure = std::make_shared<Figure>();
      const bool two = targets.size() == 2;
      figure->title = two ? "Marginals" : title;
      if (!two) figure->source = source_text();
      figure->columns = two ? 1 : std::min<std::int64_t>(3, static_cast<std::int64_t>(targets.size()));
      for (Plot& plot : marginals) {
        plot.legend = !two && &plot == &marginals.front();
        figure->plots.push_back(std::move(plot));
      }
      if (two) {
        snapshot->density = one_plot(contour_plot(numbers, targets, truth, axes), title, source_text());
        snapshot->marginals = figure;
      } else {
        snapshot->density = figure;
      }
    }
  }
  if (serves(runs.front(), n)) {
    try {
      const Place place = place_of(*runs.front().loaded.estimator, runs.front().embedded->aggregate(n, x),
                                   torch::full({1}, n, torch::kInt64));
      snapshot->place = {place.known, place.outside, place.distance, place.percentile};
    } catch (const std::exception& error) {
      tell(sentence(error));
    }
  }
  publish([&](PosteriorNews& news_now) {
    news_now.snapshot = snapshot;
    news_now.failure.clear();
  });
  publish_width(n);
}

void PosteriorEngine::Parts::publish_width(std::int64_t n) {
  if (widths.empty()) return;
  auto figure = std::make_shared<Figure>(width_against_n(widths, task->info().targets, size, n));
  publish([&](PosteriorNews& news_now) { news_now.width = figure; });
}

void PosteriorEngine::Parts::width_at(std::int64_t n) {
  const OneThread one_thread;
  width_done.insert(n);
  std::vector<PosteriorSource> sources = run_sources(n, nullptr);
  for (PosteriorSource& source : reference_sources(n)) sources.push_back(std::move(source));
  for (const PosteriorNumbers& one : width_grids->evaluate(sources)) {
    WidthPoint point{one.name, one.role, one.ours, n, {}};
    for (const TargetNumbers& target : one.targets) point.sd.push_back(target.sd);
    widths.push_back(std::move(point));
  }
}

void PosteriorEngine::Parts::draw_observed(std::int64_t n) {
  drawn = n;
  const bool image = task->info().kind == ObservationKind::image;
  const std::int64_t count = std::min(n, image ? kShownImages : kShownPoints);
  Plot plot = sample_plot(*task, latents, x.slice(0, 0, count), view);
  plot.legend = false;
  const std::string source = latents.theta.defined() ? task->info().data_source : set.file.filename().string();
  plot.title =
      (count == n ? count_text(n) : fmt::format("first {} of {}", count_text(count), count_text(n))) + " · " + source;
  const auto figure = one_plot(std::move(plot), "", "");
  publish([&](PosteriorNews& news_now) { news_now.observed = figure; });
}

// The predictive check by the shown run, then the posterior of ψ by it and by the exact posterior.
void PosteriorEngine::Parts::check(std::int64_t n, const Stale& stale) {
  constexpr std::int64_t kNuisanceDraws = 128;
  checked = n;
  const auto nothing = [this] {
    publish([](PosteriorNews& news_now) {
      news_now.check = nullptr;
      news_now.nuisance = nullptr;
    });
  };
  try {
    const OneThread one_thread;
    const torch::Tensor used = x.slice(0, 0, n);
    const std::unique_ptr<NuisancePosterior> known = nuisance_posterior(*task, used);
    std::vector<ThetaDraws> draws;
    if (std::none_of(last_numbers.begin(), last_numbers.end(), [](const auto& one) { return one.ours; }))
      publish([](PosteriorNews& news_now) { news_now.check = nullptr; });
    for (const PosteriorNumbers& one : last_numbers) {
      const bool exact = one.role == SeriesRole::exact;
      if (!known || (!exact && !(one.ours && draws.empty()))) continue;
      const auto source =
          std::find_if(last_sources.begin(), last_sources.end(), [&](const auto& s) { return s.name == one.name; });
      if (draws.empty() && one.ours) {
        const torch::Tensor theta = theta_draws(one, *source, kReplicates);
        const auto made = std::make_shared<PredictiveCheck>(
            predictive_check(*task, *known, theta, used, view, one.role, static_cast<std::uint64_t>(set.index)));
        publish([&](PosteriorNews& news_now) { news_now.check = made; });
        if (stale()) throw Stopped();
      }
      draws.push_back({one.name, one.role, theta_draws(one, *source, kNuisanceDraws)});
    }
    if (draws.empty()) return nothing();
    const TaskInfo& info = task->info();
    if (!nuisance_axes) nuisance_axes.emplace(info);
    const Truth truth = latents.psi.defined() ? doubles(latents.psi) : Truth();
    const auto made = std::make_shared<NuisanceView>(
        nuisance_view(info, nuisance_series(info, *known, draws), truth, *nuisance_axes));
    publish([&](PosteriorNews& news_now) { news_now.nuisance = made; });
  } catch (const Stopped&) {
    checked = 0;
    throw;
  } catch (const std::exception& error) {
    tell(fmt::format("the predictive check is left out: {}", sentence(error)));
    nothing();
  }
}

std::string PosteriorEngine::Parts::source_text() const {
  const std::string set_text = latents.theta.defined() ? task->info().data_source : set.file.string();
  std::string names;
  for (const ShownRun& run : runs) names += (names.empty() ? "" : ", ") + run.loaded.name;
  return set_text + "; " + names;
}

PosteriorEngine::PosteriorEngine(std::function<void()> wake) : parts_(std::make_unique<Parts>(std::move(wake))) {}
PosteriorEngine::~PosteriorEngine() = default;

PosteriorNews PosteriorEngine::news() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->news;
}

std::uint64_t PosteriorEngine::version() const {
  return parts_->version.load();
}

std::string PosteriorEngine::activity() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->activity;
}

void PosteriorEngine::work(const PosteriorWish& wish, const Stale& stale) {
  Parts& p = *parts_;
  torch::NoGradGuard no_grad;
  const auto check_stale = [&] {
    if (stale()) throw Stopped();
  };
  try {
    p.load_runs(wish, stale);
    if (p.runs.empty()) return;
    p.load_set(wish);
    const std::int64_t n = std::clamp<std::int64_t>(wish.n, 1, p.size);
    Stopwatch since_partial;
    p.now("embedding the observed set");
    while (p.ready() < n) {
      // Whoever drags θ or ψ sees what there is by then.
      if (stale()) {
        if (p.served == 0 && p.ready() > 0) p.serve(p.ready());
        throw Stopped();
      }
      p.embed_next();
      if (p.ready() < n && since_partial.seconds() > 0.25) {
        p.serve(p.ready());
        since_partial.restart();
      }
    }
    p.now("posterior");
    if (p.served != n) p.serve(n);
    check_stale();
    if (p.checkable()) {
      if (p.checked != n) p.check(n, stale);
    } else if (p.drawn != n) {
      p.draw_observed(n);
    }
    p.now("embedding the observed set");
    bool complete = p.all_ready() >= n;
    while (p.all_ready() < p.size) {
      check_stale();
      p.embed_next();
      if (!complete && p.all_ready() >= n) {
        p.serve(n);
        complete = true;
      }
    }
    p.now("posterior width against N");
    Stopwatch since_width;
    for (const std::int64_t at : log_sizes(p.size, kWidths)) {
      if (p.width_done.contains(at)) continue;
      check_stale();
      p.width_at(at);
      if (since_width.seconds() > 0.1) {
        p.publish_width(n);
        since_width.restart();
      }
    }
    p.publish_width(n);
  } catch (const Stopped&) {
    p.now("");
    throw;
  } catch (const std::exception& error) {
    p.publish([&](PosteriorNews& news_now) { news_now.failure = sentence(error); });
  }
  p.now("");
}

}  // namespace pairs::model
