#include "app/posterior/frequentist/toy_table.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/gpu/transfer.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/given.h"
#include "core/null_value.h"
#include "core/prior_density.h"
#include "core/report/number_text.h"
#include "core/sets/index_map.h"

namespace pairs {
namespace {

constexpr std::int64_t kBetweenNodes = 6, kFingerprintSets = 2;
constexpr double kResolvedDrop = 2;
constexpr const char* kNullFile = "null.npz";
// Places of sets other than those of nodes.
constexpr std::int64_t kFirstPlace = std::int64_t{1} << 12;

// A likelihood's logarithm, with a finite number for −∞ so that files and comparisons can hold it.
double finite(double log) {
  return std::max(log, -1e30);
}

// "exposure=VALUE,run=VALUE".
std::string given_example(const TaskInfo& info) {
  std::string text;
  for (const std::string& name : given_names(info)) text += (text.empty() ? "" : ",") + name + "=VALUE";
  return text;
}

void check_plan(const LoadedRun& run, const ToyPlan& plan) {
  const TaskInfo& info = run.task->info();
  if (const std::string why = no_frequentist_answers(*run.task); !why.empty())
    fail_usage("The task {} has no frequentist answers: {}", info.name, why);
  const std::vector<std::string> known = run.task->references();
  if (plan.exact && std::find(known.begin(), known.end(), "exact") == known.end())
    fail_usage("The task {} knows no exact posterior", info.name);
  if (plan.n < 1 || plan.n > info.max_n)
    fail_usage("N = {} lies outside of 1 to {}, the sizes that task {} allows", count_text(plan.n),
               count_text(info.max_n), info.name);
  const std::vector<std::int64_t> heads = run.estimator->sizes();
  if (!plan.exact && !heads.empty() && std::find(heads.begin(), heads.end(), plan.n) == heads.end())
    fail_usage("{} has heads for N = {} alone, not for {}", run.name, fmt::join(heads, ", "), plan.n);
  if (!plan.psi.empty() && plan.psi.size() != info.nuisances.size())
    fail_usage("{} values of ψ are given, but task {} has {}", plan.psi.size(), info.name, info.nuisances.size());
  if (plan.given.empty() && info.given_size() > 0)
    fail_usage("Sets of task {} come with {}, which toys need as well: name the values with --conditions {}", info.name,
               fmt::join(given_names(info), ", "), given_example(info));
  PAIRS_CHECK(static_cast<std::int64_t>(plan.given.size()) == info.given_size(),
              "{} are given of toys, but sets of task {} come with {}", counted(plan.given.size(), "value"), info.name,
              info.given_size());
  const Target& target = info.targets.front();
  if (plan.null && (*plan.null < target.low || *plan.null > target.high))
    fail_usage("The null value {:g} of {} lies outside of {:g} to {:g}", *plan.null, target.label, target.low,
               target.high);
}

std::string identity_of(const LoadedRun& run, const ToyPlan& plan) {
  std::string identity =
      fmt::format("toys 1\n{}\n{}\n{}\nN {} toys {} {} nodes {} seed {} null {} psi {} exact {}\n", run.name,
                  weights_checksum(run), read_file(run.folder / run_file::config), plan.n, plan.toys, plan.null_toys,
                  plan.nodes, plan.seed, plan.null.value_or(NAN), fmt::join(plan.psi, " "), plan.exact);
  if (!plan.given.empty()) identity += fmt::format("given {}\n", fmt::join(plan.given, " "));
  return identity;
}

// The values of the target that are tested: its support, less a thousandth where the prior is zero or infinite at an
// end, so that the posterior over the prior is no number there.
std::pair<double, double> tested_range(const Task& task) {
  constexpr double kWithin = 1e-3;
  const Target& target = task.info().targets.front();
  const torch::Tensor log = log_prior(task, torch::tensor({{target.low}, {target.high}}, torch::kFloat64));
  const double step = kWithin * (target.high - target.low);
  const auto number = [&](std::int64_t k) { return !log.defined() || std::isfinite(log[k].item<double>()); };
  return {number(0) ? target.low : target.low + step, number(1) ? target.high : target.high - step};
}

}  // namespace

ToyPlan usual_toys(const Task& task, std::int64_t n) {
  ToyPlan plan;
  plan.n = n;
  if (const HasNullValue* const known = face<HasNullValue>(task)) plan.null = known->null_value().theta;
  return plan;
}

ToyTable::ToyTable(const LoadedRun& run, ToyPlan plan)
    : task_(run.task), plan_(std::move(plan)), estimator_(run.estimator) {
  check_plan(run, plan_);
  identity_ = identity_of(run, plan_);
  if (plan_.psi.empty() && !task_->info().nuisances.empty()) {
    nuisances_.emplace(*task_, plan_.seed, plan_.given);
    if (nuisances_->depends()) identity_ += "nuisances at theta 1\n";
  }
  lay_grid();
  toys_.resize(nodes_.size());
  ascending_.resize(nodes_.size());
  above_.resize(nodes_.size());
  below_.resize(nodes_.size());
  grid_tensor_ = torch::tensor(grid_, torch::kFloat64);
  log_prior_ = prior_on_grid(*task_, grid_tensor_, plan_.seed);
}

void ToyTable::lay_grid() {
  const auto [low, high] = tested_range(*task_);
  for (std::int64_t j = 0; j < plan_.nodes; ++j)
    nodes_.push_back(
        low + (high - low) * 0.5 *
                  (1 - std::cos(std::numbers::pi * static_cast<double>(j) / static_cast<double>(plan_.nodes - 1))));
  nodes_.back() = high;
  if (plan_.null) {
    const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), *plan_.null);
    null_node_ = static_cast<std::size_t>(at - nodes_.begin());
    if (*at != *plan_.null) nodes_.insert(at, *plan_.null);
  }
  for (std::size_t j = 0; j + 1 < nodes_.size(); ++j)
    for (std::int64_t k = 0; k < kBetweenNodes; ++k)
      grid_.push_back(nodes_[j] +
                      (nodes_[j + 1] - nodes_[j]) * static_cast<double>(k) / static_cast<double>(kBetweenNodes));
  grid_.push_back(nodes_.back());
}

