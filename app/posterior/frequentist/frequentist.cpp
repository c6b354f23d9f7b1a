#include "app/posterior/frequentist/frequentist.h"

#include <ATen/Parallel.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/eval/metrics/mean_error.h"

namespace pairs {
namespace {

// The number of toys for one value of the nuisance: a tenth of all, but at least 500.
std::size_t window_of(const NodeToys& toys) {
  return std::min(toys.ratio.size(), std::max<std::size_t>(500, toys.ratio.size() / 10));
}

bool knows_nuisance(const Task& task) {
  return task.info().nuisances.size() == 1 && face<InfersNuisances>(task) != nullptr;
}

std::array<double, 5> quantiles(std::vector<double> values) {
  std::array<double, 5> out;
  std::sort(values.begin(), values.end());
  for (std::size_t q = 0; q < out.size(); ++q)
    out[q] = values[static_cast<std::size_t>(kExpectedLevels[q] * static_cast<double>(values.size() - 1) + 0.5)];
  return out;
}

double total_length(const std::vector<Interval>& parts) {
  double sum = 0;
  for (const Interval& part : parts) sum += part.width();
  return sum;
}

}  // namespace

// The tails of a table's toys with the weights for one set, computed on demand.
class Frequentist::SetTails {
 public:
  SetTails(const Frequentist& of, const Observations& x) : table_(*of.table_), choice_(of.choice_) {
    if (choice_ == NuisanceChoice::posterior) nuisance_ = nuisance_posterior(table_.task(), x);
  }

