#include "app/posterior/validation/known_values.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/base/files/npz.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr double kFarValues = 0.05;  // of held-out items: the share of false alarms
constexpr double kNearEnd = 0.03;    // of training items: what counts as at a bound
constexpr std::size_t kNeighbor = 5;
constexpr std::int64_t kLearned = 20000, kHeldOut = 2000, kAsked = 1000;

// Values of one target on an unbounded scale.
struct OpenAxis {
  double low = 0, high = 0;            // bounds
  double near_low = 0, near_high = 0;  // distances from the bounds exceeded by all but kNearEnd of training
  double spread = 1;

  double at(double value) const {
    double place = std::isfinite(low) || std::isfinite(high) ? 0 : value;
    if (std::isfinite(low)) place += std::log(std::max(value - low, 0.0) + near_low);
    if (std::isfinite(high)) place -= std::log(std::max(high - value, 0.0) + near_high);
    return place / spread;
  }
};

double quantile(std::vector<double> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

OpenAxis axis_of(const std::vector<double>& values, double low, double high) {
  constexpr double least = 1e-12;
  OpenAxis axis{.low = low, .high = high};
  std::vector<double> from(values.size());
  const auto near = [&](auto distance) {
    std::transform(values.begin(), values.end(), from.begin(), distance);
    return std::max(quantile(from, kNearEnd), least);
  };
  if (std::isfinite(low)) axis.near_low = near([&](double v) { return v - low; });
  if (std::isfinite(high)) axis.near_high = near([&](double v) { return high - v; });
  double sum = 0, squares = 0;
  for (const double value : values) {
    const double place = axis.at(value);
    sum += place;
    squares += place * place;
  }
  const double count = static_cast<double>(values.size()), mean = sum / count;
  const double variance = squares / count - mean * mean;
  if (variance > least) axis.spread = std::sqrt(variance);
  return axis;
}

// Training items as points, scaled so that all axes have equal weight.
class Places {
 public:
  explicit Places(const KnownValues& of) : d_(static_cast<std::size_t>(of.targets)), points_(of.values) {
    for (std::size_t t = 0; t < d_; ++t) {
      std::vector<double> column;
      for (std::size_t i = t; i < points_.size(); i += d_) column.push_back(points_[i]);
      axes_.push_back(axis_of(column, of.ends[2 * t], of.ends[2 * t + 1]));
    }
    for (std::size_t i = 0; i < points_.size(); ++i) points_[i] = axes_[i % d_].at(points_[i]);
  }

  double distance(const double* own) const {
    std::vector<double> place(d_), nearest;  // ascending squares
    for (std::size_t t = 0; t < d_; ++t) place[t] = axes_[t].at(own[t]);
    for (std::size_t i = 0; i < points_.size(); i += d_) {
      double square = 0;
      for (std::size_t t = 0; t < d_; ++t) square += (points_[i + t] - place[t]) * (points_[i + t] - place[t]);
      if (nearest.size() == kNeighbor && square >= nearest.back()) continue;
      nearest.insert(std::upper_bound(nearest.begin(), nearest.end(), square), square);
      if (nearest.size() > kNeighbor) nearest.pop_back();
    }
    return nearest.empty() ? 0 : std::sqrt(nearest.back());
  }

 private:
  std::size_t d_;
  std::vector<double> points_;  // [T, d]
  std::vector<OpenAxis> axes_;
};

// θ of the first `most` items of a purpose: the first sets, as many as there are items, are about each of them once.
std::vector<double> values_of(const LoadedRun& run, Purpose purpose, std::int64_t most,
                              const std::function<bool()>& keep_going) {
  const std::int64_t items = run.task->subjects(purpose), sets = items > 0 ? std::min(items, most) : most;
  std::vector<double> out;
  for (std::int64_t first = 0; first < sets; first += kAsked) {
    if (!keep_going()) throw Stopped();
    std::vector<std::int64_t> index(static_cast<std::size_t>(std::min(kAsked, sets - first)));
    std::iota(index.begin(), index.end(), first);
    append_doubles(out, run.task->latents(run.config.seed, purpose, index).theta);
  }
  return out;
}

torch::Tensor tensor_of(const std::vector<double>& values, std::vector<std::int64_t> shape) {
  torch::Tensor out = at::empty(shape, torch::kFloat64);
  std::memcpy(out.mutable_data_ptr<double>(), values.data(), values.size() * sizeof(double));
  return out;
}

}  // namespace

