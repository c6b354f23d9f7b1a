#include "app/posterior/plots/pair_density.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::size_t kPairCells = 80;
constexpr double kOutside = 0.002;    // share of samples beyond either end of an axis
constexpr double kReach = 3.5;        // of the kernel, in its sds
constexpr double kLeastKernel = 0.6;  // its least sd, in cells

struct Moments {
  double xx = 0, xy = 0, yy = 0;
};

struct Ends {
  double low, high;
  bool hold(double value) const { return value >= low && value <= high; }
};

Ends ends_of(std::vector<double> draws) {
  const auto last = static_cast<double>(draws.size() - 1);
  const auto quantile = [&](double level) {
    const auto at = draws.begin() + static_cast<std::ptrdiff_t>(std::llround(level * last));
    std::nth_element(draws.begin(), at, draws.end());
    return *at;
  };
  return {quantile(kOutside), quantile(1 - kOutside)};
}

// The covariance of the samples within both ranges, so that outliers do not widen the kernel.
Moments covariance(const std::vector<double>& x, const std::vector<double>& y, const Ends& ex, const Ends& ey) {
  double count = 0, mx = 0, my = 0;
  const auto each = [&](auto&& take) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (ex.hold(x[i]) && ey.hold(y[i])) take(x[i], y[i]);
  };
  each([&](double a, double b) {
    ++count;
    mx += a;
    my += b;
  });
  mx /= count;
  my /= count;
  Moments out;
  each([&](double a, double b) {
    out.xx += (a - mx) * (a - mx) / count;
    out.xy += (a - mx) * (b - my) / count;
    out.yy += (b - my) * (b - my) / count;
  });
  return out;
}

Cells cells_of(const Ends& ends, double kernel_variance) {
  const double least = 1e-9 * std::max({std::fabs(ends.low), std::fabs(ends.high), 1e-100}),
               room = std::max(kReach * std::sqrt(kernel_variance), least);
  return {ends.low - room, ends.high + room, kPairCells};
}

// Weights of a normalized Gaussian over neighbors, in cells.
struct Kernel {
  std::int64_t reach_x = 0, reach_y = 0;
  std::vector<double> weights;  // rows from -reach_x, columns from -reach_y

  explicit Kernel(Moments cells) {
    cells.xx += kLeastKernel * kLeastKernel;
    cells.yy += kLeastKernel * kLeastKernel;
    const double det = cells.xx * cells.yy - cells.xy * cells.xy;
    reach_x = static_cast<std::int64_t>(std::ceil(kReach * std::sqrt(cells.xx)));
    reach_y = static_cast<std::int64_t>(std::ceil(kReach * std::sqrt(cells.yy)));
    double sum = 0;
    for (std::int64_t i = -reach_x; i <= reach_x; ++i)
      for (std::int64_t j = -reach_y; j <= reach_y; ++j) {
        const auto a = static_cast<double>(i), b = static_cast<double>(j);
        const double square = (cells.yy * a * a - 2 * cells.xy * a * b + cells.xx * b * b) / det;
        weights.push_back(square > kReach * kReach ? 0 : std::exp(-0.5 * square));
        sum += weights.back();
      }
    for (double& weight : weights) weight /= sum;
  }
};

// Each sample is divided among the four cells whose centers surround it.
std::vector<double> binned(const std::vector<double>& x, const std::vector<double>& y, const Cells& cx,
                           const Cells& cy) {
  std::vector<double> bins(cx.count * cy.count, 0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double px = (x[k] - cx.low) / cx.width() - 0.5, py = (y[k] - cy.low) / cy.width() - 0.5;
    if (!(px >= 0 && py >= 0 && px < static_cast<double>(cx.count - 1) && py < static_cast<double>(cy.count - 1)))
      continue;
    const auto i = static_cast<std::size_t>(px), j = static_cast<std::size_t>(py);
    const double fx = px - static_cast<double>(i), fy = py - static_cast<double>(j);
    bins[i * cy.count + j] += (1 - fx) * (1 - fy);
    bins[i * cy.count + j + 1] += (1 - fx) * fy;
    bins[(i + 1) * cy.count + j] += fx * (1 - fy);
    bins[(i + 1) * cy.count + j + 1] += fx * fy;
  }
  return bins;
}

}  // namespace

PairDensity pair_density(const std::vector<double>& first, const std::vector<double>& second) {
  PAIRS_CHECK(first.size() == second.size() && first.size() >= 2,
              "A joint density needs pairs of draws; {} and {} were given", first.size(), second.size());
  const auto count = static_cast<double>(first.size());
  const Ends ex = ends_of(first), ey = ends_of(second);
  Moments kernel = covariance(first, second, ex, ey);
  const double share = std::pow(count, -1.0 / 3);
  kernel = {share * kernel.xx, share * kernel.xy, share * kernel.yy};
  PairDensity out{cells_of(ex, kernel.xx), cells_of(ey, kernel.yy), {}};
  const double wx = out.first.width(), wy = out.second.width();
  const Kernel smooth({kernel.xx / (wx * wx), kernel.xy / (wx * wy), kernel.yy / (wy * wy)});
  const std::vector<double> bins = binned(first, second, out.first, out.second);
  const auto rows = static_cast<std::int64_t>(out.first.count), columns = static_cast<std::int64_t>(out.second.count);
  out.density.assign(bins.size(), 0);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const double mass = bins[static_cast<std::size_t>(i * columns + j)] / (count * wx * wy);
      if (mass == 0) continue;
      for (std::int64_t a = std::max<std::int64_t>(-smooth.reach_x, -i); a <= std::min(smooth.reach_x, rows - 1 - i);
           ++a) {
        const double* weights =
            &smooth.weights[static_cast<std::size_t>((a + smooth.reach_x) * (2 * smooth.reach_y + 1) + smooth.reach_y)];
        double* to = &out.density[static_cast<std::size_t>((i + a) * columns + j)];
        for (std::int64_t b = std::max<std::int64_t>(-smooth.reach_y, -j);
             b <= std::min(smooth.reach_y, columns - 1 - j); ++b)
          to[b] += mass * weights[b];
      }
    }
  return out;
}

}  // namespace pairs
