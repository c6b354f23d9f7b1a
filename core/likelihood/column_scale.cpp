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

constexpr std::int64_t kMostCategories = 64;  // different values of a column of categories
constexpr std::int64_t kMostAtoms = 16;       // single values beside continuous ones
constexpr double kAtomShare = 0.005;          // of all values that a single one must have
constexpr double kFewestOfAtom = 10;          // and how often it must occur
constexpr std::int64_t kFewestBeside = 20;    // different values beside the single ones

// The distance of neighbors if ascending values lie on a lattice: their range, known better than the smallest
// difference, is a multiple of it.
double lattice_step(const Tensor& ascending) {
  const double range = (ascending[-1] - ascending[0]).item<double>();
  return range / std::round(range / ascending.diff().min().item<double>());
}

// Whether ascending values lie on a lattice.
bool on_lattice(const Tensor& ascending) {
  return at::equal(ascending, ascending.round()) ||
         away_from(ascending, ascending[0].item<double>(), lattice_step(ascending)) < kOnLattice;
}

std::vector<double> numbers_of(const Tensor& values) {
  const Tensor flat = values.contiguous();
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

// "0, 3, 7" or "0, 1, 4, … (12 values)".
std::string some_of(const std::vector<double>& values) {
  constexpr std::size_t kNamed = 6;
  std::string out;
  for (std::size_t k = 0; k < std::min(values.size(), kNamed); ++k)
    out += fmt::format("{}{:.6g}", k > 0 ? ", " : "", values[k]);
  return values.size() > kNamed ? fmt::format("{}, … ({} values)", out, values.size()) : out;
}

}  // namespace

Tensor atom_of(const Tensor& standardized) {
  return (standardized / atom_code(0)).round().clamp_min(0).to(torch::kInt64) - 1;
}

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
  ColumnScale out;
  const auto [different, inverse, counts] = at::_unique2(values, true, false, true);
  PAIRS_CHECK(different.numel() > 1, "column {} of x never changes, so it has no density; leave it out of x", name);
  if (different.numel() <= kMostCategories && 2 * different.numel() <= values.numel() && !on_lattice(different)) {
    out.kind_ = ColumnKind::categories;
    out.low_ = different[0].item<double>();
    out.high_ = different[-1].item<double>();
    out.atoms_ = numbers_of(different);
    return out;
  }
  const Tensor often = counts >= std::max<double>(kFewestOfAtom, kAtomShare * static_cast<double>(values.numel()));
  const auto atoms = often.sum().item<std::int64_t>();
  if (atoms > 0 && atoms <= kMostAtoms && !at::equal(values, values.round())) {
    const Tensor single = different.masked_select(often),
                 rest = values.masked_select(at::isin(values, single).logical_not());
    const std::int64_t others = different.numel() - atoms;
    if (others >= kFewestBeside && 2 * others > rest.numel()) {
      out.measure(rest, name);
      out.atoms_ = numbers_of(single);
      return out;
    }
  }
  out.measure(values, name);
  return out;
}

void ColumnScale::measure(const Tensor& values, const std::string& name) {
  const Tensor sorted = std::get<0>(values.sort());
  const std::int64_t count = sorted.numel();
  const auto at = [&](double level) {
    return sorted[static_cast<std::int64_t>(level * static_cast<double>(count - 1))].item<double>();
  };
  low_ = at(0);
  high_ = at(1);
  const Tensor different = std::get<0>(at::_unique(values, true));
  const bool few = 2 * different.numel() <= count;
  if (at::equal(values, values.round())) {
    kind_ = ColumnKind::lattice;
  } else if (few) {
    kind_ = ColumnKind::lattice;
    step_ = lattice_step(different);
    PAIRS_CHECK(away_from(different, low_, step_) < kOnLattice,
                "column {} of x takes only {} different values in {} observations, which do not lie at one "
                "distance from each other: it has no density; number these values 0, 1, …",
                name, different.numel(), count);
  }
  location_ = at(0.5);
  scale_ = 0.5 * (at(0.8413) - at(0.1587));
  if (scale_ <= 0 || kind_ == ColumnKind::lattice) scale_ = values.std().item<double>();
  if (kind_ == ColumnKind::lattice) scale_ = std::max(scale_, 0.5 * step_);
  if (kind_ == ColumnKind::lattice) return;
  const bool far = std::max(high_ - location_, location_ - low_) > kFar * scale_;
  if (low_ > 0 && (far || at(0.5) > kDecades * at(kTail))) {
    kind_ = ColumnKind::positive;
    const Tensor logs = sorted.log();
    location_ = logs.mean().item<double>();
    scale_ = logs.std().item<double>();
  } else if (far) {
    kind_ = ColumnKind::heavy;
  }
}

ColumnForm ColumnScale::form() const {
  const bool circle = kind_ == ColumnKind::periodic;
  ColumnForm out{circle || kind_ == ColumnKind::lattice ? step_ / scale_ : 0, circle};
  out.only_atoms = kind_ == ColumnKind::categories;
  for (const double atom : atoms_) {
    const double t = ((kind_ == ColumnKind::positive ? std::log(std::max(atom, 0.0)) : atom) - location_) / scale_;
    out.atoms.push_back(kind_ == ColumnKind::heavy ? std::asinh(t) : t);
  }
  return out;
}

