#include "core/likelihood/refined_posterior.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/threads/one_thread.h"
#include "core/likelihood/coarsening.h"
#include "core/likelihood/pareto_smoothing.h"
#include "core/likelihood/sequential_sampler.h"

namespace pairs {
namespace {

using torch::Tensor;

constexpr std::int64_t kFirst = 512, kRound = 400;  // points of the first look, and of each round
constexpr std::int64_t kMostRounds = 15;
constexpr double kTurning = 10;       // effective samples of the prior that say where periodic parameters lie
constexpr double kTempered = 50;      // effective samples that a proposal is fitted to
constexpr double kGoodShare = 0.5;    // effective share of a round after which the proposal is good enough
constexpr double kFreedom = 5;        // of the t distributions
constexpr double kNarrower = 0.8;     // scale of a t distribution by the covariance of the points that it fits
constexpr std::uint64_t kTries = 6;   // final proposals at most, of which those after the second are for difficult sets
constexpr double kFairShare = 0.2;    // effective share of the final draws of a set that is not difficult
constexpr int kPooledRounds = 3;      // that fit a proposal to the mean of the members' posteriors
constexpr int kUntempered = 4;        // rounds at most once weights need no tempering
constexpr int kSteps = 15;            // of expectation and maximization
constexpr double kLeastShare = 0.01;  // of a part of a mixture
constexpr std::size_t kParts[] = {1, 2, 4, 8, 16, 32};
constexpr double kBroadPart = 0.25;           // share of the part of a mixture that covers all points
constexpr double kPerPart = 40;               // effective samples that a part needs
constexpr int kSingle = 5;                    // rounds of single distributions, however far their weights are tempered
constexpr double kTemperedMore = 200;         // effective samples that a mixture is fitted to
constexpr double kNegligible = 1e-8;          // weight, of the largest, of a point that is left out of a fit
constexpr double kDefensive = 0.1;            // share of the prior in the final proposal
constexpr std::int64_t kMostPairs = 1 << 20;  // of values and observations for which a density is evaluated itself
constexpr std::int64_t kFewestFirst = 32;     // points of the first look that have a density
constexpr double kLeastSum = 1e-300;          // of kernels, whose logarithm is then a number
constexpr std::int64_t kManyParameters = 5;   // from which on the first proposal is fitted to sequential samples
constexpr std::int64_t kExplorers = 400;      // of these
constexpr double kExplored = 1.0 / 6;         // accepted moves of each at each temperature, for each parameter
// What sequential sampling takes: temperatures at least and for each parameter, and the share of moves that are
// accepted. How much longer it may take, and its samples at least.
constexpr double kFewestTemperatures = 10, kTemperatures = 3, kUsuallyAccepted = 0.08, kOverrun = 2;
constexpr std::int64_t kFewestSequential = 100;
constexpr double kFewestMoves = 6;         // accepted moves of the final samples of that kind, each
constexpr std::size_t kExplorerParts = 8;  // most parts of that proposal
constexpr double kNowhere = -std::numeric_limits<double>::infinity();

// A multivariate t distribution in coordinates z with this mean and covariance.
class Student {
 public:
  Student(const Tensor& center, const Tensor& covariance) : mean_(center), covariance_(covariance) {
    root_ = at::linalg_cholesky(kNarrower * covariance);
    const auto d = static_cast<double>(mean_.numel());
    log_norm_ = std::lgamma(0.5 * (kFreedom + d)) - std::lgamma(0.5 * kFreedom) - 0.5 * d * std::log(kFreedom * M_PI) -
                root_.diagonal().log().sum().item<double>();
  }
  Tensor sample(std::int64_t count, at::Generator& generator) const {
    const Tensor normal = at::randn({count, mean_.numel()}, generator, at::TensorOptions(at::kDouble));
    // A χ² variable with kFreedom degrees, as a sum of squares.
    const Tensor square =
        at::randn({count, static_cast<std::int64_t>(kFreedom)}, generator, at::TensorOptions(at::kDouble))
            .square()
            .sum(1, true);
    return mean_ + at::matmul(normal, root_.t()) * (kFreedom / square).sqrt();
  }
  Tensor log_density(const Tensor& z) const {
    const Tensor white = at::linalg_solve_triangular(root_, (z - mean_).t(), false);
    const auto d = static_cast<double>(mean_.numel());
    return log_norm_ - 0.5 * (kFreedom + d) * at::log1p(white.square().sum(0) / kFreedom);
  }
  const Tensor& covariance() const { return covariance_; }
  // The margin of the first k coordinates.
  Student margin(std::int64_t k) const { return {mean_.slice(0, 0, k), covariance_.slice(0, 0, k).slice(1, 0, k)}; }

