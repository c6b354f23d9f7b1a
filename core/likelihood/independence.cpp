#include "core/likelihood/independence.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/base/text/error.h"
#include "core/likelihood/likelihood_draws.h"

namespace pairs {
namespace {

using torch::Tensor;

// Statistics of single observations, [sets, n, features], whose sums over sets are compared, with their names.
struct Features {
  Tensor values;
  std::vector<std::string> names;
};

std::string parameter_name(const TaskInfo& info, std::int64_t k) {
  const auto d = static_cast<std::int64_t>(info.targets.size());
  return k < d ? info.targets[static_cast<std::size_t>(k)].name : info.nuisances[static_cast<std::size_t>(k - d)].name;
}

// x [sets * n, m] standardized, of sets with the same z [1, D] and conditions.
Features features_of(const LearnedLikelihood& likelihood, const TaskInfo& info, const Tensor& x, const Tensor& z,
                     const Tensor& given, std::int64_t sets) {
  Features out;
  const std::int64_t rows = x.size(0);
  const Tensor scores =
      likelihood.density(0).normal_scores(x, likelihood.context(z, given).expand({rows, -1})).to(torch::kCPU);
  std::vector<Tensor> all;
  // Covariates may depend on each other in any way.
  for (std::int64_t j = likelihood.covariates(); j < scores.size(1); ++j) {
    all.push_back(scores.select(1, j));
    out.names.push_back("values of " + column_name(info, likelihood.column(j)));
  }
  for (std::int64_t j = likelihood.covariates(); j < scores.size(1); ++j) {
    all.push_back(scores.select(1, j).square());
    out.names.push_back("spread of " + column_name(info, likelihood.column(j)));
  }
  const at::AutoGradMode gradients(true);
  // The gradient of each observation's log q by z: rows of parameters of their own, so that one pass has them all.
  const Tensor own = z.expand({rows, z.size(1)}).clone().set_requires_grad(true);
  const Tensor log = likelihood.density(0).log_prob(x, likelihood.context(own, given), likelihood.covariates());
  const Tensor gradient = torch::autograd::grad({log.sum()}, {own}).front();
  for (std::int64_t k = 0; k < gradient.size(1); ++k) {
    all.push_back(gradient.select(1, k));
    out.names.push_back("evidence on " + parameter_name(info, k));
  }
  const Tensor values = at::nan_to_num(at::stack(all, 1).to(torch::kCPU, torch::kFloat64), 0, 0, 0);
  out.values = values.view({sets, rows / sets, values.size(1)});
  return out;
}

// The spread between sets of the sums over their observations [sets, n, f] -> [f].
Tensor spread_of_sums(const Tensor& values) {
  return values.sum(1).var(0);
}

// The mean product of neighbors, of centered values -> [f].
Tensor neighbor_products(const Tensor& values) {
  const std::int64_t n = values.size(1);
  return (values.slice(1, 0, n - 1) * values.slice(1, 1)).mean(1).mean(0);
}

// Exchanges the i-th observations of the sets at random, each i by itself.
Tensor rearranged(const Tensor& values, at::Generator& generator) {
  const Tensor order =
      at::rand({values.size(0), values.size(1)}, generator, at::TensorOptions(at::kFloat)).argsort(0, false);
  return values.gather(0, order.unsqueeze(2).expand_as(values));
}

// Adds, for each statistic, the rank of the real value among the rearranged ones, ties in the middle, as a number with
// mean 0 and variance 1.
void add_ranks(const Tensor& real, const std::vector<Tensor>& others, Tensor& sum) {
  const auto count = static_cast<double>(others.size());
  Tensor below = at::zeros_like(real);
  for (const Tensor& other : others)
    below += (other < real).to(torch::kFloat64) + 0.5 * (other == real).to(torch::kFloat64);
  sum += (below - 0.5 * count) / std::sqrt(count * (count + 2) / 12);
}

// Ranks of the real groups of one size, or of several, among rearranged ones.
class GroupRanks {
 public:
  GroupRanks(const LearnedLikelihood& likelihood, const TaskInfo& info, std::int64_t rearrangements, bool neighbors,
             at::Generator& generator)
      : likelihood_(likelihood),
        info_(info),
        rearrangements_(rearrangements),
        neighbors_(neighbors),
        generator_(generator) {}

