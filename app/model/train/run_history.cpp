#include "app/model/train/run_history.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/runs/loss_figure.h"
#include "app/runs/places.h"
#include "app/runs/run_shades.h"
#include "app/runs/strategy_look.h"
#include "app/runs/task_options.h"
#include "app/scores/metrics_file.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"
#include "core/train/run/shipped.h"
#include "core/train/stages/likelihood_stage.h"
#include "core/train/steps/least_loss.h"

namespace pairs::model {
namespace {

// The maximum number of heads whose losses have a bound each.
constexpr std::size_t kMostBounds = 4;

// Size and time of last change, which identify a version of a file; zeros if it does not exist.
struct Stamp {
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;
  std::uint64_t inode = 0;
  bool operator==(const Stamp&) const = default;
};

Stamp stamp(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ino};
}

// A log that is read as it grows.
struct LogTail {
  RunProgress progress;
  std::int64_t offset = 0;  // after the last complete line
  Stamp seen;

  // Reads what was appended since the last read; returns whether there was anything.
  bool read(const std::filesystem::path& file, const LatestWorker::Stale& stale) {
    const Stamp now = stamp(file);
    if (now == seen) return false;
    const bool another = now.inode != seen.inode || now.size < offset;
    seen = now;
    if (another) {
      progress = {};
      offset = 0;
    }
    const bool read = follow_events(
        file, offset, [&](const Event& event) { progress.add(event); },
        [&] {
          if (stale()) throw Stopped();
        });
    return read || another;
  }
};

// Exact NLLs by set size: the task's closed form, else those measured by an evaluation, interpolated linearly in log N.
class ExactNll {
 public:
  ExactNll(const Tasks& tasks, std::shared_ptr<const Task> task, const std::filesystem::path& metrics)
      : task_(std::move(task)) {
    try {
      if (const auto stored = read_metrics(tasks, metrics))
        for (const auto& row : stored->rows)
          if (std::isfinite(row.exact_nll)) measured_[row.n] = row.exact_nll;
    } catch (const Error&) {
      // Another panel reports unreadable scores.
    }
  }
  double operator()(std::int64_t n) const {
    if (const double exact = task_->exact_nll(n); std::isfinite(exact)) return exact;
    const auto above = measured_.lower_bound(n);
    if (above == measured_.end()) return NAN;
    if (above->first == n) return above->second;
    if (above == measured_.begin()) return NAN;
    const auto below = std::prev(above);
    const double share = std::log(static_cast<double>(n) / static_cast<double>(below->first)) /
                         std::log(static_cast<double>(above->first) / static_cast<double>(below->first));
    return below->second + share * (above->second - below->second);
  }

 private:
  std::shared_ptr<const Task> task_;
  std::map<std::int64_t, double> measured_;
};

void add_bound(Plot& plot, double bound, const std::string& name) {
  if (!std::isfinite(bound) || plot.lines.empty()) return;
  double low = plot.lines.front().x.front(), high = low;
  for (const Line& line : plot.lines) {
    low = std::min(low, line.x.front());
    high = std::max(high, line.x.back());
  }
  Line line;
  line.name = name;
  line.role = SeriesRole::exact;
  line.style = LineStyle::dashed;
  line.x = {std::min(0.0, low), 1.02 * high};
  line.y = {bound, bound};
  plot.lines.push_back(std::move(line));
}

// The first losses of a long history can be so extreme that the rest looks flat: then the axis excludes them.
void leave_out_beginning(Plot& plot) {
  std::vector<double> late;
  double low = INFINITY, high = -INFINITY;
  for (const Line& line : plot.lines) {
    for (std::size_t i = 0; i < line.y.size(); ++i) {
      low = std::min(low, line.y[i]);
      high = std::max(high, line.y[i]);
      if (line.role != SeriesRole::exact && i >= line.y.size() / 10) late.push_back(line.y[i]);
    }
  }
  if (late.size() < 20) return;
  const auto most = late.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(late.size() - 1));
  std::nth_element(late.begin(), most, late.end());
  const double span = *most - low;
  if (span <= 0 || high - low < 2.5 * span) return;
  plot.y.low = low - 0.06 * span;
  plot.y.high = low + 1.6 * span;
}

}  // namespace

// The worker's state between two reads of one folder.
struct RunHistory::Tail {
  Tasks tasks;
  std::filesystem::path folder;
  LogTail log, learning;  // of the run, and of its likelihood
  Stamp config_file, metrics;
  bool looked = false;
  std::shared_ptr<const RunShades> shades;
  int shade = 0;
  RunView view;
  std::shared_ptr<const Task> task;
  std::unique_ptr<ExactNll> exact;

  // Reads what was appended to the run's log and to that of its likelihood; returns whether there was anything.
  bool read_log(const LatestWorker::Stale& stale) {
    return log.read(folder / run_file::events, stale) |
           learning.read(likelihood_folder(folder) / run_file::events, stale);
  }

  // Reads run.toml and everything derived from it.
  bool read_config() {
    const Stamp now = stamp(folder / run_file::config);
    if (looked && now == config_file) return false;
    config_file = now;
    view.config.reset();
    view.settings.reset();
    view.problem.clear();
    if (now == Stamp{}) {
      view.problem = fmt::format("{} is no longer there, or never was a run; choose another run on the left",
                                 printable(folder.string(), 300));
      return true;
    }
    try {
      view.config = std::make_shared<const RunConfig>(read_run_toml(tasks, folder / run_file::config));
      view.settings = std::make_shared<const std::vector<Setting>>(setting_table(*view.config));
      view.shipped = is_shipped(folder);
      if (view.shipped) view.shipped_name = shipped_name(tasks, folder);
    } catch (const Error& error) {
      view.problem = error.what();
    }
    metrics = {-1};
    return true;
  }

