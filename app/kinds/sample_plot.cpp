#include "app/kinds/sample_plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/text/number_text.h"
#include "core/base/error.h"
#include "core/base/transfer.h"
#include "core/report/contour.h"

namespace pairs {
namespace {

constexpr std::uint64_t kViewSeed = 1;
constexpr std::int64_t kMostNuisancesInTitle = 3;

Axis column_axis(const TaskInfo& info, std::size_t i, std::pair<double, double> range) {
  return {i < info.observation_columns.size() ? info.observation_columns[i] : fmt::format("x{}", i + 1),
          AxisScale::linear, range.first, range.second};
}

// The view's range of a column, grown in coarse steps so that it stands still while something is dragged.
std::pair<double, double> range_of(const SampleView& view, std::size_t column, const std::vector<double>& values) {
  auto [low, high] = view.columns[column];
  const double step = 0.1 * (high - low);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least < low) low -= step * std::ceil((low - *least) / step);
  if (*most > high) high += step * std::ceil((*most - high) / step);
  return {low, high};
}

// `count` values in the middles of equal parts of the range.
std::vector<double> middles(std::pair<double, double> range, std::size_t count) {
  std::vector<double> at(count);
  for (std::size_t i = 0; i < count; ++i)
    at[i] = range.first + (range.second - range.first) * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
  return at;
}

Plot line_plot(const Task& task, const Latents& latents, const torch::Tensor& x, const SampleView& view) {
  const TaskInfo& info = task.info();
  const std::vector<double> values = doubles(x);
  const std::pair<double, double> range = range_of(view, 0, values);
  const std::size_t bins = values.size() < 50 ? 25 : values.size() < 1000 ? 50 : 100;
  const double width = (range.second - range.first) / static_cast<double>(bins);
  Bars bars{"observations", SeriesRole::other, {}, std::vector<double>(bins, 0)};
  for (std::size_t k = 0; k <= bins; ++k) bars.edges.push_back(range.first + width * static_cast<double>(k));
  for (const double value : values) {
    const auto bin = static_cast<std::int64_t>((value - range.first) / width);
    bars.heights[static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, static_cast<std::int64_t>(bins) - 1))] += 1;
  }
  double most = *std::max_element(bars.heights.begin(), bars.heights.end());
  Plot plot;
  plot.x = column_axis(info, 0, range);
  std::vector<double> at = middles(range, 600);
  const bool known = latents.theta.defined();
  const torch::Tensor density =
      known ? task.density(latents, torch::tensor(at, torch::kFloat64).unsqueeze(1)) : torch::Tensor();
  if (density.defined()) {
    Line line{"expected from p(x | θ, ψ)",
              SeriesRole::exact,
              LineStyle::dashed,
              false,
              std::move(at),
              doubles(density * (width * static_cast<double>(values.size()))),
              {},
              {}};
    most = std::max(most, *std::max_element(line.y.begin(), line.y.end()));
    plot.lines.push_back(std::move(line));
  }
  plot.bars.push_back(std::move(bars));
  plot.y = {"observations in a bin", AxisScale::linear, -0.08 * most, 1.35 * most};
  plot.scatters.push_back({"", SeriesRole::other, values, std::vector<double>(values.size(), -0.04 * most)});
  for (std::size_t k = 0; k < info.nuisances.size(); ++k)
    if (known && info.nuisances[k].column == 0)
      plot.rules.push_back(
          {info.nuisances[k].label, SeriesRole::truth, latents.psi[0][static_cast<std::int64_t>(k)].item<double>()});
  return plot;
}

Plot plane_plot(const Task& task, const Latents& latents, const torch::Tensor& x, const SampleView& view) {
  const TaskInfo& info = task.info();
  Scatter points{"observations", SeriesRole::other, doubles(x.select(1, 0)), doubles(x.select(1, 1))};
  const std::pair<double, double> wide = range_of(view, 0, points.x), tall = range_of(view, 1, points.y);
  Plot plot;
  plot.x = column_axis(info, 0, wide);
  plot.y = column_axis(info, 1, tall);
  constexpr std::int64_t kSide = 80;
  const std::vector<double> across = middles(wide, kSide), up = middles(tall, kSide);
  const std::vector<torch::Tensor> mesh =
      torch::meshgrid({torch::tensor(up, torch::kFloat64), torch::tensor(across, torch::kFloat64)}, "ij");
  const bool known = latents.theta.defined();
  const torch::Tensor density =
      known ? task.density(latents, torch::stack({mesh[1].flatten(), mesh[0].flatten()}, 1)) : torch::Tensor();
  if (density.defined()) {
    const std::vector<double> grid = doubles(density);
    for (const double level : density_levels(grid, {0.5, 0.9}))
      for (Polyline& line :
           contour_lines(grid, kSide, kSide, across.front(), across.back(), up.front(), up.back(), level))
        plot.contours.push_back(
            {"50 and 90 % of p(x | θ, ψ)", SeriesRole::exact, LineStyle::dashed, std::move(line.x), std::move(line.y)});
  }
  plot.scatters.push_back(std::move(points));
  if (known && info.targets.size() == 2)
    plot.scatters.push_back(
        {"θ", SeriesRole::truth, {latents.theta[0][0].item<double>()}, {latents.theta[0][1].item<double>()}});
  return plot;
}

// Points between the images of a sheet, and how many stand in a row.
constexpr std::int64_t kGap = 1;
std::int64_t sheet_columns(std::int64_t count) {
  return static_cast<std::int64_t>(std::ceil(std::sqrt(1.2 * static_cast<double>(count))));
}