  // x [S * n, m] of S sets with the same parameters [1, D] and conditions.
  void add(const Tensor& x, const Tensor& parameters, const Tensor& given, std::int64_t sets) {
    const Features features = features_of(likelihood_, info_, likelihood_.standardized(x),
                                          likelihood_.space().coordinates(parameters), given, sets);
    // Without the mean at each place, which all sets share.
    const Tensor centered = features.values - features.values.mean(at::IntArrayRef({0, 1}), true);
    const bool neighbors = neighbors_ && features.values.size(1) > 1;
    std::vector<Tensor> spread, next;
    for (std::int64_t r = 0; r < rearrangements_; ++r) {
      const Tensor other = rearranged(centered, generator_);
      spread.push_back(spread_of_sums(other));
      if (neighbors) next.push_back(neighbor_products(other));
    }
    if (groups_ == 0) {
      names_ = features.names;
      sums_ = at::zeros({static_cast<std::int64_t>(names_.size())}, torch::kFloat64);
      products_ = at::zeros_like(sums_);
    }
    add_ranks(spread_of_sums(centered), spread, sums_);
    if (neighbors) add_ranks(neighbor_products(centered), next, products_);
    ++groups_;
    compared_neighbors_ += neighbors ? 1 : 0;
  }

  // Adds the statistics to the test; `n` is the largest number of observations, `sizes` its text.
  void append_to(IndependenceTest& test, std::int64_t n, const std::string& sizes) const {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const auto at = static_cast<std::int64_t>(k);
      test.statistics.push_back({fmt::format("sum of the {} over N = {}", names_[k], sizes),
                                 sums_[at].item<double>() / std::sqrt(static_cast<double>(groups_)), n});
      if (compared_neighbors_ > 0)
        test.statistics.push_back({fmt::format("product of neighbors' {} at N = {}", names_[k], sizes),
                                   products_[at].item<double>() / std::sqrt(static_cast<double>(compared_neighbors_)),
                                   n});
    }
    test.n = std::max(test.n, n);
  }

 private:
  const LearnedLikelihood& likelihood_;
  const TaskInfo& info_;
  std::int64_t rearrangements_;
  bool neighbors_;
  at::Generator& generator_;
  std::vector<std::string> names_;
  Tensor sums_, products_;
  std::int64_t groups_ = 0, compared_neighbors_ = 0;
};

void judge(IndependenceTest& test) {
  if (const IndependenceStatistic* found = test.worst())
    test.p = std::min(1.0, std::erfc(std::abs(found->z) * M_SQRT1_2) * static_cast<double>(test.statistics.size()));
}

}  // namespace

bool IndependenceTest::rejected() const {
  return p < kIndependenceLevel;
}

const IndependenceStatistic* IndependenceTest::worst() const {
  const auto found = std::max_element(statistics.begin(), statistics.end(),
                                      [](const auto& a, const auto& b) { return std::abs(a.z) < std::abs(b.z); });
  return found == statistics.end() ? nullptr : &*found;
}

std::string IndependenceTest::text() const {
  const IndependenceStatistic* found = worst();
  if (found == nullptr) return "Independence was not tested";
  if (!rejected())
    return fmt::format("The observations of a set appear independent given its parameters (p = {:.2g}, {} statistics)",
                       std::min(p, 1.0), statistics.size());
  return fmt::format(
      "The observations of a set are not independent given its parameters: the {} {} differently in sets than in "
      "observations of several sets at the same parameters (p = {:.1g}). The simulator keeps something that they share "
      "to itself",
      found->name, "varies", std::max(p, 1e-99));
}

IndependenceTest test_independence(const LearnedLikelihood& likelihood, const Task& task,
                                   const IndependenceOptions& options) {
  PAIRS_CHECK(options.sets >= 2 && options.groups >= 1 && options.rearranged >= 1,
              "A test of independence needs two sets at each parameters");
  IndependenceTest out;
  out.groups = options.groups;
  at::Generator generator = at::detail::createCPUGenerator(stream_key(options.seed, Purpose::check));
  for (std::size_t s = 0; s < options.sizes.size(); ++s) {
    const std::int64_t n = options.sizes[s];
    const std::int64_t first =
        likelihood_sets::kIndependence + static_cast<std::int64_t>(s) * options.groups * options.sets;
    GroupRanks ranks(likelihood, task.info(), options.rearranged, true, generator);
    for (std::int64_t g = 0; g < options.groups; ++g) {
      if (options.keep_going && !options.keep_going()) throw Stopped();
      // Sets of other indices with the parameters of the group's first.
      std::vector<std::int64_t> indices(static_cast<std::size_t>(options.sets));
      std::iota(indices.begin(), indices.end(), first + g * options.sets);
      Latents one = task.latents(options.seed, Purpose::likelihood, std::span(indices).first(1));
      const auto repeated = [&](const Tensor& row) {
        return row.defined() ? row.expand({options.sets, row.size(1)}).contiguous() : row;
      };
      const Latents all{repeated(one.theta), repeated(one.psi), repeated(one.given)};
      std::vector<SetRange> ranges;
      for (const std::int64_t index : indices) ranges.push_back({index, 0, n});
      const Observations x = task.observe(all, options.seed, Purpose::likelihood, ranges, torch::kCPU);
      ranks.add(x.block(), at::cat({one.theta, one.psi}, 1), one.given, options.sets);
    }
    ranks.append_to(out, n, std::to_string(n));
  }
  judge(out);
  return out;
}