Tensor ColumnScale::place_of(const Tensor& values) const {
  const Tensor atoms = torch::tensor(atoms_, torch::kFloat64).to(torch::kFloat32), narrow = values.to(torch::kFloat32);
  const Tensor at = at::searchsorted(atoms, narrow).clamp_max(static_cast<std::int64_t>(atoms_.size()) - 1);
  return at::where(atoms.index_select(0, at.flatten()).view_as(narrow) == narrow, at, at::full_like(at, -1));
}

ColumnScale ColumnScale::of_covariate(const Tensor& values, double period) {
  if (period > 0) return of(values, "", period);
  const Tensor different = std::get<0>(at::_unique(values, true));
  const bool few = 2 * different.numel() <= values.numel();
  ColumnScale out;
  if (different.numel() > 1 && !few) {
    out.measure(values, "");
    return out;
  }
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

Tensor ColumnScale::standardized(const Tensor& all) const {
  if (kind_ == ColumnKind::periodic) return wrapped((all - location_) / scale_, -M_PI, 2 * M_PI);
  if (!atoms_.empty()) {
    const Tensor place = place_of(all), code = (place + 1).to(torch::kFloat64) * atom_code(0);
    ColumnScale others = *this;
    others.atoms_.clear();
    // Atoms are kept from the logarithm.
    return at::where(place >= 0, code, others.standardized(at::where(place >= 0, at::ones_like(all), all)));
  }
  const Tensor t = ((kind_ == ColumnKind::positive ? all.log() : all) - location_) / scale_;
  return kind_ == ColumnKind::heavy ? at::asinh(t) : t;
}

Tensor ColumnScale::original(const Tensor& standardized) const {
  if (!atoms_.empty()) {
    const Tensor place = atom_of(standardized);
    ColumnScale others = *this;
    others.atoms_.clear();
    const Tensor values = torch::tensor(atoms_, torch::kFloat64).index_select(0, place.clamp_min(0).flatten());
    return at::where(place >= 0, values.view_as(place),
                     others.original(at::where(place >= 0, at::zeros_like(standardized), standardized)));
  }
  const Tensor t = (kind_ == ColumnKind::heavy ? at::sinh(standardized) : standardized) * scale_ + location_;
  if (kind_ == ColumnKind::positive) return t.exp();
  if (kind_ == ColumnKind::periodic && step_ == 0) return t;
  return kind_ == ColumnKind::periodic || kind_ == ColumnKind::lattice ? ((t - low_) / step_).round() * step_ + low_
                                                                       : t;
}

Tensor ColumnScale::log_slope(const Tensor& values) const {
  if (kind_ == ColumnKind::categories || form().cell > 0) return at::zeros_like(values);
  if (!atoms_.empty()) {
    const Tensor atom = place_of(values) >= 0;
    ColumnScale others = *this;
    others.atoms_.clear();
    return others.log_slope(at::where(atom, at::ones_like(values), values)).masked_fill(atom, 0);
  }
  Tensor log = at::full_like(values, -std::log(scale_));
  if (kind_ == ColumnKind::positive) return log - values.log();
  if (kind_ == ColumnKind::heavy) return log - 0.5 * at::log1p(((values - location_) / scale_).square());
  return log;
}

std::string ColumnScale::refused(const Tensor& values) const {
  if (!atoms_.empty()) {
    const Tensor rest = values.masked_select(place_of(values) < 0);
    if (kind_ == ColumnKind::categories)
      return rest.numel() == 0 ? ""
                               : fmt::format("holds only {} in simulations, and this set has {:.6g}", some_of(atoms_),
                                             rest[0].item<double>());
    ColumnScale others = *this;
    others.atoms_.clear();
    return others.refused(rest);
  }
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

ColumnScale ColumnScale::from(const std::array<double, kNumbers>& numbers, std::vector<double> atoms) {
  ColumnScale out;
  const double kind = numbers[2];
  PAIRS_CHECK(kind == std::round(kind) && kind >= 0 && kind <= static_cast<double>(ColumnKind::categories),
              "it has columns of an unknown kind");
  out.kind_ = static_cast<ColumnKind>(static_cast<int>(kind));
  out.location_ = numbers[0];
  out.scale_ = numbers[1];
  out.step_ = numbers[3];
  out.low_ = numbers[4];
  out.high_ = numbers[5];
  PAIRS_CHECK(std::is_sorted(atoms.begin(), atoms.end()) &&
                  (atoms.empty() == (out.kind_ != ColumnKind::categories) || out.form().cell == 0),
              "the single values of a column are not those of such a column");
  out.atoms_ = std::move(atoms);
  const bool circle = out.kind_ == ColumnKind::periodic;
  PAIRS_CHECK(out.scale_ > 0 && (out.step_ > 0 || (circle && out.step_ == 0)), "the scale of a column is not above 0");
  return out;
}

}  // namespace pairs