 private:
  Tensor mean_, covariance_, root_;  // [D], [D, D], [D, D] lower triangular
  double log_norm_ = 0;
};

// A mixture of t distributions.
struct Proposal {
  std::vector<Student> parts;
  std::vector<double> share;

  Tensor sample(std::int64_t count, at::Generator& generator) const {
    std::vector<Tensor> out;
    std::int64_t left = count;
    double rest = 1;
    for (std::size_t k = 0; k < parts.size() && left > 0; ++k) {
      const std::int64_t own =
          k + 1 == parts.size()
              ? left
              : std::min<std::int64_t>(left, std::llround(static_cast<double>(left) * share[k] / rest));
      rest -= share[k];
      left -= own;
      if (own > 0) out.push_back(parts[k].sample(own, generator));
    }
    return at::cat(out);
  }
  Tensor log_density(const Tensor& z) const {
    Tensor out;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Tensor one = parts[k].log_density(z) + std::log(share[k]);
      out = out.defined() ? at::logaddexp(out, one) : one;
    }
    return out;
  }
  // Tells for each draw z [S, k] of the first k coordinates the part that it most likely comes from.
  void describe(const Tensor& z, std::int64_t k, RefinedPosterior& out) const {
    const Proposal own = margin(k);
    std::vector<Tensor> logs;
    out.spreads.clear();
    for (std::size_t i = 0; i < own.parts.size(); ++i) {
      logs.push_back(own.parts[i].log_density(z) + std::log(own.share[i]));
      out.spreads.push_back(own.parts[i].covariance());
    }
    out.part = at::stack(logs).argmax(0);
  }
  Proposal margin(std::int64_t k) const {
    Proposal out;
    out.share = share;
    for (const Student& one : parts) out.parts.push_back(one.margin(k));
    return out;
  }
};

// Mean and covariance of weighted points, the latter kept regular.
std::pair<Tensor, Tensor> moments(const Tensor& z, const Tensor& weight) {
  const Tensor mean = at::matmul(weight, z), away = z - mean;
  const Tensor covariance = at::matmul((away * weight.unsqueeze(1)).t(), away);
  return {mean, covariance + 1e-10 * at::eye(mean.numel(), at::kDouble) + at::diag(1e-6 * covariance.diagonal())};
}

// Fits a mixture of `count` parts to weighted points by expectation and maximization, from centers that are far apart.
Proposal fitted_mixture(const Tensor& z, const Tensor& weight, std::size_t count, at::Generator& generator) {
  const auto [mean, covariance] = moments(z, weight);
  Proposal out{{Student(mean, covariance)}, {1}};
  if (count == 1) return out;
  // Centers: each is drawn by weight and by the squared distance from those before it (Arthur and Vassilvitskii 2007).
  const Tensor white = at::linalg_solve_triangular(at::linalg_cholesky(covariance), (z - mean).t(), false).t();
  Tensor near = at::full({z.size(0)}, HUGE_VAL, at::kDouble);
  std::vector<Tensor> centers;
  for (std::size_t k = 0; k < count; ++k) {
    const Tensor chance = (k == 0 ? weight : weight * near).clamp_min(0) + 1e-300;
    const Tensor pick = at::multinomial(chance / chance.sum(), 1, false, generator);
    centers.push_back(z.index_select(0, pick).squeeze(0));
    near = at::minimum(near, (white - white.index_select(0, pick)).square().sum(1));
  }
  const double narrow = std::pow(static_cast<double>(count), -2.0 / static_cast<double>(mean.numel()));
  out.parts.clear();
  for (const Tensor& center : centers) out.parts.emplace_back(center, std::max(narrow, 0.05) * covariance);
  out.share.assign(count, 1.0 / static_cast<double>(count));
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Tensor> logs;
    for (std::size_t k = 0; k < out.parts.size(); ++k)
      logs.push_back(out.parts[k].log_density(z) + std::log(out.share[k]));
    const Tensor own = at::softmax(at::stack(logs), 0) * weight;  // [K, S]
    Proposal next;
    double kept = 0;
    for (std::size_t k = 0; k < out.parts.size(); ++k) {
      const Tensor row = own[static_cast<std::int64_t>(k)];
      const double share = row.sum().item<double>();
      const double points = share * share / std::max(row.square().sum().item<double>(), 1e-300);
      if (share < kLeastShare || points < 2.0 * static_cast<double>(mean.numel())) continue;  // a part of few points
      const auto [center, spread] = moments(z, row / share);
      next.parts.emplace_back(center, spread);
      next.share.push_back(share);
      kept += share;
    }
    if (next.parts.empty()) break;
    for (double& one : next.share) one /= kept;
    out = std::move(next);
  }
  // One part covers all of the points, so that no weight is very large between or around the others.
  for (double& one : out.share) one *= 1 - kBroadPart;
  out.parts.emplace_back(mean, covariance);
  out.share.push_back(kBroadPart);
  return out;
}