std::vector<RepeatedSets> repeated_sets(const LikelihoodDraws& draws, std::int64_t most) {
  const Tensor keys =
      (draws.prior_given.defined() ? at::cat({draws.prior_parameters, draws.prior_given}, 1) : draws.prior_parameters)
          .contiguous();
  const auto width = static_cast<std::size_t>(keys.size(1));
  std::map<std::vector<double>, std::vector<std::int64_t>> sets;
  for (std::int64_t k = 0; k < keys.size(0); ++k) {
    const double* row = keys.const_data_ptr<double>() + static_cast<std::size_t>(k) * width;
    sets[{row, row + width}].push_back(k);
  }
  // Rows of the set k: bounds[k] to bounds[k + 1].
  const Tensor bounds = at::searchsorted(draws.set, at::arange(keys.size(0) + 1, torch::kInt64));
  const auto row_of = [&](std::int64_t k) { return bounds[k].item<std::int64_t>(); };
  std::vector<RepeatedSets> out;
  for (const auto& [values, members] : sets) {
    if (members.size() < 2) continue;
    std::vector<Tensor> parts;
    std::int64_t n = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t k : members) {
      const Tensor x = draws.x.slice(0, row_of(k), row_of(k + 1));
      if (x.size(0) < 2) continue;
      // A copy of another set is no set of its own.
      const auto same = [&](const Tensor& other) {
        const std::int64_t both = std::min(x.size(0), other.size(0));
        return at::equal(x.slice(0, 0, both), other.slice(0, 0, both));
      };
      if (std::any_of(parts.begin(), parts.end(), same)) continue;
      parts.push_back(x);
      n = std::min(n, x.size(0));
    }
    if (parts.size() < 2) continue;
    for (Tensor& part : parts) part = part.slice(0, 0, n);
    const std::int64_t first = members.front();
    out.push_back({at::stack(parts), draws.prior_parameters.slice(0, first, first + 1),
                   draws.prior_given.defined() ? draws.prior_given.slice(0, first, first + 1) : Tensor()});
    if (static_cast<std::int64_t>(out.size()) == most) break;
  }
  return out;
}

IndependenceTest test_independence(const LearnedLikelihood& likelihood, const TaskInfo& info,
                                   std::span<const RepeatedSets> groups, bool ordered, std::uint64_t seed,
                                   const std::function<bool()>& keep_going) {
  IndependenceTest out;
  if (static_cast<std::int64_t>(groups.size()) < kFewestGroups) return out;
  out.groups = static_cast<std::int64_t>(groups.size());
  at::Generator generator = at::detail::createCPUGenerator(stream_key(seed, Purpose::check));
  GroupRanks ranks(likelihood, info, IndependenceOptions().rearranged, ordered, generator);
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max(), most = 0;
  for (const RepeatedSets& group : groups) {
    if (keep_going && !keep_going()) throw Stopped();
    const std::int64_t n = group.x.size(1);
    fewest = std::min(fewest, n);
    most = std::max(most, n);
    // Sets in an order of their values, which is no dependence, are shuffled.
    const Tensor order =
        at::rand({group.x.size(0), n}, generator, at::TensorOptions(at::kFloat)).argsort(1, false).unsqueeze(2);
    const Tensor x = ordered ? group.x : group.x.gather(1, order.expand_as(group.x));
    ranks.add(x.flatten(0, 1), group.parameters, group.given, group.x.size(0));
  }
  ranks.append_to(out, most, fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most));
  judge(out);
  return out;
}

}  // namespace pairs
