#include "app/model/train/live_posterior.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/posterior/figures/training_posterior.h"
#include "app/posterior/plots/posterior_plots.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/report/number_text.h"
#include "core/train/settings/stages.h"

namespace pairs::model {
namespace {

constexpr double kInterval = 0.7;    // minimum seconds between two posteriors,
constexpr double kShare = 1.0 / 70;  // and maximum share of the time
constexpr double kAttention = 5;     // seconds for which one look() counts

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The learned density may be far too sharp; it is cut next to the exact posterior.
double height_of(const std::vector<PosteriorNumbers>& series, std::size_t t) {
  const auto most = [&](const PosteriorNumbers& one) {
    const double top = *std::max_element(one.marginals[t].begin(), one.marginals[t].end());
    return std::isfinite(top) ? 1.15 * top : 0;
  };
  const double learned = most(series.back()), known = series.size() > 1 ? most(series.front()) : 0;
  return known > 0 ? std::clamp(learned, known, 3.5 * known) : learned;
}

}  // namespace

struct LivePosterior::Scene {
  Scene(const Preview& preview) : stage(preview.stage), wanted_n(preview.n), posterior(preview.estimator, preview.n) {}

  Stage stage;
  std::int64_t wanted_n;  // as reported by the stage
  TrainingPosterior posterior;
  std::atomic<bool> ready{false};  // the thread of references has finished it
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
  const auto scene = std::make_shared<Scene>(preview);
  scene_ = scene;
  references_.request([scene](const LatestWorker::Stale& stale) {
    scene->posterior.find_reference([&] { return !stale(); });
    scene->ready = true;
  });
}

Figure LivePosterior::draw(const Preview& preview, Scene& scene) {
  TrainingPosterior& posterior = scene.posterior;
  SeriesRole role = SeriesRole::pairs;
  {
    const std::lock_guard lock(mutex_);
    role = role_;
  }
  const std::vector<PosteriorNumbers> series =
      posterior.series(preview.estimator, role, preview.stage != Stage::pretrain);
  const TaskInfo& info = posterior.info();
  PosteriorAxes axes = posterior.axes();
  for (std::size_t t = 0; t < info.targets.size(); ++t) axes.heights[t] = height_of(series, t);
  Figure figure;
  figure.source = info.data_source;
  figure.plots = {posterior_plots(series, info.targets, posterior.truth(), axes).front()};
  figure.plots.front().title = fmt::format("One set of N = {} during training", count_text(posterior.n()));
  return figure;
}

void LivePosterior::preview(const Preview& preview) {
  const Stopwatch watch;
  try {
    at::NoGradGuard no_grad;
    if (fresh_.exchange(false) || !scene_ || scene_->stage != preview.stage || scene_->wanted_n != preview.n)
      set_scene(preview);
    if (scene_->ready) {
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