LikelihoodCurve ToyTable::curve(const torch::Tensor& log_posterior) const {
  return {grid_, doubles(log_posterior.to(torch::kCPU, torch::kFloat64) - log_prior_)};
}

MarginalLikelihood& ToyTable::likelihood() {
  if (!likelihood_)
    likelihood_ = plan_.exact ? exact_likelihood(task_, plan_.n, grid_tensor_, log_prior_)
                              : estimated_likelihood(estimator_, plan_.n, grid_tensor_, log_prior_);
  return *likelihood_;
}

Latents ToyTable::latents(double theta, const std::vector<double>& psi, std::span<const std::int64_t> indices) const {
  Latents out = task_->latents(plan_.seed, Purpose::check, indices);
  out.theta = at::full_like(out.theta, theta);
  const std::vector<double>& fixed = psi.empty() ? plan_.psi : psi;
  const std::int64_t sets = out.theta.size(0);
  // The task draws θ and ψ jointly: if ψ depends on θ, the ψ of a joint draw belongs to another θ than this one.
  if (fixed.empty() && nuisances_ && nuisances_->depends()) out.psi = nuisances_->at(theta, indices);
  if (!fixed.empty()) out.psi = torch::tensor(fixed, torch::kFloat64).expand({sets, -1}).contiguous();
  if (!plan_.given.empty()) out.given = torch::tensor(plan_.given, torch::kFloat64).expand({sets, -1}).contiguous();
  return out;
}

void ToyTable::simulate(double theta, const std::vector<double>& psi, std::int64_t place, std::int64_t count,
                        const std::function<bool()>& keep_going, const std::function<void(std::vector<ToySet>)>& take) {
  const std::int64_t start = index_map::kToySets + (kFirstPlace + place) * index_map::kToyStride;
  for (std::int64_t first = 0; first < count; first += likelihood().at_once()) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(std::min(likelihood().at_once(), count - first)));
    std::iota(indices.begin(), indices.end(), start + first);
    std::vector<Observations> x;
    const torch::Tensor logs = likelihood().of_sets(latents(theta, psi, indices), plan_.seed, indices, &x, keep_going);
    std::vector<ToySet> sets;
    for (std::size_t k = 0; k < indices.size(); ++k)
      sets.push_back({{grid_, doubles(logs[static_cast<std::int64_t>(k)])}, x[k]});
    take(std::move(sets));
  }
}

std::int64_t ToyTable::null_count() const {
  return reports_cls() ? std::min(plan_.toys, plan_.null_toys) : 0;
}

