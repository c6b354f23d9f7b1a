#include "core/likelihood/independence.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
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
    Tensor sums, neighbors;
    std::vector<std::string> names;
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
      const Tensor z = likelihood.space().coordinates(at::cat({one.theta, one.psi}, 1));
      const Features features =
          features_of(likelihood, task.info(), likelihood.standardized(x.block()), z, one.given, options.sets);
      // Without the mean at each place, which all sets share.
      const Tensor centered = features.values - features.values.mean(at::IntArrayRef({0, 1}), true);
      std::vector<Tensor> spread, next;
      for (std::int64_t r = 0; r < options.rearranged; ++r) {
        const Tensor other = rearranged(centered, generator);
        spread.push_back(spread_of_sums(other));
        if (n > 1) next.push_back(neighbor_products(other));
      }
      if (!sums.defined()) {
        names = features.names;
        sums = at::zeros({static_cast<std::int64_t>(names.size())}, torch::kFloat64);
        neighbors = at::zeros_like(sums);
      }
      add_ranks(spread_of_sums(centered), spread, sums);
      if (n > 1) add_ranks(neighbor_products(centered), next, neighbors);
    }
    const double root = std::sqrt(static_cast<double>(options.groups));
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto at = static_cast<std::int64_t>(k);
      out.statistics.push_back(
          {fmt::format("sum of the {} over N = {}", names[k], n), sums[at].item<double>() / root, n});
      if (n > 1)
        out.statistics.push_back(
            {fmt::format("product of neighbors' {} at N = {}", names[k], n), neighbors[at].item<double>() / root, n});
    }
  }
  if (const IndependenceStatistic* found = out.worst())
    out.p = std::min(1.0, std::erfc(std::abs(found->z) * M_SQRT1_2) * static_cast<double>(out.statistics.size()));
  return out;
}

}  // namespace pairs
