#include "app/model/train/live_posterior.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/posterior/observed_set.h"
#include "app/posterior/posterior_figure.h"
#include "core/aggregate.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/report/number_text.h"
#include "core/train/stages.h"

namespace pairs::model {
namespace {

constexpr double kInterval = 0.7;                          // seconds between two posteriors at least,
constexpr double kShare = 1.0 / 70;                        // and so much of the time at most
constexpr double kAttention = 5;                           // seconds for which one look counts
constexpr std::size_t kLineCells = 200, kPlaneCells = 48;  // of an axis

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What is learnt may be far too sharp; beside the exact posterior it is cut.
double height_of(const std::vector<PosteriorNumbers>& series, std::size_t t) {
  const auto most = [&](const PosteriorNumbers& one) {
    const double top = *std::max_element(one.marginals[t].begin(), one.marginals[t].end());
    return std::isfinite(top) ? 1.15 * top : 0;
  };
  const double learnt = most(series.back()), known = series.size() > 1 ? most(series.front()) : 0;
  return known > 0 ? std::clamp(learnt, known, 3.5 * known) : learnt;
}

}  // namespace

struct LivePosterior::Scene {
  Stage stage = Stage::pretrain;
  std::int64_t wanted_n = 0, n = 0;  // that the stage told, and that is shown
  std::shared_ptr<ObservedSet> set;
  torch::Tensor aggregate;  // kept once the embedder is frozen
  // Written by the thread of references before `ready`.
  PosteriorAxes axes;
  std::vector<Cells> cells;
  std::vector<PosteriorNumbers> exact;  // one, or none
  std::atomic<bool> ready{false};

  // The axes are those of the exact posterior where there is one, else of the prior.
  void find_reference(const LatestWorker::Stale& stale) {
    const std::vector<std::string> names = set->task().references();
    if (std::find(names.begin(), names.end(), "exact") == names.end()) return fit({});
    const PosteriorSource source = reference_source(set->task(), "exact", set->first(n), [&] { return !stale(); });
    fit(posterior_numbers(set->task().info().targets, true, {source}));
    if (stale()) throw Stopped();
    exact.push_back(numbers_on(source, cells));
  }
  void fit(const std::vector<PosteriorNumbers>& series) {
    const std::vector<Target>& targets = set->task().info().targets;
    axes = chosen_axes(series, targets, set->theta());
    cells.clear();
    for (const AxisRange& range : axes.ranges)
      cells.push_back({range.first, range.second, targets.size() == 1 ? kLineCells : kPlaneCells});
  }
};

LivePosterior::LivePosterior(std::function<void()> wake)
    : wake_(std::move(wake)), references_([](const std::string&) {}) {}
LivePosterior::~LivePosterior() = default;

void LivePosterior::begin(SeriesRole role) {
  {
    const std::lock_guard lock(mutex_);
    role_ = role;
    problem_.clear();
  }
  figure_.store(nullptr);
  fresh_ = true;
}

void LivePosterior::look() {
  looked_ = now();
}

std::string LivePosterior::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

bool LivePosterior::wanted() {
  const double time = now();
  return (time >= due_ || fresh_) && time - looked_.load() < kAttention;
}

void LivePosterior::set_scene(const Preview& preview) {
  auto scene = std::make_shared<Scene>();
  scene->stage = preview.stage;
  scene->wanted_n = scene->n = preview.n;
  const std::shared_ptr<const Task> task = preview.estimator.task_pointer();
  const TaskInfo& info = task->info();
  PAIRS_CHECK(preview.estimator.has_density(),
              "The target of this task is an image, whose posterior is not drawn while it is trained");
  PAIRS_CHECK(info.targets.size() <= 2, "A posterior of more than two targets is not drawn while it is trained");
  if (preview.estimator.sizes().empty()) scene->n = std::min(scene->n, room_of(info).amounts().live);
  scene->set = std::make_shared<ObservedSet>(task, SetChoice());
  scene->set->first(scene->n);
  scene_ = scene;
  references_.request([scene](const LatestWorker::Stale& stale) {
    try {
      scene->find_reference(stale);
    } catch (const Error&) {
      scene->fit({});
    }
    scene->ready = true;
  });
}

Figure LivePosterior::draw(const Preview& preview, const Scene& scene) {
  const TaskInfo& info = scene.set->task().info();
  SeriesRole role = SeriesRole::pairs;
  {
    const std::lock_guard lock(mutex_);
    role = role_;
  }
  const std::shared_ptr<Estimator> estimator(std::shared_ptr<Estimator>(), &preview.estimator);
  std::vector<PosteriorNumbers> series = scene.exact;
  series.push_back(numbers_on(
      estimator_source("learnt", role, estimator, scene.aggregate, scene.n, scene.set->latents().given), scene.cells));
  PosteriorAxes axes = scene.axes;
  for (std::size_t t = 0; t < info.targets.size(); ++t) axes.heights[t] = height_of(series, t);
  Figure figure;
  figure.source = info.data_source;
  figure.plots = {posterior_plots(series, info.targets, scene.set->theta(), axes).front()};
  figure.plots.front().title = fmt::format("One set of N = {}, as it is learnt", count_text(scene.n));
  return figure;
}

void LivePosterior::preview(const Preview& preview) {
  const Stopwatch watch;
  try {
    at::NoGradGuard no_grad;
    if (fresh_.exchange(false) || !scene_ || scene_->stage != preview.stage || scene_->wanted_n != preview.n)
      set_scene(preview);
    if (scene_->ready) {
      if (preview.stage == Stage::pretrain || !scene_->aggregate.defined())
        scene_->aggregate = aggregate_observed(preview.estimator, scene_->set->first(scene_->n));
      figure_.store(std::make_shared<const Figure>(draw(preview, *scene_)));
      wake_();
    }
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    problem_ = sentence(error);
    looked_ = -1e9;
  }
  due_ = now() + std::max(kInterval, watch.seconds() / kShare);
}

}  // namespace pairs::model