std::int64_t ToyTable::node_count(std::size_t node) const {
  return node == null_node_ ? plan_.null_toys : plan_.toys;
}

std::vector<double> ToyTable::fingerprint() {
  std::vector<std::int64_t> indices(kFingerprintSets);
  std::iota(indices.begin(), indices.end(), index_map::kToySets);
  std::vector<double> values =
      doubles(likelihood().of_sets(latents(nodes_[nodes_.size() / 2], {}, indices), plan_.seed, indices, nullptr, {}));
  for (double& value : values) value = finite(value);
  return values;
}

std::filesystem::path ToyTable::folder() const {
  return caches_folder() / "toys" / fmt::format("{:08x}{:08x}", checksum(identity_), checksum(identity_, 1));
}

bool ToyTable::like_kept(const torch::Tensor& fingerprint) const {
  const std::vector<double> kept = doubles(fingerprint);
  bool same = kept.size() == fingerprint_.size();
  for (std::size_t i = 0; same && i < kept.size(); ++i)
    same = std::abs(kept[i] - fingerprint_[i]) <= 1e-3 * (1 + std::abs(kept[i]));
  return same;
}

bool ToyTable::read_node(std::size_t node) {
  const std::filesystem::path file = folder() / fmt::format("node-{}.npz", node);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return false;
  try {
    const auto arrays = read_npz(file);
    NodeToys toys{nodes_[node], doubles(arrays.at("ratio")), doubles(arrays.at("psi"))};
    const auto count = static_cast<std::size_t>(node_count(node));
    if (!like_kept(arrays.at("fingerprint")) || toys.ratio.size() != count || toys.psi.size() != count) return false;
    if (arrays.at("theta").item<double>() != nodes_[node]) return false;
    unresolved_ += arrays.at("unresolved").item<double>();
    toys_[node] = std::move(toys);
    return true;
  } catch (const std::exception&) {
    return false;  // damaged: it is simulated again and replaced
  }
}

void ToyTable::write_node(std::size_t node) const {
  const NodeToys& toys = toys_[node];
  write_npz(folder() / fmt::format("node-{}.npz", node), {{"fingerprint", torch::tensor(fingerprint_, torch::kFloat64)},
                                                          {"ratio", torch::tensor(toys.ratio, torch::kFloat64)},
                                                          {"psi", torch::tensor(toys.psi, torch::kFloat64)},
                                                          {"theta", torch::tensor(toys.theta, torch::kFloat64)},
                                                          {"unresolved", torch::tensor(unresolved_, torch::kFloat64)}});
}

void ToyTable::make_node(std::size_t node, const std::function<bool()>& keep_going,
                         const std::function<void(std::int64_t)>& step) {
  const std::int64_t count = node_count(node), at_once = likelihood().at_once();
  std::vector<std::pair<double, double>> drawn;  // ψ and ratio
  for (std::int64_t first = 0; first < count; first += at_once) {
    if (!keep_going()) throw Stopped();
    std::vector<std::int64_t> indices(static_cast<std::size_t>(std::min(at_once, count - first)));
    std::iota(indices.begin(), indices.end(),
              index_map::kToySets + static_cast<std::int64_t>(node) * index_map::kToyStride + first);
    const Latents of = latents(nodes_[node], {}, indices);
    const torch::Tensor logs = likelihood().of_sets(of, plan_.seed, indices, nullptr, keep_going);
    for (std::int64_t k = 0; k < logs.size(0); ++k) {
      const LikelihoodCurve seen(grid_, doubles(logs[k]));
      unresolved_ += seen.resolved(kResolvedDrop) ? 0 : 1;
      drawn.emplace_back(of.psi.size(1) > 0 ? of.psi[k][0].item<double>() : 0, seen.signed_ratio(nodes_[node]));
    }
    step(logs.size(0));
  }
  std::sort(drawn.begin(), drawn.end());
  NodeToys& toys = toys_[node] = {nodes_[node], {}, {}};
  for (const auto& [psi, ratio] : drawn) {
    toys.psi.push_back(psi);
    toys.ratio.push_back(ratio);
  }
}