// log p(X | z)^power from `likelihood` [S, 1 + members]: that of all members together; or, given the log of the
// integral of each member's, [members], the density of which each member's posterior is an equal part, but for the
// prior.
Tensor combined(const Tensor& likelihood, const Tensor& evidences, double power) {
  if (!evidences.defined()) return power * likelihood.select(1, 0);
  return at::logsumexp(power * likelihood.slice(1, 1) - evidences, 1) -
         std::log(static_cast<double>(evidences.numel()));
}

// Points that were evaluated: coordinates, log p(z) and log q(X | z).
struct Points {
  Tensor z, prior, likelihood;  // [S, D], [S], [S, 1 + members]; the prior of the posterior, with its ratio
};

class Refinement {
 public:
  Refinement(const UnnormalizedPosterior& posterior, const RefineOptions& options)
      : posterior_(posterior),
        options_(options),
        key_(stream_key(options.seed, Purpose::posterior)),
        generator_(at::detail::createCPUGenerator(key_)) {}

  RefinedPosterior run() {
    look();
    const bool explored = all_.z.size(1) >= kManyParameters && explore();
    // Single distributions until their weights need no tempering, then a few mixtures where one does not suffice.
    int untempered = 0;
    for (int round = 0; round < kMostRounds && untempered < kUntempered; ++round) {
      const Proposal proposal = fitted(explored || untempered >= 2 || round >= kSingle);
      const std::int64_t before = all_.z.size(0);
      add(evaluate(proposal.sample(kRound, generator_)), proposal);
      const Tensor last = target(all_).slice(0, before) - proposal.log_density(all_.z.slice(0, before));
      if (temper_ == 1 && share(last) > kGoodShare) break;
      untempered += temper_ == 1;
    }
    RefinedPosterior out = best(0);
    if (out.members > kMostMembers && out.members <= kMostApart) {
      // Where the members' posteriors are apart, their mean says how uncertain the likelihood is.
      const double apart = out.members;
      for (int round = 0; round < kPooledRounds; ++round) {
        evidences_ = at::logsumexp(
            all_.prior.unsqueeze(1) + posterior_.power * all_.likelihood.slice(1, 1) - mixture_.unsqueeze(1), 0);
        const Proposal proposal = fitted(true);
        add(evaluate(proposal.sample(kRound, generator_)), proposal);
      }
      out = best(kTries);
      out.members = apart;
      out.evidences = evidences_;
    }
    if (options_.sequential_pairs > 0 && !trusted(out))
      if (std::optional<RefinedPosterior> steps = sequential()) out = *std::move(steps);
    out.refused = refusal(out);
    return out;
  }

 private:
  static bool trusted(const RefinedPosterior& out) {
    return out.shape <= kMostShape && out.effective >= kLeastEffective && out.halves <= kMostHalves;
  }

  TemperedTarget tempered() {
    return {posterior_.prior_samples, [this](const Tensor& z) {
              const Points points = evaluate(z);
              const Tensor ratio = posterior_.log_ratio ? posterior_.log_ratio(z) : at::zeros_like(points.prior);
              // Under another prior the samples begin with the training's, and its ratio is part of the factor.
              const Tensor prior = at::where(points.prior.isfinite(), points.prior - ratio, points.prior);
              return at::stack({prior, ratio + combined(points.likelihood, evidences_, posterior_.power)}, 1);
            }};
  }

  // A first proposal from samples that keep all modes. Whether there is one.
  bool explore() {
    SequentialSamples found;
    try {
      found = sequential_samples(
          tempered(),
          {.particles = kExplorers, .moves = kExplored * static_cast<double>(all_.z.size(1)), .key = key_ + 100});
    } catch (const Error&) {
      return false;  // what follows needs no such start
    }
    const Tensor weight = at::full({kExplorers}, 1.0 / static_cast<double>(kExplorers), at::kDouble);
    const Proposal proposal = mixture_of(found.z, weight, kExplorerParts);
    add(evaluate(proposal.sample(kRound, generator_)), proposal);
    return true;
  }