// Rows of images side by side. A last row that is not full is a picture of its own.
Plot sheet_plot(const torch::Tensor& x) {
  const std::int64_t count = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  const std::int64_t columns = sheet_columns(count);
  const std::int64_t rows = (count + columns - 1) / columns;
  // Channels beyond the colours are not shown.
  const torch::Tensor bytes = (x.clamp(0, 1) * 255).round().to(torch::kUInt8).contiguous();
  const std::uint8_t* data = bytes.const_data_ptr<std::uint8_t>();
  Plot plot;
  plot.x = {"", AxisScale::linear, 0, static_cast<double>(columns)};
  plot.y = {"", AxisScale::linear, 0, static_cast<double>(rows)};
  const auto add = [&](std::int64_t first, std::int64_t wide, std::int64_t tall, double top) {
    Picture picture;
    picture.width = wide * (width + kGap);
    picture.height = tall * (height + kGap);
    picture.rgb.assign(static_cast<std::size_t>(3 * picture.width * picture.height), 140);
    for (std::int64_t k = 0; k < wide * tall; ++k)
      for (std::int64_t row = 0; row < height; ++row)
        for (std::int64_t col = 0; col < width; ++col)
          for (std::int64_t c = 0; c < 3; ++c) {
            const std::int64_t out_row = k / wide * (height + kGap) + row, out_col = k % wide * (width + kGap) + col;
            picture.rgb[static_cast<std::size_t>(3 * (out_row * picture.width + out_col) + c)] =
                data[(((first + k) * channels + (channels >= 3 ? c : 0)) * height + row) * width + col];
          }
    picture.x1 = static_cast<double>(wide);
    picture.y0 = top - static_cast<double>(tall);
    picture.y1 = top;
    plot.pictures.push_back(std::move(picture));
  };
  const std::int64_t full = count / columns, rest = count % columns;
  if (full > 0) add(0, columns, full, static_cast<double>(rows));
  if (rest > 0) add(full * columns, rest, 1, static_cast<double>(rows - full));
  return plot;
}

}  // namespace

SampleView prior_view(const Task& task) {
  const TaskInfo& info = task.info();
  SampleView view;
  if (info.kind == ObservationKind::image) return view;
  constexpr std::int64_t kSets = 500, kEach = 4;
  std::vector<std::int64_t> indices;
  std::vector<SetRange> ranges;
  for (std::int64_t s = 0; s < kSets; ++s) {
    indices.push_back(s);
    ranges.push_back({s, 0, kEach});
  }
  const Latents latents = task.latents(kViewSeed, Purpose::explore, indices);
  const torch::Tensor x = task.observe(latents, kViewSeed, Purpose::explore, ranges, torch::kCPU);
  for (std::int64_t column = 0; column < info.observation_shape[0]; ++column) {
    std::vector<double> values = doubles(x.select(1, column));
    std::sort(values.begin(), values.end());
    const std::size_t tail = values.size() / 100;
    double low = values[tail], high = values[values.size() - 1 - tail];
    for (const Nuisance& nuisance : info.nuisances)
      if (nuisance.column == column) {
        low = std::min(low, nuisance.view_low);
        high = std::max(high, nuisance.view_high);
      }
    view.columns.emplace_back(low - 0.05 * (high - low), high + 0.05 * (high - low));
  }
  return view;
}

Plot sample_plot(const Task& task, const Latents& latents, const torch::Tensor& x, const SampleView& view) {
  const TaskInfo& info = task.info();
  PAIRS_CHECK(x.dim() > 0 && x.size(0) > 0, "A plot of a sample of the task {} needs observations", info.name);
  if (info.kind == ObservationKind::image) return sheet_plot(x);
  return info.observation_shape[0] == 1 ? line_plot(task, latents, x, view) : plane_plot(task, latents, x, view);
}

void draw_over_images(Plot& sheet, std::int64_t count, std::int64_t height, std::int64_t width,
                      const std::vector<ImageCurve>& curves) {
  const std::int64_t columns = sheet_columns(count), rows = (count + columns - 1) / columns;
  const auto wide = static_cast<double>(width), tall = static_cast<double>(height);
  for (std::int64_t k = 0; k < count; ++k)
    for (const ImageCurve& curve : curves) {
      const auto left = static_cast<double>(k % columns), top = static_cast<double>(rows - k / columns);
      Contour piece{"", curve.role, curve.style, {}, {}};
      const auto end_piece = [&] {
        if (piece.x.size() > 1) sheet.contours.push_back(piece);
        piece.x.clear();
        piece.y.clear();
      };
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const double x = curve.x[i], y = curve.y[i];
        if (!(x >= 0 && x <= wide && y >= 0 && y <= tall)) {
          end_piece();
          continue;
        }
        piece.x.push_back(left + x / (wide + static_cast<double>(kGap)));
        piece.y.push_back(top - y / (tall + static_cast<double>(kGap)));
      }
      end_piece();
    }
}

std::string latents_text(const TaskInfo& info, const Latents& latents) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& label, const torch::Tensor& row, std::size_t i) {
    parts.push_back(fmt::format("{} = {}", label, number_text(row[0][static_cast<std::int64_t>(i)].item<double>(), 2)));
  };
  for (std::size_t i = 0; i < info.targets.size(); ++i) add(info.targets[i].label, latents.theta, i);
  if (info.nuisances.size() <= kMostNuisancesInTitle)
    for (std::size_t i = 0; i < info.nuisances.size(); ++i) add(info.nuisances[i].label, latents.psi, i);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace pairs
