#include "app/model/train/live_posterior.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/kinds/samples_figure.h"
#include "app/posterior/posterior_figure.h"
#include "app/text/number_text.h"
#include "core/aggregate.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/transfer.h"
#include "core/report/contour.h"
#include "core/train/stages.h"

namespace pairs::model {
namespace {

constexpr double kInterval = 0.7;    // seconds between two posteriors at least,
constexpr double kShare = 1.0 / 70;  // and so much of the time at most
constexpr double kAttention = 5;     // seconds for which one look counts
constexpr std::int64_t kLinePoints = 200, kSide = 48;
constexpr std::int64_t kMostImages = 200, kMostPoints = 20000;  // observed, where the head takes any N

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One axis of the grid: the middles of equal cells.
struct Range {
  double low, high;
  std::vector<double> values(std::int64_t count) const {
    std::vector<double> out;
    for (std::int64_t k = 0; k < count; ++k)
      out.push_back(low + (high - low) * (static_cast<double>(k) + 0.5) / static_cast<double>(count));
    return out;
  }
};

}  // namespace

struct LivePosterior::Scene {
  Stage stage = Stage::pretrain;
  std::int64_t wanted_n = 0, n = 0;  // that the stage told, and that is shown
  std::shared_ptr<const Task> task;
  std::vector<double> truth;
  torch::Tensor x, aggregate;  // aggregate: kept once the embedder is frozen
  torch::Tensor given;         // with the set; undefined without
  // Written by the thread of references before `ready`.
  std::vector<Range> ranges;
  torch::Tensor theta;  // [points, d]
  std::vector<double> exact;
  std::atomic<bool> ready{false};

  std::int64_t targets() const { return static_cast<std::int64_t>(task->info().targets.size()); }

  void set_grid() {
    if (targets() == 1) {
      theta = torch::tensor(ranges[0].values(kLinePoints), torch::kFloat64).unsqueeze(1);
      return;
    }
    const auto mesh = torch::meshgrid({torch::tensor(ranges[0].values(kSide), torch::kFloat64),
                                       torch::tensor(ranges[1].values(kSide), torch::kFloat64)},
                                      "ij");
    theta = torch::stack({mesh[0].flatten(), mesh[1].flatten()}, 1);
  }

  // The grid lies around the exact posterior where there is one, else on the range of the prior.
  void find_reference(const LatestWorker::Stale& stale) {
    const TaskInfo& info = task->info();
    for (const Target& target : info.targets) ranges.push_back({target.view_low, target.view_high});
    const std::vector<std::string> names = task->references();
    if (std::find(names.begin(), names.end(), "exact") == names.end()) return set_grid();
    const auto reference = task->reference("exact");
    constexpr std::int64_t kChunk = 5000;
    for (std::int64_t first = 0; first < n; first += kChunk) {
      if (stale()) throw Stopped();
      reference->add(x.slice(0, first, std::min(first + kChunk, n)));
    }
    const torch::Tensor mean = reference->mean(), sd = reference->covariance().diagonal().sqrt();
    for (std::size_t t = 0; t < ranges.size(); ++t) {
      const auto i = static_cast<std::int64_t>(t);
      const double centre = mean[i].item<double>(), reach = 4.5 * sd[i].item<double>();
      if (!std::isfinite(centre) || !std::isfinite(reach) || reach <= 0) continue;
      const Target& target = info.targets[t];
      ranges[t] = {std::max(target.low, std::min(centre - reach, truth[t] - 0.1 * reach)),
                   std::min(target.high, std::max(centre + reach, truth[t] + 0.1 * reach))};
    }
    set_grid();
    if (stale()) throw Stopped();
    exact = doubles(reference->log_density(theta).exp());
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
  scene->task = preview.estimator.task_pointer();
  const TaskInfo& info = scene->task->info();
  PAIRS_CHECK(!info.image_target(),
              "The target of this task is an image, whose posterior is not drawn while it is trained");
  PAIRS_CHECK(info.targets.size() <= 2, "A posterior of more than two targets is not drawn while it is trained");
  if (preview.estimator.sizes().empty())
    scene->n = std::min(scene->n, info.kind == ObservationKind::image ? kMostImages : kMostPoints);
  const std::int64_t index[] = {0};
  const Latents latents = scene->task->latents(kFigureSeed, Purpose::explore, index);
  scene->given = latents.given;
  for (std::int64_t t = 0; t < scene->targets(); ++t) scene->truth.push_back(latents.theta[0][t].item<double>());
  const SetRange range[] = {{0, 0, scene->n}};
  scene->x = scene->task->observe(latents, kFigureSeed, Purpose::explore, range, torch::kCPU);
  scene_ = scene;
  references_.request([scene](const LatestWorker::Stale& stale) {
    try {
      scene->find_reference(stale);
    } catch (const Error&) {
      scene->exact.clear();
      scene->set_grid();
    }
    scene->ready = true;
  });
}

Figure LivePosterior::draw(const Preview& preview, const Scene& scene) {
  const TaskInfo& info = scene.task->info();
  SeriesRole role = SeriesRole::pairs;
  {
    const std::lock_guard lock(mutex_);
    role = role_;
  }
  const torch::Tensor size = torch::full({1}, scene.n, torch::kInt64);
  const std::vector<double> ours =
      doubles(preview.estimator.log_prob_grid(scene.theta.unsqueeze(0), scene.aggregate, size, scene.given)[0].exp());
  Figure figure;
  figure.source = info.data_source;
  Plot plot;
  plot.title = fmt::format("One set of N = {}, as it is learnt", count_text(scene.n));
  const auto axis = [&](std::size_t t) {
    const Target& target = info.targets[t];
    return Axis{target.title(), AxisScale::linear, scene.ranges[t].low, scene.ranges[t].high};
  };
  plot.x = axis(0);
  const auto add = [&](const std::vector<double>& density, const char* name, SeriesRole role, LineStyle style) {
    if (density.empty()) return;
    if (info.targets.size() == 1) {
      plot.lines.push_back({name, role, style, false, scene.ranges[0].values(kLinePoints), density, {}, {}});
      return;
    }
    const std::vector<double> a = scene.ranges[0].values(kSide), b = scene.ranges[1].values(kSide);
    try {
      for (const double level : density_levels(density, {0.5, 0.9}))
        for (Polyline& line : contour_lines(density, kSide, kSide, b.front(), b.back(), a.front(), a.back(), level))
          plot.contours.push_back({name, role, style, std::move(line.y), std::move(line.x)});
    } catch (const Error&) {
      // All of it lies outside of the grid, or nowhere: there is nothing to draw yet.
    }
  };
  add(scene.exact, "exact", SeriesRole::exact, LineStyle::dashed);
  add(ours, "learnt", role, LineStyle::solid);
  if (info.targets.size() == 1) {
    plot.y = {"density"};
    const auto most = [](const std::vector<double>& v) {
      return v.empty() ? 0.0 : *std::max_element(v.begin(), v.end());
    };
    const double high = most(ours), known = most(scene.exact);
    plot.y.high = std::max(known * 1.15, std::isfinite(high) ? 1.15 * high : 0);
    if (known > 0) plot.y.high = std::min(plot.y.high, known * 4);
    plot.rules.push_back({"truth", SeriesRole::truth, scene.truth[0]});
  } else {
    plot.y = axis(1);
    plot.scatters.push_back({"truth", SeriesRole::truth, {scene.truth[0]}, {scene.truth[1]}});
  }
  figure.plots.push_back(std::move(plot));
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
        scene_->aggregate = aggregate_observed(preview.estimator, scene_->x);
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