  // Two samplings by sequential Monte Carlo, as halves; none if that is impossible, or would take too long.
  std::optional<RefinedPosterior> sequential() {
    const auto parameters = static_cast<double>(all_.z.size(1));
    const double moves = std::max(kFewestMoves, parameters),
                 most = options_.sequential_pairs / static_cast<double>(posterior_.observations),
                 each_takes = (kFewestTemperatures + kTemperatures * parameters) * moves / kUsuallyAccepted;
    const std::int64_t each =
        std::min(options_.draws / 4, static_cast<std::int64_t>(most / each_takes / 4)) * 2;  // even
    if (each < kFewestSequential) return std::nullopt;
    double evaluations = 0;
    TemperedTarget target = tempered();
    target.log = [&, log = target.log](const Tensor& z) {
      evaluations += static_cast<double>(z.size(0));
      PAIRS_CHECK(evaluations < kOverrun * most, "sequential sampling takes too long");
      return log(z);
    };
    std::vector<SequentialSamples> halves;
    try {
      for (std::uint64_t k = 0; k < 2; ++k)
        halves.push_back(
            sequential_samples(tempered(), {.particles = each,
                                            .moves = std::max(kFewestMoves, static_cast<double>(all_.z.size(1))),
                                            .key = key_ + 200 + k}));
    } catch (const Error&) {
      return std::nullopt;
    }
    const Tensor z = at::stack({halves[0].z, halves[1].z}, 1).flatten(0, 1);  // halves take turns
    const Points points = evaluate(z);
    const auto count = static_cast<double>(z.size(0));
    RefinedPosterior out;
    out.sequential = true;
    out.shape = NAN;
    out.log_normalizer =
        at::logsumexp(torch::tensor({halves[0].log_normalizer, halves[1].log_normalizer}, torch::kFloat64), 0)
            .item<double>() -
        M_LN2;
    // What the likelihood is beyond that of the posterior.
    const Tensor own_log = combined(points.likelihood, evidences_, posterior_.power),
                 rest = points.likelihood.select(1, 0) - own_log;
    const auto mean_of = [&](const Tensor& logs) { return at::logsumexp(logs, 0).item<double>() - std::log(count); };
    out.log_evidence = out.log_normalizer + mean_of(rest);
    out.log_evidence_se =
        std::hypot(0.5 * (halves[0].log_normalizer - halves[1].log_normalizer),
                   std::sqrt(std::max(at::softmax(rest, 0).square().sum().item<double>() - 1 / count, 0.0)));
    if (points.likelihood.size(1) > 1) {
      const Tensor own =
          at::logsumexp(rest.unsqueeze(1) + points.likelihood.slice(1, 1) - points.likelihood.slice(1, 0, 1), 0);
      out.log_evidence_range = (own.max() - own.min()).item<double>();
    }
    out.weight = at::full({z.size(0)}, 1 / count, at::kDouble);
    out.evidences = evidences_;
    describe(z, points, own_log, out);
    // Not more than the difference of both halves' means allows, of which there are few.
    const Tensor apart =
        (out.theta.slice(0, 0, std::nullopt, 2).mean(0) - out.theta.slice(0, 1, std::nullopt, 2).mean(0)) /
        out.sd.clamp_min(1e-300);
    out.effective = static_cast<double>(posterior_.targets + 1) /
                    (0.25 * apart.square().sum().item<double>() + 1 / (halves[0].effective + halves[1].effective));
    out.effective = std::min(out.effective, halves[0].effective + halves[1].effective);
    mixture_of(z, out.weight, kExplorerParts).describe(z.slice(1, 0, posterior_.targets), posterior_.targets, out);
    return out;
  }

  // The best of a few final proposals; `first` numbers their random numbers.
  RefinedPosterior best(std::uint64_t first) {
    RefinedPosterior out = finish(fitted(true), first);
    // What the final proposal missed is among its own draws: another is fitted to these, too.
    for (std::uint64_t again = 1; again < kTries && !fair(out); ++again) {
      RefinedPosterior next = finish(fitted(true), first + again);
      if (!(next.shape > kMostShape && out.shape <= kMostShape) && !(next.effective < out.effective)) out = next;
    }
    return out;
  }

  Tensor target(const Points& points) const {
    return points.prior + combined(points.likelihood, evidences_, posterior_.power);
  }

  bool fair(const RefinedPosterior& out) const {
    return out.shape <= kMostShape && out.effective >= kLeastEffective &&
           out.effective >= kFairShare * static_cast<double>(options_.draws);
  }

  // Log densities of points, -infinity outside the range of the coordinates.
  Points evaluate(const Tensor& z) {
    if (options_.keep_going && !options_.keep_going()) throw Stopped();
    one_thread_.reset();  // networks use all threads, and the small matrices of everything else only one
    Points out{z, posterior_.log_prior(z), posterior_.log_likelihood(z)};
    if (posterior_.log_ratio) out.prior += posterior_.log_ratio(z);
    one_thread_.emplace();
    const Tensor outside = (z.abs() > ParameterSpace::kMost).any(1);
    out.prior = at::where(outside.logical_or(out.prior.isfinite().logical_not()), at::full({}, kNowhere, at::kDouble),
                          out.prior);
    out.likelihood = at::nan_to_num(out.likelihood, -1e300, -1e300, -1e300);
    return out;
  }