  bool read_state() {
    const bool finished = std::filesystem::exists(folder / run_file::estimator);
    const bool pretrained = finished || std::filesystem::exists(folder / run_file::pretrained);
    const bool cached =
        finished || (log.progress.stage(Stage::cache).done && std::filesystem::exists(folder / run_file::cache));
    const std::filesystem::path likelihood = likelihood_folder(folder);
    const bool learned = std::filesystem::exists(likelihood / likelihood_file::weights);
    const bool in_use = is_locked(folder) || is_locked(likelihood);
    const bool same = finished == view.finished && pretrained == view.pretrained && cached == view.cached &&
                      learned == view.learned && in_use == view.in_use;
    view.finished = finished;
    view.pretrained = pretrained;
    view.cached = cached;
    view.learned = learned;
    view.in_use = in_use;
    return !same;
  }

  bool read_bounds() {
    const Stamp now = stamp(folder / run_file::metrics);
    if (now == metrics || !view.config) return false;
    metrics = now;
    const RunConfig& config = *view.config;
    task = tasks->make(config.task, options_without_data(config));
    view.no_likelihood = !config.ensemble.empty()        ? "it is the mean of several runs"
                         : view.shipped && !view.learned ? "the weights came with the program"
                                                         : LearnedLikelihood::refused(*task);
    exact = std::make_unique<ExactNll>(tasks, task, folder / run_file::metrics);
    view.exact[0] = bound(Stage::pretrain, config.pretrain.sizes, SizeDistribution::list);
    if (strategy(config.strategy).stages_2_and_3)
      view.exact[2] = bound(Stage::finetune, config.cache.sizes, size_distribution(config.finetune.size_distribution));
    return true;
  }

  double bound(Stage stage, const std::vector<std::int64_t>& sizes, SizeDistribution distribution) const {
    return least_loss(task->info(), head_of_stage(*view.config, stage == Stage::finetune), sizes, distribution,
                      std::ref(*exact));
  }

  const RunProgress& progress_of(Stage stage) const {
    return stage == Stage::likelihood ? learning.progress : log.progress;
  }

  void draw() {
    const RunConfig& config = *view.config;
    for (const Stage stage : {Stage::pretrain, Stage::finetune, Stage::likelihood}) {
      const auto k = static_cast<std::size_t>(stage);
      const bool likelihood = stage == Stage::likelihood;
      const RunProgress& progress = progress_of(stage);
      Plot plot;
      plot.title = stage == Stage::pretrain ? "Pretrain: loss" : likelihood ? "Likelihood: loss" : "Finetune: loss";
      add_losses(plot, progress, stage, shaded(strategy_role(config.strategy), shade), "");
      view.losses[k].reset();
      if (plot.lines.empty()) continue;
      const auto& heads = progress.losses(stage);
      if (heads.begin()->first == 0)
        add_bound(plot, view.exact[k], "exact bound");
      else if (heads.size() <= kMostBounds)
        for (const auto& [n, points] : heads)
          add_bound(plot, bound(stage, {n}, SizeDistribution::list), fmt::format("N = {}, exact bound", n));
      fit_losses(plot, likelihood ? "negative log density of one observation / nat"
                                  : loss_label(head_of_stage(config, stage == Stage::finetune)));
      leave_out_beginning(plot);
      auto figure = std::make_shared<Figure>();
      figure->source = folder.filename().string();
      figure->plots.push_back(std::move(plot));
      view.losses[k] = std::move(figure);
    }
  }

  // Returns whether something is new.
  bool look(const LatestWorker::Stale& stale) {
    const bool config = read_config();
    const bool bounds = read_bounds();
    const bool reported = read_log(stale);
    const bool state = read_state();
    const int before = std::exchange(shade, shades ? shades->of(folder.string()) : 0);
    const bool another_shade = shade != before;
    if (looked && !config && !bounds && !reported && !state && !another_shade) return false;
    looked = true;
    view.folder = folder;
    for (std::size_t k = 0; k < view.stages.size(); ++k)
      view.stages[k] = progress_of(static_cast<Stage>(k)).stage(static_cast<Stage>(k));
    const StageRecord& learned = view.stages[static_cast<std::size_t>(Stage::likelihood)];
    view.current = static_cast<int>(learned.running ? Stage::likelihood : log.progress.current());
    view.error = log.progress.error();
    view.lines = log.progress.lines();
    for (const std::string& line : learning.progress.lines()) view.lines.push_back(line);
    if ((config || bounds || reported || another_shade) && view.config) draw();
    return true;
  }
};

RunHistory::RunHistory(Tasks tasks, std::function<void()> wake, std::shared_ptr<const RunShades> shades)
    : tasks_(std::move(tasks)), shades_(std::move(shades)), view_(std::move(wake)) {}

void RunHistory::open(const std::filesystem::path& folder) {
  view_.forget();
  folder_ = folder;
  tail_.reset();
  if (folder_.empty()) return;
  tail_ = std::make_shared<Tail>();
  tail_->tasks = tasks_;
  tail_->folder = folder_;
  tail_->shades = shades_;
  look();
}

void RunHistory::refresh() {
  if (tail_ && !view_.busy()) look();
}

void RunHistory::look() {
  view_.ask([tail = tail_](const LatestWorker::Stale& stale) -> std::shared_ptr<const RunView> {
    try {
      if (!tail->look(stale)) return nullptr;
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      tail->view.problem = sentence(error);
    }
    return std::make_shared<const RunView>(tail->view);
  });
}

}  // namespace pairs::model
