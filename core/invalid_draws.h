#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fields/face.h"

namespace pairs {

// Attempts of a simulator at observations, and how many of them were invalid: they held a number that is not finite and
// were simulated again.
struct InvalidDraws {
  // The counts of sets whose target lies in [low, high], a quantile bin of all counted sets.
  struct Bin {
    double low = 0, high = 0;
    std::int64_t attempts = 0, invalid = 0;
  };
  struct OfTarget {
    std::string name;
    std::vector<Bin> bins;
  };
  std::int64_t attempts = 0, invalid = 0;
  std::vector<OfTarget> targets = {};

  double share() const { return attempts > 0 ? static_cast<double>(invalid) / static_cast<double>(attempts) : 0.0; }
};

// Above this share, a posterior's condition on valid observations is shown as a warning.
inline constexpr double kTellingInvalidShare = 0.01;

// A task whose simulator repeats invalid observations.
class RedrawsInvalid {
 public:
  virtual ~RedrawsInvalid() = default;
  // The counts since the program started, over all tasks made from the same file; no attempts if none were made, or if
  // the task does not repeat observations.
  virtual InvalidDraws invalid_draws() const = 0;
};

// The file of these counts in the folder of a run's budgeted simulations.
inline constexpr const char* kInvalidRecord = "invalid.json";

template <class Task>
InvalidDraws invalid_draws_of(const Task& task) {
  const auto* const redraws = face<RedrawsInvalid>(task);
  return redraws ? redraws->invalid_draws() : InvalidDraws{};
}

// Collects, for each set, the attempts at its observations and how many of them were invalid.
class InvalidCount {
 public:
  void add(const double* theta, std::size_t targets, std::int64_t attempts, std::int64_t invalid) {
    attempts_ += attempts;
    invalid_ += invalid;
    if (rows_.size() >= kMostSets) return;
    rows_.push_back({{theta, theta + targets}, attempts, invalid});
  }
  // Sorts the first 65,536 sets into bins of equally many sets for each target.
  InvalidDraws binned(const std::vector<std::string>& names, std::size_t bins = 5) const {
    InvalidDraws out{attempts_, invalid_, {}};
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t t = 0; t < names.size() && !rows_.empty(); ++t) {
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return rows_[a].theta[t] < rows_[b].theta[t]; });
      InvalidDraws::OfTarget& of = out.targets.emplace_back();
      of.name = names[t];
      for (std::size_t b = 0; b < bins; ++b) {
        const std::size_t first = b * order.size() / bins, end = (b + 1) * order.size() / bins;
        if (first == end) continue;
        InvalidDraws::Bin bin{rows_[order[first]].theta[t], rows_[order[end - 1]].theta[t], 0, 0};
        for (std::size_t k = first; k < end; ++k) {
          bin.attempts += rows_[order[k]].attempts;
          bin.invalid += rows_[order[k]].invalid;
        }
        of.bins.push_back(bin);
      }
    }
    return out;
  }

 private:
  static constexpr std::size_t kMostSets = 1 << 16;  // sets that are kept one by one
  struct Row {
    std::vector<double> theta;
    std::int64_t attempts, invalid;
  };
  std::int64_t attempts_ = 0, invalid_ = 0;
  std::vector<Row> rows_;
};

inline nlohmann::json to_json(const InvalidDraws& draws) {
  nlohmann::json out = {{"attempts", draws.attempts},
                        {"invalid", draws.invalid},
                        {"share", draws.share()},
                        {"targets", nlohmann::json::array()}};
  for (const InvalidDraws::OfTarget& target : draws.targets) {
    nlohmann::json bins = nlohmann::json::array();
    for (const InvalidDraws::Bin& bin : target.bins)
      bins.push_back({{"low", bin.low}, {"high", bin.high}, {"attempts", bin.attempts}, {"invalid", bin.invalid}});
    out["targets"].push_back({{"name", target.name}, {"bins", std::move(bins)}});
  }
  return out;
}

// A sentence without its full stop: the share of invalid observations and, above 1 %, its consequence.
inline std::string invalid_sentence(std::int64_t attempts, std::int64_t invalid) {
  const double share = attempts > 0 ? static_cast<double>(invalid) / static_cast<double>(attempts) : 0.0;
  std::string text = fmt::format(
      "{} of {} simulated observations ({:.2g} %) held numbers that are not finite and were "
      "drawn again",
      invalid, attempts, 100 * share);
  if (share > kTellingInvalidShare)
    text += ", so that the posterior is conditional on observations being valid: see how their share depends on θ";
  return text;
}

}  // namespace pairs