  // The first points: samples of the prior, half of them with the targets of the other posterior where there is one.
  void look() {
    const Tensor prior = posterior_.prior_samples(kFirst, key_ + 1);
    Tensor z = prior;
    if (options_.start.defined() && options_.start.size(0) > 0) {
      const std::int64_t d = options_.start.size(1), half = kFirst / 2;
      const Tensor pick = at::randint(options_.start.size(0), {half}, generator_, at::TensorOptions(at::kLong));
      const Tensor theta = posterior_.space.coordinates(options_.start.index_select(0, pick));
      z = at::cat({prior.slice(0, 0, half), at::cat({theta, prior.slice(0, half).slice(1, d)}, 1)});
    }
    all_ = evaluate(z);
    mixture_ = posterior_.log_prior(z) + std::log(static_cast<double>(kFirst));
    PAIRS_CHECK(!posterior_.log_ratio || at::isfinite(target(all_)).sum().item<std::int64_t>() >= kFewestFirst,
                "none of its first samples lies where that prior has a density");
    PAIRS_CHECK(
        at::isfinite(target(all_)).any().item<bool>() && all_.likelihood.select(1, 0).max().item<double>() > -1e299,
        "The learned likelihood of this set is nowhere a number: look for values that simulations do not have");
  }

  // Adds points of a proposal, and its density to the mixture that all points were drawn from.
  void add(const Points& more, const Proposal& proposal) {
    const double log_draws = std::log(static_cast<double>(more.z.size(0)));
    // The prior's samples, and every proposal so far, at the new points.
    Tensor own = posterior_.log_prior(more.z) + std::log(static_cast<double>(kFirst));
    proposals_.emplace_back(proposal, log_draws);
    for (const auto& [one, draws] : proposals_) own = at::logaddexp(own, one.log_density(more.z) + draws);
    mixture_ = at::cat({at::logaddexp(mixture_, proposal.log_density(all_.z) + log_draws), own});
    all_ = {at::cat({all_.z, more.z}), at::cat({all_.prior, more.prior}), at::cat({all_.likelihood, more.likelihood})};
  }

  static Tensor normalized(const Tensor& log_weight) { return at::softmax(log_weight, 0); }
  static double share(const Tensor& log_weight) {
    const Tensor weight = normalized(log_weight);
    return 1 / (weight.square().sum().item<double>() * static_cast<double>(weight.numel()));
  }

  // A proposal that fits all points, whose weights are tempered until enough of them count.
  Proposal fitted(bool mixtures) {
    const Tensor log_weight = target(all_) - mixture_;
    const auto effective = [&](double power) {
      return 1 / normalized(power * log_weight).square().sum().item<double>();
    };
    double low = 0, high = 1;
    const double wanted = mixtures ? kTemperedMore : kTempered;
    if (effective(1) >= wanted) {
      temper_ = 1;
    } else {
      for (int step = 0; step < 40; ++step) {
        const double middle = 0.5 * (low + high);
        (effective(middle) >= wanted ? low : high) = middle;
      }
      temper_ = low;
    }
    // Points of no weight say nothing to a fit.
    const Tensor every = normalized(temper_ * log_weight);
    const Tensor kept = (every > kNegligible * every.max()).nonzero().squeeze(1);
    const Tensor weight = every.index_select(0, kept), z = all_.z.index_select(0, kept);
    const double points = effective(temper_);
    return mixture_of(z, weight, mixtures ? static_cast<std::size_t>(points / kPerPart) : 1);
  }

  // The mixture of at most `most` parts that describes the other half of the points best.
  Proposal mixture_of(const Tensor& z, const Tensor& weight, std::size_t most_parts) {
    const Tensor even = at::remainder(at::arange(weight.numel(), at::kDouble), 2), half = weight * even,
                 other = weight * (1 - even);
    std::size_t best = 1;
    double most = -HUGE_VAL;
    for (const std::size_t count : kParts) {
      if (count > 1 && count > most_parts) break;
      if (!(half.sum().item<double>() > 0)) break;  // a single point
      const double score =
          at::dot(other, fitted_mixture(z, half / half.sum(), count, generator_).log_density(z)).item<double>();
      if (!(score > most)) continue;
      most = score;
      best = count;
    }
    return fitted_mixture(z, weight / weight.sum(), best, generator_);
  }

