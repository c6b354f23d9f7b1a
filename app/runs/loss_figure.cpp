#include "app/runs/loss_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/runs/strategy_look.h"
#include "core/base/text/error.h"
#include "core/heads/head.h"
#include "core/report/shades.h"

namespace pairs {
namespace {

// Training losses of the parts of each epoch as separate points, at the ends of the parts; an epoch without parts in
// the log is one point.
std::vector<LossPoint> training_points(const std::vector<LossPoint>& points) {
  std::vector<LossPoint> all;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const LossPoint& end = points[k];
    if (end.parts.size() < 2) {
      all.push_back(end);
      continue;
    }
    // Seconds of a session start at 0, as do those of an epoch that another session started.
    LossPoint begin = k > 0 ? points[k - 1] : LossPoint{-1};
    if (begin.before != end.before) begin.before = end.before, begin.seconds = 0;
    const auto count = static_cast<double>(end.parts.size());
    for (std::size_t part = 0; part < end.parts.size(); ++part) {
      const double share = static_cast<double>(part + 1) / count;
      LossPoint one = end;
      one.step = begin.step + std::llround(share * static_cast<double>(end.step - begin.step));
      one.seconds = begin.seconds + share * (end.seconds - begin.seconds);
      one.within = share;
      one.train = end.parts[part];
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace

void add_losses(Plot& plot, const RunProgress& run, Stage stage, SeriesRole role, const std::string& name) {
  if (stage == Stage::pretrain && name.empty())
    for (const auto& [step, settings] : run.lessons())
      if (step > 0) plot.rules.push_back({settings, SeriesRole::other, static_cast<double>(step)});
  for (const auto& [n, points] : run.losses(stage)) {
    const std::string head = name + (n > 0 ? fmt::format("N = {}, ", n) : "");
    for (const bool training : {true, false}) {
      Line line;
      line.name = head + (training ? "training" : "validation");
      line.role = role;
      line.style = training ? LineStyle::dotted : LineStyle::solid;
      for (const LossPoint& point : training ? training_points(points) : points)
        if (const double y = training ? point.train : point.validation; std::isfinite(y)) {
          line.x.push_back(static_cast<double>(point.step));
          line.y.push_back(y);
        }
      line.markers = line.x.size() < 4;
      if (!line.x.empty()) plot.lines.push_back(std::move(line));
    }
  }
}

std::string loss_label(const HeadConfig& head) {
  return head_kind(head.kind).loss_text;
}

void fit_losses(Plot& plot, const std::string& label) {
  plot.x.label = "step";
  plot.y.label = label;
  for (const Line& line : plot.lines) plot.x.high = std::max(plot.x.high, 1.02 * line.x.back());
}

namespace {

constexpr Stage kTrained[] = {Stage::pretrain, Stage::finetune};

const char* axis_text(LossAxis axis) {
  constexpr const char* kTexts[] = {"step", "epoch", "time / s", "training cost of the stage / GFLOP"};
  return kTexts[static_cast<std::size_t>(axis)];
}

double gflop_of(const LossCurves& run, Stage stage) {
  return stage == Stage::pretrain ? run.pretrain_gflop : run.finetune_gflop;
}

double place(const LossPoint& point, LossAxis axis, double gflop) {
  switch (axis) {
    case LossAxis::step:
      return static_cast<double>(point.step);
    case LossAxis::epoch:
      return static_cast<double>(point.epoch) + point.within;
    case LossAxis::seconds:
      return point.before + point.seconds;
    case LossAxis::gflop:
      break;
  }
  return gflop * static_cast<double>(point.step);
}

void smooth(std::vector<double>& values, double weight) {
  double sum = 0, left = 1;  // left: share of the mean not filled yet
  for (double& value : values) {
    sum = weight * sum + (1 - weight) * value;
    left *= weight;
    value = sum / (1 - left);
  }
}

// The values `of` the points against the axis, without those that are not finite.
template <class Of>
Line curve(const std::vector<LossPoint>& points, LossAxis axis, double gflop, Of of) {
  Line line;
  for (const LossPoint& point : points) {
    const double x = place(point, axis, gflop), y = of(point);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    line.x.push_back(x);
    line.y.push_back(y);
  }
  line.markers = line.x.size() < 4;
  return line;
}

std::string head_text(std::int64_t n) {
  return n > 0 ? fmt::format("N = {}, ", n) : "";
}

void add_curves(Plot& plot, const LossCurves& run, Stage stage, const LossLook& look) {
  for (const auto& [n, points] : run.progress.losses(stage))
    for (const bool training : {true, false}) {
      // Smooths over epochs.
      Line line =
          curve(training && look.smoothing == 0 ? training_points(points) : points, look.axis, gflop_of(run, stage),
                [&](const LossPoint& point) { return training ? point.train : point.validation; });
      if (line.x.empty()) continue;
      if (look.smoothing > 0) smooth(line.y, look.smoothing);
      line.name = fmt::format("{}, {}{}", run.name, head_text(n), training ? "training" : "validation");
      line.role = shaded(strategy_role(run.strategy), run.shade);
      line.style = training ? LineStyle::dotted : LineStyle::solid;
      plot.lines.push_back(std::move(line));
    }
}

std::string sources(const std::vector<LossCurves>& runs) {
  std::string text;
  for (const LossCurves& run : runs) text += (text.empty() ? "" : ", ") + run.name;
  return text;
}

}  // namespace

Figure loss_figure(const std::vector<LossCurves>& runs, const LossLook& look) {
  Figure figure;
  figure.title = look.smoothing > 0 ? fmt::format("Training and validation loss, smoothed ({:g})", look.smoothing)
                                    : "Training and validation loss";
  const bool plain = runs.size() < 2 && look == LossLook();
  for (const Stage stage : kTrained) {
    Plot plot;
    plot.title = stage_name(stage);
    for (const LossCurves& run : runs) {
      if (plain)
        add_losses(plot, run.progress, stage, shaded(strategy_role(run.strategy), run.shade), "");
      else
        add_curves(plot, run, stage, look);
    }
    fit_losses(plot, runs.empty() ? "" : runs.front().label);
    plot.x.label = axis_text(look.axis);
    if (!plot.lines.empty()) figure.plots.push_back(std::move(plot));
  }
  const bool recorded =
      std::any_of(runs.begin(), runs.end(), [](const LossCurves& run) { return run.progress.has_losses(); });
  PAIRS_CHECK(recorded,
              "No loss has been recorded yet; train the run first, or draw the runs that an ensemble is the mean of");
  PAIRS_CHECK(!figure.plots.empty(), "The cost of none of these runs is known; draw the losses against steps");
  const auto unknown = std::count_if(runs.begin(), runs.end(), [](const LossCurves& run) {
    return run.progress.has_losses() && std::isnan(run.pretrain_gflop) && std::isnan(run.finetune_gflop);
  });
  if (look.axis == LossAxis::gflop && unknown > 0)
    figure.title +=
        fmt::format("; without {} of unknown cost", unknown == 1 ? "a run" : fmt::format("{} runs", unknown));
  figure.columns = static_cast<std::int64_t>(figure.plots.size());
  figure.source = sources(runs);
  return figure;
}

Figure rate_figure(const std::vector<LossCurves>& runs, LossAxis axis) {
  Figure figure;
  figure.title = "Learning rate";
  for (const Stage stage : kTrained) {
    Plot plot;
    plot.title = stage_name(stage);
    plot.x.label = axis_text(axis);
    plot.y.label = "learning rate";
    for (const LossCurves& run : runs)
      for (const auto& [n, points] : run.progress.losses(stage)) {
        Line line = curve(points, axis, gflop_of(run, stage), [](const LossPoint& point) { return point.rate; });
        if (line.x.empty()) continue;
        line.name = n > 0 ? fmt::format("{}, N = {}", run.name, n) : run.name;
        line.role = shaded(strategy_role(run.strategy), run.shade);
        plot.lines.push_back(std::move(line));
      }
    if (!plot.lines.empty()) figure.plots.push_back(std::move(plot));
  }
  PAIRS_CHECK(!figure.plots.empty(), "No log of these runs holds the learning rate against {}", axis_text(axis));
  figure.columns = static_cast<std::int64_t>(figure.plots.size());
  figure.source = sources(runs);
  return figure;
}

}  // namespace pairs