  double operator()(std::size_t node, TestOrder order, double t) {
    const NodeToys& toys = table_.toys(node);
    if (t > table_.most(node, order)) return 0;
    switch (choice_) {
      case NuisanceChoice::prior:
        return tail(toys, order, t);
      case NuisanceChoice::posterior:
        return tail(toys, order, t, weights(node));
      case NuisanceChoice::worst:
        return worst_tail(toys, order, t, window_of(toys));
    }
    fail("There is no such choice of nuisances");
  }
  // Empty if all toys have equal weight.
  const std::vector<double>& weights(std::size_t node) {
    std::vector<double>& kept = weights_[node];
    if (kept.empty() && nuisance_) {
      const NodeToys& toys = table_.toys(node);
      kept = near_weights(toys, nuisance_->marginal(at::full({1, 1}, toys.theta, torch::kFloat64), 0), window_of(toys));
    }
    return kept;
  }
  // The effective number of toys at a node.
  double effective(std::size_t node) {
    const std::vector<double>& of = weights(node);
    if (choice_ == NuisanceChoice::worst) return static_cast<double>(window_of(table_.toys(node)));
    if (of.empty()) return static_cast<double>(table_.toys(node).ratio.size());
    double squares = 0;
    for (const double w : of) squares += w * w;
    return 1 / squares;
  }
  // The p-value of θ; for the worst nuisances, the larger of the tails at the adjacent nodes.
  double p(TestOrder order, double theta, double signed_ratio) {
    const std::vector<double>& nodes = table_.nodes();
    const auto above = static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), theta) - nodes.begin());
    const double t = statistic(order, signed_ratio);
    const std::size_t below = nodes[above] == theta ? above : above - 1;
    if (t > table_.most(below, order) && t > table_.most(above, order)) return 0;
    if (choice_ == NuisanceChoice::worst) return std::max((*this)(below, order, t), (*this)(above, order, t));
    const auto toys = [this](std::size_t node, TestOrder of) -> const OrderedToys& { return ordered(node, of); };
    return p_value(nodes, toys, order, theta, signed_ratio);
  }
  // CL_s of θ, whose p-value for an upper limit is p. At and below the null value nothing is excluded.
  double cls(double theta, double signed_ratio, double p) {
    if (theta <= table_.nodes()[*table_.null_node()]) return 1;
    const double share = share_of_null(theta, signed_ratio);
    if (share == 0) blind_from_ = std::min(blind_from_, theta);
    return pairs::cls(p, share);
  }
  // The smallest queried value at which no toy of the null value is as extreme; infinite if there is none.
  double blind_from() const { return blind_from_; }

 private:
  // The share of the null value's toys that are as extreme against θ; for the worst nuisances, the smallest share.
  double share_of_null(double theta, double signed_ratio) {
    const std::vector<double>& nodes = table_.nodes();
    if (choice_ == NuisanceChoice::worst) {
      const auto above = static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), theta) - nodes.begin());
      const double t = statistic(TestOrder::upper_limit, signed_ratio);
      const auto least = [&](std::size_t node) {
        return least_tail(table_.null_at(node), TestOrder::upper_limit, t, window_of(table_.null_at(node)));
      };
      return nodes[above] == theta ? least(above) : std::min(least(above), least(above - 1));
    }
    const auto toys = [this](std::size_t node, TestOrder) -> const OrderedToys& { return null_ordered(node); };
    return p_value(nodes, toys, TestOrder::upper_limit, theta, signed_ratio);
  }
  const OrderedToys& null_ordered(std::size_t node) {
    const auto kept = null_ordered_.find(node);
    if (kept != null_ordered_.end()) return kept->second;
    const NodeToys& toys = table_.null_at(node);
    if (null_weights_.empty() && nuisance_) {
      const torch::Tensor null = at::full({1, 1}, table_.nodes()[*table_.null_node()], torch::kFloat64);
      null_weights_ = near_weights(toys, nuisance_->marginal(null, 0), window_of(toys));
    }
    return null_ordered_
        .emplace(node, OrderedToys(toys, TestOrder::upper_limit, table_.null_ascending(node), null_weights_))
        .first->second;
  }
  const OrderedToys& ordered(std::size_t node, TestOrder order) {
    const auto key = std::pair(node, order);
    const auto kept = ordered_.find(key);
    if (kept != ordered_.end()) return kept->second;
    return ordered_.emplace(key, OrderedToys(table_.toys(node), order, table_.ascending(node, order), weights(node)))
        .first->second;
  }

  const ToyTable& table_;
  NuisanceChoice choice_;
  std::unique_ptr<NuisancePosterior> nuisance_;
  std::map<std::pair<std::size_t, TestOrder>, OrderedToys> ordered_;
  std::map<std::size_t, std::vector<double>> weights_;
  std::map<std::size_t, OrderedToys> null_ordered_;
  std::vector<double> null_weights_;
  double blind_from_ = std::numeric_limits<double>::infinity();
};

Frequentist::Frequentist(std::shared_ptr<ToyTable> table, NuisanceChoice choice)
    : table_(std::move(table)), choice_(choice) {
  const TaskInfo& info = table_->task().info();
  if (choice == NuisanceChoice::prior) return;
  if (!table_->plan().psi.empty())
    fail_usage("The nuisances are known: toys have these, and there is nothing to choose by --nuisance");
  if (info.nuisances.size() != 1)
    fail_usage("Toys are chosen by one nuisance, and task {} has {}; choose --nuisance prior", info.name,
               info.nuisances.size());
  if (choice == NuisanceChoice::posterior && !knows_nuisance(table_->task()))
    fail_usage("Task {} does not know the posterior of {}; choose --nuisance prior or worst", info.name,
               info.nuisances.front().label);
}

NuisanceChoice Frequentist::usual(const ToyTable& table) {
  return table.plan().psi.empty() && knows_nuisance(table.task()) ? NuisanceChoice::posterior : NuisanceChoice::prior;
}