  RefinedPosterior finish(const Proposal& proposal, std::uint64_t attempt) {
    const std::int64_t targets = posterior_.targets;
    const std::int64_t broad = std::llround(kDefensive * static_cast<double>(options_.draws));
    const Tensor z = at::cat(
        {proposal.sample(options_.draws - broad, generator_), posterior_.prior_samples(broad, key_ + 2 + attempt)});
    // Halves take turns among the draws of either part.
    const Points points = evaluate(z);
    const Tensor drawn = at::logaddexp(proposal.log_density(z) + std::log(1 - kDefensive),
                                       posterior_.log_prior(z) + std::log(kDefensive));
    const Tensor log_weight = target(points) - drawn;
    add(points, proposal);
    const SmoothedWeights smoothed = pareto_smoothed(doubles(log_weight));
    RefinedPosterior out;
    out.shape = smoothed.shape;
    const auto mean_weight = [&](const Tensor& logs) {
      return at::logsumexp(logs, 0).item<double>() - std::log(static_cast<double>(logs.numel()));
    };
    out.log_normalizer = mean_weight(log_weight);
    out.effective = effective_samples(smoothed.weight);
    const Tensor by_members = points.prior.unsqueeze(1) + points.likelihood - drawn.unsqueeze(1);
    out.log_evidence = mean_weight(by_members.select(1, 0));
    // Without the power, by which the smoothed weights are.
    const double effective =
        posterior_.power == 1 ? out.effective : effective_samples(doubles(at::softmax(by_members.select(1, 0), 0)));
    out.log_evidence_se = std::sqrt(std::max(1 / effective - 1 / static_cast<double>(z.size(0)), 0.0));
    if (by_members.size(1) > 1) {
      const Tensor own = at::logsumexp(by_members.slice(1, 1), 0);
      out.log_evidence_range = (own.max() - own.min()).item<double>();
    }
    out.weight = torch::tensor(smoothed.weight, torch::kFloat64);
    describe(z, points, drawn - points.prior, out);
    proposal.describe(z.slice(1, 0, targets), targets, out);
    if (posterior_.normal_prior)
      out.drawn_from = [margin = proposal.margin(targets)](const Tensor& z) {
        const Tensor normal = -(0.5 * z.square() + 0.5 * std::log(2 * M_PI)).sum(1);
        return at::logaddexp(margin.log_density(z) + std::log(1 - kDefensive), normal + std::log(kDefensive));
      };
    return out;
  }

  // Fills what follows from samples z [S, D] of these weights: values, moments, the shifts between halves and between
  // members, and the density of all parameters. The samples were drawn from the prior times exp(beside) [S].
  void describe(const Tensor& z, const Points& points, const Tensor& beside, RefinedPosterior& out) const {
    const std::int64_t targets = posterior_.targets;
    out.power = posterior_.power;
    out.space = std::make_shared<const ParameterSpace>(posterior_.space);
    const Tensor values = posterior_.space.in_range(posterior_.space.values(z), out.weight);
    out.theta = values.slice(1, 0, targets).contiguous();
    out.psi = values.slice(1, targets).contiguous();
    out.mean = at::matmul(out.weight, out.theta);
    out.sd = at::matmul(out.weight, (out.theta - out.mean).square()).sqrt();
    const auto mean_by = [&](const Tensor& weight) { return at::matmul(weight / weight.sum(), out.theta); };
    const Tensor even = at::remainder(at::arange(z.size(0), at::kDouble), 2);
    const auto shift = [&](const Tensor& a, const Tensor& b) {
      return ((a - b).abs() / out.sd.clamp_min(1e-300)).max().item<double>();
    };
    out.halves = shift(mean_by(out.weight * even), mean_by(out.weight * (1 - even)));
    for (std::int64_t a = 1; a < points.likelihood.size(1); ++a)
      for (std::int64_t b = 1; b < a; ++b) {
        const auto by = [&](std::int64_t k) {
          return mean_by(
              torch::tensor(pareto_smoothed(doubles(posterior_.power * points.likelihood.select(1, k) - beside)).weight,
                            torch::kFloat64));
        };
        out.members = std::max(out.members, shift(by(a), by(b)));
      }
    if (targets == z.size(1))
      out.log_density = [prior = posterior_.log_prior, ratio = posterior_.log_ratio,
                         likelihood = posterior_.log_likelihood, evidences = evidences_, power = posterior_.power,
                         normalizer = out.log_normalizer](const Tensor& at) {
        const Tensor log = prior(at) + combined(likelihood(at), evidences, power) - normalizer;
        return ratio ? log + ratio(at) : log;
      };
  }

  static std::string refusal(const RefinedPosterior& out) {
    if (!out.sequential && !(out.shape <= kMostShape))
      return fmt::format("its importance weights are not reliable (Pareto k = {:.2f}, which must not exceed {})",
                         out.shape, kMostShape);
    if (!(out.effective >= kLeastEffective))
      return fmt::format("only {:.0f} of its samples are effective, and it needs {:.0f}", out.effective,
                         kLeastEffective);
    if (!(out.halves <= kMostHalves))
      return fmt::format("two halves of its samples differ by {:.2f} standard deviations, and {} is the most",
                         out.halves, kMostHalves);
    if (!(out.members <= kMostApart))
      return fmt::format(
          "the posteriors of its networks differ by {:.2f} standard deviations, and {} is the most: such sets are rare "
          "in its training, or it was too brief (more --steps begin anew, in an empty folder)",
          out.members, kMostApart);
    return "";
  }

