#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/common/figures.h"
#include "app/common/table.h"
#include "core/base/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kSets = 3;

std::string theta_text(const TaskInfo& info, const torch::Tensor& theta) {
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < info.targets.size(); ++t)
    parts.push_back(fmt::format("{} = {}", info.targets[t].label,
                                number_text(theta[static_cast<std::int64_t>(t)].item<double>(), 2)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string column(const TaskInfo& info, std::size_t i) {
  return i < info.observation_columns.size() ? info.observation_columns[i] : fmt::format("x{}", i + 1);
}

Plot histogram(const TaskInfo& info, const torch::Tensor& x) {
  const torch::Tensor values = x.flatten().to(torch::kFloat64);
  const double low = values.min().item<double>(), high = values.max().item<double>();
  constexpr std::int64_t kBins = 30;
  const double width = high > low ? (high - low) / kBins : 1.0 / kBins;
  Bars bars;
  bars.role = SeriesRole::other;
  bars.heights.assign(kBins, 0);
  for (std::int64_t k = 0; k <= kBins; ++k) bars.edges.push_back(low + width * static_cast<double>(k));
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    const auto bin = static_cast<std::int64_t>((values[i].item<double>() - low) / width);
    bars.heights[static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, kBins - 1))] += 1;
  }
  Plot plot;
  plot.x = {column(info, 0)};
  plot.y = {"observations"};
  plot.bars.push_back(std::move(bars));
  return plot;
}

Plot scatter(const TaskInfo& info, const torch::Tensor& x) {
  Scatter points;
  points.role = SeriesRole::other;
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    points.x.push_back(x[i][0].item<double>());
    points.y.push_back(x[i][1].item<double>());
  }
  Plot plot;
  plot.x = {column(info, 0)};
  plot.y = {column(info, 1)};
  plot.scatters.push_back(std::move(points));
  return plot;
}

// A square sheet of the first images, one picture.
Plot sheet(const torch::Tensor& x, std::int64_t side) {
  const std::int64_t channels = x.size(1), height = x.size(2), width = x.size(3);
  Picture picture;
  picture.width = side * (width + 1) - 1;
  picture.height = side * (height + 1) - 1;
  picture.rgb.assign(static_cast<std::size_t>(3 * picture.width * picture.height), 255);
  const torch::Tensor bytes = (x.clamp(0, 1) * 255).round().to(torch::kUInt8).contiguous();
  const std::uint8_t* data = bytes.data_ptr<std::uint8_t>();
  for (std::int64_t k = 0; k < side * side; ++k)
    for (std::int64_t row = 0; row < height; ++row)
      for (std::int64_t col = 0; col < width; ++col)
        for (std::int64_t c = 0; c < 3; ++c) {
          const std::int64_t out_row = k / side * (height + 1) + row, out_col = k % side * (width + 1) + col;
          picture.rgb[static_cast<std::size_t>(3 * (out_row * picture.width + out_col) + c)] =
              data[((k * channels + (channels == 3 ? c : 0)) * height + row) * width + col];
        }
  picture.x1 = static_cast<double>(side);
  picture.y1 = static_cast<double>(side);
  Plot plot;
  plot.x = {"", AxisScale::linear, 0, static_cast<double>(side)};
  plot.y = plot.x;
  plot.pictures.push_back(std::move(picture));
  return plot;
}

}  // namespace

Figure samples_figure(const Task& task, std::int64_t set_index) {
  const TaskInfo& info = task.info();
  const bool image = info.kind == ObservationKind::image;
  const std::int64_t side = 6, count = image ? side * side : std::min<std::int64_t>(info.max_n, 100);
  std::vector<std::int64_t> indices;
  for (std::int64_t s = 0; s < kSets; ++s) indices.push_back(set_index + s);
  const Latents latents = task.latents(kFigureSeed, Purpose::explore, indices);
  std::vector<SetRange> ranges;
  for (const std::int64_t index : indices) ranges.push_back({index, 0, count});
  const torch::Tensor all = task.observe(latents, kFigureSeed, Purpose::explore, ranges, torch::kCPU);
  Figure figure;
  figure.title = fmt::format("{}: {} sets of {} observations", info.title, kSets, count);
  figure.source = info.data_source;
  figure.columns = kSets;
  figure.plot_width = figure.plot_height = 220;
  for (std::int64_t s = 0; s < kSets; ++s) {
    const torch::Tensor x = all.slice(0, s * count, (s + 1) * count);
    Plot plot = image ? sheet(x, side) : info.observation_shape[0] == 1 ? histogram(info, x) : scatter(info, x);
    plot.title = theta_text(info, latents.theta[s]);
    plot.legend = false;
    if (!image && info.observation_shape[0] == 2 && info.targets.size() == 2)
      plot.scatters.push_back(
          {"θ", SeriesRole::truth, {latents.theta[s][0].item<double>()}, {latents.theta[s][1].item<double>()}});
    figure.plots.push_back(std::move(plot));
  }
  return figure;
}

}  // namespace pairs