bool ToyTable::read_null() {
  const std::filesystem::path file = folder() / kNullFile;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return false;
  try {
    const auto arrays = read_npz(file);
    const torch::Tensor& ratios = arrays.at("ratio");
    const std::vector<double> psi = doubles(arrays.at("psi")), values = doubles(ratios);
    const auto count = static_cast<std::size_t>(null_count());
    const bool fits = psi.size() == count && ratios.dim() == 2 && values.size() == count * nodes_.size();
    if (!like_kept(arrays.at("fingerprint")) || !fits) return false;
    null_at_.clear();
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(node * count);
      null_at_.push_back({nodes_[node], {from, from + static_cast<std::ptrdiff_t>(count)}, psi});
    }
    return true;
  } catch (const std::exception&) {
    return false;  // damaged: it is simulated again and replaced
  }
}

void ToyTable::make_null(const std::function<bool()>& keep_going, const std::function<void(std::int64_t)>& step) {
  struct Toy {
    double psi;
    std::vector<double> ratios;  // by node
    auto operator<=>(const Toy&) const = default;
  };
  std::vector<Toy> drawn;
  const std::int64_t count = null_count(), at_once = likelihood().at_once();
  const std::int64_t start = index_map::kToySets + static_cast<std::int64_t>(*null_node_) * index_map::kToyStride;
  for (std::int64_t first = 0; first < count; first += at_once) {
    if (!keep_going()) throw Stopped();
    std::vector<std::int64_t> indices(static_cast<std::size_t>(std::min(at_once, count - first)));
    std::iota(indices.begin(), indices.end(), start + first);
    const Latents of = latents(nodes_[*null_node_], {}, indices);
    const torch::Tensor logs = likelihood().of_sets(of, plan_.seed, indices, nullptr, keep_going);
    for (std::int64_t k = 0; k < logs.size(0); ++k) {
      const LikelihoodCurve seen(grid_, doubles(logs[k]));
      Toy toy{of.psi.size(1) > 0 ? of.psi[k][0].item<double>() : 0, {}};
      for (const double node : nodes_) toy.ratios.push_back(seen.signed_ratio(node));
      drawn.push_back(std::move(toy));
    }
    step(logs.size(0));
  }
  std::sort(drawn.begin(), drawn.end());
  null_at_.clear();
  std::vector<double> psi, all;
  for (const Toy& toy : drawn) psi.push_back(toy.psi);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    null_at_.push_back({nodes_[node], {}, psi});
    for (const Toy& toy : drawn) null_at_.back().ratio.push_back(toy.ratios[node]);
    all.insert(all.end(), null_at_.back().ratio.begin(), null_at_.back().ratio.end());
  }
  write_npz(folder() / kNullFile,
            {{"fingerprint", torch::tensor(fingerprint_, torch::kFloat64)},
             {"ratio", torch::tensor(all, torch::kFloat64).view({static_cast<std::int64_t>(nodes_.size()), count})},
             {"psi", torch::tensor(psi, torch::kFloat64)}});
}

void ToyTable::make(const std::function<bool()>& keep_going,
                    const std::function<void(std::int64_t, std::int64_t)>& step) {
  std::error_code error;
  std::filesystem::create_directories(folder(), error);
  PAIRS_CHECK(!error,
              "The folder {}, where toys are kept, cannot be made: {}; name another folder of caches by PAIRS_CACHE",
              folder().string(), error.message());
  fingerprint_ = fingerprint();
  std::int64_t done = 0, total = null_count();
  for (std::size_t node = 0; node < nodes_.size(); ++node) total += node_count(node);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (read_node(node)) {
      done += node_count(node);
    } else {
      const double before = std::exchange(unresolved_, 0);
      make_node(node, keep_going, [&](std::int64_t sets) { step(done += sets, total); });
      write_node(node);
      unresolved_ += before;
    }
    const auto [low, high] = std::minmax_element(toys_[node].ratio.begin(), toys_[node].ratio.end());
    for (const TestOrder order : {TestOrder::likelihood_ratio, TestOrder::upper_limit, TestOrder::excess})
      ascending_[node][static_cast<std::size_t>(order)] = statistic_order(toys_[node], order);
    below_[node] = *low;
    above_[node] = *high;
  }
  if (!reports_cls()) return;
  if (!read_null()) make_null(keep_going, [&](std::int64_t sets) { step(done += sets, total); });
  null_ascending_.clear();
  for (const NodeToys& toys : null_at_) null_ascending_.push_back(statistic_order(toys, TestOrder::upper_limit));
}

double ToyTable::most(std::size_t node, TestOrder order) const {
  return std::max(statistic(order, above_[node]), statistic(order, below_[node]));
}

}  // namespace pairs