  const UnnormalizedPosterior& posterior_;
  const RefineOptions& options_;
  std::uint64_t key_;
  at::Generator generator_;
  Points all_;
  std::vector<std::pair<Proposal, double>> proposals_;  // with the logarithms of their draws
  Tensor mixture_;    // log of the sum of all proposals' densities times their draws, at all points
  Tensor evidences_;  // of the members, once their posteriors are averaged
  double temper_ = 0;
  std::optional<OneThread> one_thread_{std::in_place};
};

}  // namespace

RefinedPosterior refine(const UnnormalizedPosterior& posterior, const RefineOptions& options) {
  const at::NoGradGuard no_grad;
  return Refinement(posterior, options).run();
}

namespace {

// The space of the likelihood's parameters, of which periodic ones are cut open opposite of where the posterior lies:
// samples of the prior are weighted by the likelihood, tempered until enough of them count.
ParameterSpace turned_space(const LearnedLikelihood& likelihood, const Tensor& rows, const Tensor& given,
                            const RefineOptions& options) {
  if (!likelihood.space().any_periodic()) return likelihood.space();
  Tensor z = likelihood.prior_samples(kFirst, given, stream_key(options.seed, Purpose::posterior) + 1);
  if (options.start.defined() && options.start.size(0) > 0) {
    const std::int64_t d = options.start.size(1), half = std::min(options.start.size(0), kFirst / 2);
    z = at::cat(
        {at::cat({likelihood.space().coordinates(options.start.slice(0, 0, half)), z.slice(0, 0, half).slice(1, d)}, 1),
         z.slice(0, half)});
  }
  const Tensor log =
      at::nan_to_num(likelihood.log_likelihood(z, rows, given, options.keep_going, options.contamination).select(1, 0),
                     -1e300, -1e300, -1e300);
  const auto weights = [&](double power) { return at::softmax(power * log, 0); };
  double low = 0, high = 1;
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    (1 / weights(middle).square().sum().item<double>() >= kTurning ? low : high) = middle;
  }
  return likelihood.space().turned(z, weights(low));
}

}  // namespace

RefinedPosterior refine(const LearnedLikelihood& likelihood, std::int64_t targets, const Tensor& x, const Tensor& given,
                        const RefineOptions& options) {
  PAIRS_CHECK(x.size(0) >= 1, "A refined posterior needs an observation at least");
  likelihood.check(x);
  const Tensor rows = likelihood.standardized(x);
  const ParameterSpace space = turned_space(likelihood, rows, given, options);
  const auto log_prior = [&likelihood, space, given](const Tensor& z) {
    if (!space.any_periodic()) return likelihood.log_prior(z, given);
    // Levels are turned without a change of their density, from that of one normal coordinate to that of another.
    const Tensor own = space.turn_out(z);
    return likelihood.log_prior(own, given) + 0.5 * (own.square() - z.square()).sum(1);
  };
  const auto log_likelihood = [&likelihood, space, rows, given, contamination = options.contamination](
                                  const Tensor& z, const std::function<bool()>& keep_going) {
    return likelihood.log_likelihood(space.any_periodic() ? space.turn_out(z) : z, rows, given, keep_going,
                                     contamination);
  };
  std::function<Tensor(const Tensor&)> log_ratio;
  if (options.log_ratio)
    log_ratio = [space, targets, ratio = options.log_ratio](const Tensor& z) {
      return ratio(space.values(z).slice(1, 0, targets));
    };
  const double power = coarsened_power(likelihood.coarsening(), x.size(0));
  RefinedPosterior out = refine({log_prior, [&](const Tensor& z) { return log_likelihood(z, options.keep_going); },
                                 [&](std::int64_t count, std::uint64_t key) {
                                   const Tensor z = likelihood.prior_samples(count, given, key);
                                   return space.any_periodic() ? space.turn_in(z) : z;
                                 },
                                 space, targets, !likelihood.prior_network_used(), log_ratio, power, x.size(0)},
                                options);
  out.observations = x.size(0);
  // The density outlives this call, and with it whoever may stop the call.
  if (out.log_density)
    out.log_density = [log_prior, log_likelihood, log_ratio, evidences = out.evidences, power,
                       normalizer = out.log_normalizer](const Tensor& at) {
      const Tensor log = log_prior(at) + combined(log_likelihood(at, {}), evidences, power) - normalizer;
      return log_ratio ? log + log_ratio(at) : log;
    };
  out.log_evidence += likelihood.log_slope(x);
  return out;
}