double KnownValues::distance(const std::vector<double>& own) const {
  PAIRS_CHECK(static_cast<std::int64_t>(own.size()) == targets, "{} values stand where {} targets are", own.size(),
              targets);
  return Places(*this).distance(own.data());
}

KnownValues learn_values(const LoadedRun& run, const std::function<bool()>& keep_going) {
  const TaskInfo& info = run.task->info();
  if (info.targets.empty() || run.estimator->data_source() != info.data_source) return {};
  KnownValues known;
  known.targets = static_cast<std::int64_t>(info.targets.size());
  for (const auto& target : info.targets) known.ends.insert(known.ends.end(), {target.low, target.high});
  known.values = values_of(run, Purpose::pretrain, kLearned, keep_going);
  const std::vector<double> held_out = values_of(run, Purpose::finetune, kHeldOut, keep_going);
  const Places places(known);
  std::vector<double> distances;
  for (std::size_t i = 0; i < held_out.size(); i += info.targets.size()) {
    if (i % 64 == 0 && !keep_going()) throw Stopped();
    distances.push_back(places.distance(held_out.data() + i));
  }
  if (distances.empty()) return {};
  known.most = quantile(std::move(distances), 1 - kFarValues);
  return known;
}

void write_known_values(const std::filesystem::path& file, const KnownValues& known) {
  const auto count = static_cast<std::int64_t>(known.values.size()) / known.targets;
  write_npz(file, {{"values", tensor_of(known.values, {count, known.targets})},
                   {"ends", tensor_of(known.ends, {known.targets, 2})},
                   {"most", at::full({1}, known.most, torch::kFloat64)}});
}

KnownValues read_known_values(const std::filesystem::path& file, std::int64_t targets) {
  KnownValues known;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return known;
  const auto d = static_cast<std::size_t>(targets);
  const auto arrays = read_npz(file);
  const auto array = [&](const char* name, std::int64_t least, std::int64_t columns) {
    const auto at = arrays.find(name);
    const bool right = at != arrays.end() && at->second.scalar_type() == torch::kFloat64 && at->second.dim() > 0 &&
                       at->second.size(0) >= least && at->second.numel() == at->second.size(0) * columns;
    if (!right) fail("{} is damaged: its array {} is not what the run's task asks for", file.string(), name);
    return doubles(at->second);
  };
  known.targets = targets;
  known.values = array("values", kNeighbor, targets);
  known.ends = array("ends", targets, 2);
  known.most = array("most", 1, 1).front();
  bool sound = std::isfinite(known.most) && known.most >= 0;
  for (std::size_t i = 0; i < known.values.size(); ++i) {
    const double low = known.ends[2 * (i % d)], high = known.ends[2 * (i % d) + 1];
    sound = sound && low < high && known.values[i] >= low && known.values[i] <= high && std::isfinite(known.values[i]);
  }
  if (!sound) fail("{} is damaged: its numbers contradict each other", file.string());
  return known;
}

std::string far_values_text(const KnownValues& known, const TaskInfo& info, const std::vector<double>& own) {
  if (!known.unlike(own)) return "";
  std::string values;
  for (std::size_t t = 0; t < own.size(); ++t)
    values += fmt::format("{}{} {:.3g}", t > 0 ? ", " : "", info.targets[t].label, own[t]);
  return fmt::format("it is out of distribution, since hardly any {} in training has values like its own ({})",
                     info.subject.empty() ? "set" : info.subject, values);
}

}  // namespace pairs
