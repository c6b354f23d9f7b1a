#include "core/likelihood/column_scale.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/periodic.h"

namespace pairs {

using torch::Tensor;

namespace {

constexpr double kFar = 12;          // robust deviations beyond which a column counts as heavy
constexpr double kDecades = 100;     // of the median over the smallest values
constexpr double kTail = 0.005;      // share of the values that are smaller, or larger
constexpr double kOnLattice = 1e-3;  // of a step: float32 values lie that close to a lattice

// How far values lie from the lattice that holds `origin`, in steps.
double away_from(const Tensor& values, double origin, double step) {
  const Tensor steps = (values - origin) / step;
  return (steps - steps.round()).abs().max().item<double>();
}

// The step of a lattice around a circle that holds all values; 0 if there is none.
double step_around(const Tensor& values, double period) {
  const Tensor different = std::get<0>(at::_unique(wrapped(values, 0, period), true));
  if (2 * different.numel() > values.numel() || different.numel() < 2) return 0;
  const double step = period / std::round(period / different.diff().min().item<double>());
  return away_from(different, different[0].item<double>(), step) < kOnLattice ? step : 0;
}

}  // namespace

ColumnScale ColumnScale::of(const Tensor& values, const std::string& name, double period) {
  if (period > 0) {
    ColumnScale out;
    out.kind_ = ColumnKind::periodic;
    out.location_ = circular_mean(values, 0, period).item<double>();
    out.scale_ = period / (2 * M_PI);
    out.step_ = step_around(values, period);
    out.low_ = out.step_ > 0 ? values[0].item<double>() : out.location_ - 0.5 * period;
    out.high_ = out.low_ + period;
    return out;
  }
  const Tensor sorted = std::get<0>(values.sort());
  const std::int64_t count = sorted.numel();
  const auto at = [&](double level) {
    return sorted[static_cast<std::int64_t>(level * static_cast<double>(count - 1))].item<double>();
  };
  ColumnScale out;
  out.low_ = at(0);
  out.high_ = at(1);
  PAIRS_CHECK(out.high_ > out.low_, "column {} of x never changes, so it has no density; leave it out of x", name);
  const Tensor different = std::get<0>(at::_unique(values, true));
  const bool few = 2 * different.numel() <= count;
  if (at::equal(values, values.round())) {
    out.kind_ = ColumnKind::lattice;
  } else if (few) {
    out.kind_ = ColumnKind::lattice;
    // The range is a multiple of the step, and known better than the smallest difference.
    const double range = out.high_ - out.low_;
    out.step_ = range / std::round(range / different.diff().min().item<double>());
    PAIRS_CHECK(away_from(different, out.low_, out.step_) < kOnLattice,
                "column {} of x takes only {} different values in {} observations, which do not lie at one "
                "distance from each other: it has no density; number these values 0, 1, …",
                name, different.numel(), count);
  }
  out.location_ = at(0.5);
  out.scale_ = 0.5 * (at(0.8413) - at(0.1587));
  if (out.scale_ <= 0 || out.kind_ == ColumnKind::lattice) out.scale_ = values.std().item<double>();
  if (out.kind_ == ColumnKind::lattice) out.scale_ = std::max(out.scale_, 0.5 * out.step_);
  if (out.kind_ == ColumnKind::lattice) return out;
  const bool far = std::max(out.high_ - out.location_, out.location_ - out.low_) > kFar * out.scale_;
  if (out.low_ > 0 && (far || at(0.5) > kDecades * at(kTail))) {
    out.kind_ = ColumnKind::positive;
    const Tensor logs = sorted.log();
    out.location_ = logs.mean().item<double>();
    out.scale_ = logs.std().item<double>();
  } else if (far) {
    out.kind_ = ColumnKind::heavy;
  }
  return out;
}

ColumnScale ColumnScale::of_covariate(const Tensor& values, double period) {
  if (period > 0) return of(values, "", period);
  const Tensor different = std::get<0>(at::_unique(values, true));
  const bool few = 2 * different.numel() <= values.numel();
  if (different.numel() > 1 && !few) return of(values, "");
  ColumnScale out;
  out.low_ = different[0].item<double>();
  out.high_ = different[-1].item<double>();
  out.location_ = values.mean().item<double>();
  if (different.numel() == 1) return out;
  // Each value is the middle of a cell as wide as the smallest distance.
  out.kind_ = ColumnKind::lattice;
  out.step_ = different.diff().min().item<double>();
  out.scale_ = values.std().item<double>();
  return out;
}

Tensor ColumnScale::standardized(const Tensor& values) const {
  if (kind_ == ColumnKind::periodic) return wrapped((values - location_) / scale_, -M_PI, 2 * M_PI);
  const Tensor t = ((kind_ == ColumnKind::positive ? values.log() : values) - location_) / scale_;
  return kind_ == ColumnKind::heavy ? at::asinh(t) : t;
}

Tensor ColumnScale::original(const Tensor& standardized) const {
  const Tensor t = (kind_ == ColumnKind::heavy ? at::sinh(standardized) : standardized) * scale_ + location_;
  if (kind_ == ColumnKind::positive) return t.exp();
  if (kind_ == ColumnKind::periodic && step_ == 0) return t;
  return kind_ == ColumnKind::periodic || kind_ == ColumnKind::lattice ? ((t - low_) / step_).round() * step_ + low_
                                                                       : t;
}

Tensor ColumnScale::log_slope(const Tensor& values) const {
  if (form().cell > 0) return at::zeros_like(values);
  Tensor log = at::full_like(values, -std::log(scale_));
  if (kind_ == ColumnKind::positive) return log - values.log();
  if (kind_ == ColumnKind::heavy) return log - 0.5 * at::log1p(((values - location_) / scale_).square());
  return log;
}

std::string ColumnScale::refused(const Tensor& values) const {
  if (values.numel() == 0 || (kind_ == ColumnKind::periodic && step_ == 0)) return "";
  if (kind_ == ColumnKind::positive && (values <= 0).any().item<bool>())
    return "is above 0 in simulations, and this set has other values";
  if ((kind_ != ColumnKind::lattice && kind_ != ColumnKind::periodic) || away_from(values, low_, step_) < kOnLattice)
    return "";
  return step_ == 1 && low_ == std::round(low_)
             ? "holds whole numbers in simulations, and this set has others"
             : fmt::format("holds values at distances of {:.6g} in simulations, and this set has others", step_);
}

std::array<double, ColumnScale::kNumbers> ColumnScale::numbers() const {
  return {location_, scale_, static_cast<double>(kind_), step_, low_, high_};
}

ColumnScale ColumnScale::from(const std::array<double, kNumbers>& numbers) {
  ColumnScale out;
  const double kind = numbers[2];
  PAIRS_CHECK(kind == std::round(kind) && kind >= 0 && kind <= static_cast<double>(ColumnKind::periodic),
              "it has columns of an unknown kind");
  out.kind_ = static_cast<ColumnKind>(static_cast<int>(kind));
  out.location_ = numbers[0];
  out.scale_ = numbers[1];
  out.step_ = numbers[3];
  out.low_ = numbers[4];
  out.high_ = numbers[5];
  const bool circle = out.kind_ == ColumnKind::periodic;
  PAIRS_CHECK(out.scale_ > 0 && (out.step_ > 0 || (circle && out.step_ == 0)), "the scale of a column is not above 0");
  return out;
}

}  // namespace pairs