RefinedDensity::RefinedDensity(const RefinedPosterior& posterior)
    : space_(*posterior.space),
      drawn_from_(posterior.drawn_from),
      exact_(posterior.log_density),
      observations_(posterior.observations) {
  const Tensor z = space_.coordinates(posterior.theta);
  const auto d = static_cast<double>(z.size(1));
  const Tensor mean = at::matmul(posterior.weight, z), away = z - mean;
  const Tensor covariance =
      at::matmul((away * posterior.weight.unsqueeze(1)).t(), away) + 1e-12 * at::eye(z.size(1), at::kDouble);
  const Tensor log_weight = posterior.weight.clamp_min(1e-300).log();
  const auto add = [&](const Tensor& centers, const Tensor& spread, const Tensor& logs, double points, bool shrunk) {
    // Silverman's bandwidth.
    const double h = std::pow(points * (d + 2) / 4, -1 / (d + 4)), shrink = shrunk ? 1 / std::sqrt(1 + h * h) : 1;
    const Tensor root = shrink * h * at::linalg_cholesky(spread);
    const Tensor whiten = at::linalg_inv(root);
    groups_.push_back({at::matmul(shrunk ? mean + shrink * (centers - mean) : centers, whiten.t()), whiten, logs,
                       -0.5 * d * std::log(2 * M_PI) - root.diagonal().log().sum().item<double>()});
  };
  if (!drawn_from_) {
    add(z, covariance, log_weight, posterior.effective, true);
    return;
  }
  for (std::size_t k = 0; k < posterior.spreads.size(); ++k) {
    const Tensor own = (posterior.part == static_cast<std::int64_t>(k)).nonzero().squeeze(1);
    if (own.numel() == 0) continue;
    // A part may be broader than what it holds of the posterior.
    add(z.index_select(0, own), posterior.spreads[k] + 1e-12 * at::eye(z.size(1), at::kDouble),
        log_weight.index_select(0, own), static_cast<double>(own.numel()), false);
  }
  // The mean of the regression over the draws is the density's integral.
  const Tensor ratio = in_coordinates(z) - drawn_from_(z);
  log_norm_ = std::log(static_cast<double>(z.size(0))) - at::logsumexp(ratio, 0).item<double>();
}

Tensor RefinedDensity::in_coordinates(const Tensor& z) const {
  std::vector<Tensor> parts, half_squares, weights;
  for (const Kernels& one : groups_) {
    half_squares.push_back(-0.5 * one.centers.square().sum(1));
    weights.push_back(at::stack({one.log_weight.exp(), at::ones_like(one.log_weight)}, 1));
  }
  constexpr std::int64_t kAtOnce = 128;  // rows whose kernels stay in the cache
  for (std::int64_t first = 0; first < z.size(0); first += kAtOnce) {
    const Tensor some = z.slice(0, first, std::min(first + kAtOnce, z.size(0)));
    std::vector<Tensor> weighted, all;
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      const Kernels& one = groups_[k];
      const Tensor white = at::matmul(some, one.whiten.t());
      // -|a - b|²/2 of all pairs, less that of the nearest, and the sums of their exponentials with and without
      // weights.
      Tensor kernel = at::addmm(half_squares[k], white, one.centers.t());
      kernel.sub_(0.5 * white.square().sum(1, true));
      const Tensor nearest = at::amax(kernel, 1, true);
      const Tensor sums = at::matmul(kernel.sub_(nearest).exp_(), weights[k]).clamp_min_(kLeastSum).log_();
      const Tensor log = nearest.squeeze(1) + one.log_norm;
      weighted.push_back(sums.select(1, 0) + log);
      if (drawn_from_) all.push_back(sums.select(1, 1) + log);
    }
    Tensor log = at::logsumexp(at::stack(weighted), 0);
    if (drawn_from_) log = log - at::logsumexp(at::stack(all), 0);
    parts.push_back(log);
  }
  const Tensor log = at::cat(parts);
  return (drawn_from_ ? log + drawn_from_(z) : log) + log_norm_;
}

Tensor RefinedDensity::log_density(const Tensor& theta) const {
  const Tensor z = space_.coordinates(theta);
  const bool known = exact_ && z.size(0) * observations_ <= kMostPairs;
  return (known ? exact_(z) : in_coordinates(z)) + space_.log_slope(theta);
}

Tensor resampled(const RefinedPosterior& posterior, std::int64_t count, std::uint64_t seed) {
  Stream stream(stream_key(seed, Purpose::posterior), 2);
  const Tensor total = posterior.weight.cumsum(0);
  // Systematic resampling, then in random order.
  const double offset = stream.uniform64(), all = total[-1].item<double>();
  const Tensor levels = (at::arange(count, at::kDouble) + offset) * (all / static_cast<double>(count));
  const Tensor which = at::searchsorted(total, levels).clamp_max(posterior.weight.numel() - 1);
  at::Generator generator = at::detail::createCPUGenerator(stream.bits64());
  const Tensor order = at::randperm(count, generator, at::TensorOptions(at::kLong));
  return posterior.theta.index_select(0, which.index_select(0, order));
}

}  // namespace pairs