NullTest Frequentist::null_test(const LikelihoodCurve& curve, SetTails& tails) const {
  const std::size_t node = *table_->null_node();
  const NodeToys& toys = table_->toys(node);
  NullTest out;
  out.theta = toys.theta;
  // The ends of a periodic target's range are no bounds.
  const bool periodic = table_->task().info().targets.front().periodic;
  out.one_sided = !periodic && (node == 0 || node + 1 == table_->nodes().size());
  // At a bound of the range all estimates lie on one side, so that the ratio is the excess.
  out.q = statistic(TestOrder::likelihood_ratio, curve.signed_ratio(toys.theta));
  out.toys = static_cast<std::int64_t>(toys.ratio.size());
  const double effective = tails.effective(node);
  const double share = tails(node, TestOrder::likelihood_ratio, out.q);
  out.beyond = share == 0;
  out.p = std::max(share, 1 / (effective + 1));
  out.p_error = binomial_error(out.p, effective);
  const double sides = out.one_sided ? 1 : 2;
  out.z = std::max(sigmas(out.p / sides), 0.0);
  out.z_asymptotic = std::sqrt(out.q);
  out.exceed = tails(node, TestOrder::likelihood_ratio, chi_square_1(out.one_sided ? 0.1 : 0.05));
  out.exceed_error = binomial_error(0.05, effective);
  return out;
}

FrequentistAnswer Frequentist::answer(const LikelihoodCurve& curve, const Observations& x,
                                      const std::vector<double>& levels) const {
  SetTails tails(*this, x);
  FrequentistAnswer out;
  out.estimate = curve.estimate();
  out.resolved = curve.resolved(2);
  out.grid = table_->grid();
  const auto at = std::lower_bound(out.grid.begin(), out.grid.end(), out.estimate);
  if (*at != out.estimate) out.grid.insert(at, out.estimate);
  for (const double theta : out.grid) {
    const double ratio = theta == out.estimate ? 0 : curve.signed_ratio(theta);
    out.ratio.push_back(std::abs(ratio));
    out.p.push_back(tails.p(TestOrder::likelihood_ratio, theta, ratio));
    out.p_upper.push_back(tails.p(TestOrder::upper_limit, theta, ratio));
    if (table_->reports_cls()) out.cls.push_back(tails.cls(theta, ratio, out.p_upper.back()));
  }
  const auto limit = [&](const std::vector<double>& p, double level) {
    return p.empty() ? NAN : accepted(out.grid, p, 1 - level).back().high;
  };
  for (const double level : levels) {
    const double cls = limit(out.cls, level);
    out.levels.push_back(
        {level, accepted(out.grid, out.p, 1 - level), limit(out.p_upper, level), cls, cls >= tails.blind_from()});
  }
  if (table_->null_node()) out.null = null_test(curve, tails);
  return out;
}

FrequentistAnswer Frequentist::answer(const std::function<torch::Tensor(const torch::Tensor&)>& log_density,
                                      const Observations& x, const std::vector<double>& levels) const {
  const torch::Tensor grid = at::tensor(table_->grid(), torch::kFloat64).unsqueeze(1);
  return answer(table_->curve(log_density(grid)), x, levels);
}

std::vector<double> Frequentist::critical(const Observations& x, double level) const {
  SetTails tails(*this, x);
  std::vector<double> out;
  for (std::size_t node = 0; node < table_->nodes().size(); ++node) {
    double low = 0, high = table_->most(node, TestOrder::likelihood_ratio);
    for (int halving = 0; halving < 40; ++halving) {
      const double middle = 0.5 * (low + high);
      (tails(node, TestOrder::likelihood_ratio, middle) >= 1 - level ? low : high) = middle;
    }
    out.push_back(high);
  }
  return out;
}

Expected Frequentist::expected(double theta, std::int64_t place, std::int64_t sets, const std::vector<double>& levels,
                               const std::function<bool()>& keep_going, const Step& step) const {
  std::vector<double> z;
  std::vector<std::vector<double>> upper(levels.size()), length(levels.size()), cls(levels.size());
  double beyond = 0;
  table_->simulate(theta, {}, place, sets, keep_going, [&](std::vector<ToyTable::ToySet> drawn) {
    std::vector<FrequentistAnswer> answers(drawn.size());
    at::parallel_for(0, static_cast<std::int64_t>(drawn.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
        answers[k] = answer(drawn[k].curve, drawn[k].x, levels);
    });
    for (const FrequentistAnswer& one : answers) {
      z.push_back(one.null ? one.null->z : NAN);
      beyond += one.null && one.null->beyond ? 1 : 0;
      for (std::size_t l = 0; l < levels.size(); ++l) {
        upper[l].push_back(one.levels[l].upper);
        cls[l].push_back(one.levels[l].cls);
        length[l].push_back(total_length(one.levels[l].parts));
      }
    }
    step(static_cast<std::int64_t>(drawn.size()));
  });
  Expected out;
  out.theta = theta;
  out.sets = sets;
  out.z.fill(NAN);
  if (table_->null_node()) out.z = quantiles(z);
  out.beyond = beyond / static_cast<double>(sets);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    out.upper.push_back(quantiles(upper[l]));
    if (table_->reports_cls()) out.cls.push_back(quantiles(cls[l]));
    out.length.push_back(quantiles(length[l]));
  }
  return out;
}

CoveragePoint Frequentist::coverage(double theta, const std::vector<double>& psi, std::int64_t place, std::int64_t sets,
                                    std::int64_t measured, const std::vector<double>& levels,
                                    const std::function<bool()>& keep_going, const Step& step) const {
  CoveragePoint out;
  out.theta = theta;
  out.psi = psi;
  out.sets = sets;
  out.measured = std::min(measured, sets);
  for (const double level : levels) out.levels.push_back({.level = level});
  std::vector<std::vector<double>> lengths(levels.size());
  std::vector<double> cls_below(levels.size(), 0);
  std::int64_t done = 0;
  table_->simulate(theta, psi, place, sets, keep_going, [&](std::vector<ToyTable::ToySet> drawn) {
    struct Seen {
      double p = 0, p_upper = 0, cls = NAN;
      std::vector<double> lengths;
    };
    std::vector<Seen> seen(drawn.size());
    at::parallel_for(0, static_cast<std::int64_t>(drawn.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        SetTails tails(*this, drawn[k].x);
        const double ratio = drawn[k].curve.signed_ratio(theta);
        seen[k].p = tails.p(TestOrder::likelihood_ratio, theta, ratio);
        seen[k].p_upper = tails.p(TestOrder::upper_limit, theta, ratio);
        if (table_->reports_cls()) seen[k].cls = tails.cls(theta, ratio, seen[k].p_upper);
        if (done + static_cast<std::int64_t>(k) >= out.measured) continue;
        for (const ConfidenceLevel& one : answer(drawn[k].curve, drawn[k].x, levels).levels)
          seen[k].lengths.push_back(total_length(one.parts));
      }
    });
    for (const Seen& one : seen)
      for (std::size_t l = 0; l < levels.size(); ++l) {
        out.levels[l].covered += one.p >= 1 - levels[l] ? 1 : 0;
        out.levels[l].below += one.p_upper >= 1 - levels[l] ? 1 : 0;
        cls_below[l] += one.cls >= 1 - levels[l] ? 1 : 0;
        if (!one.lengths.empty()) lengths[l].push_back(one.lengths[l]);
      }
    done += static_cast<std::int64_t>(drawn.size());
    step(static_cast<std::int64_t>(drawn.size()));
  });
  for (std::size_t l = 0; l < levels.size(); ++l) {
    CoveragePoint::Level& level = out.levels[l];
    level.covered /= static_cast<double>(sets);
    level.below /= static_cast<double>(sets);
    if (table_->reports_cls()) level.cls_below = cls_below[l] / static_cast<double>(sets);
    if (lengths[l].empty()) continue;
    const MeanAndError length = mean_and_error(lengths[l]);
    level.length = length.mean;
    level.length_error = length.se;
  }
  return out;
}

}  // namespace pairs
