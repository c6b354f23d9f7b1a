#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/frequentist/toy_table.h"
#include "core/eval/calibration/neyman.h"
#include "core/nuisance_posterior.h"

namespace pairs {

// The nuisances of the toys that are compared with a set (docs/explanation/inference.md, "Frequentist answers").
enum class NuisanceChoice {
  prior,      // from the prior: coverage holds on average over the prior
  posterior,  // from p(ψ | θ, X): coverage holds approximately at every ψ
  worst,      // the worst case for the set: at least nominal coverage at every ψ
};
struct NuisanceWord {
  NuisanceChoice choice;
  const char *word, *meaning;
};
inline constexpr std::array<NuisanceWord, 3> kNuisanceWords = {
    {{NuisanceChoice::prior, "prior", "nuisances drawn from their prior at each θ"},
     {NuisanceChoice::posterior, "posterior", "nuisances drawn from their posterior, which uses the set twice"},
     {NuisanceChoice::worst, "worst", "nuisances under which the set is least extreme"}}};

// The levels reported by default.
inline constexpr std::array<double, 3> kUsualLevels = {0.6827, 0.9, 0.95};

// A confidence interval and an upper limit at one level.
struct ConfidenceLevel {
  double level = 0;
  std::vector<Interval> parts;  // of the interval; several if values between them are excluded
  double upper = NAN;           // never below the estimate
  double cls = NAN;             // the CL_s upper limit; NaN unless the null value lies below other values
  bool cls_blind = false;       // it is too high: no toy of the null value is as extreme as the set
};

// The test of the null value ("no signal") for a set.
struct NullTest {
  double theta = 0;
  bool one_sided = true;                // the null value is at a bound of the range
  double q = 0;                         // 2 ln(max L / L(θ)), or 0 if the estimate lies on the other side
  double p = 1, p_error = 0;            // from toys; with none beyond, one is counted
  bool beyond = false;                  // no toy is as extreme: p is an upper bound
  double z = 0, z_asymptotic = 0;       // in sigmas, from toys and as √q
  double exceed = 0, exceed_error = 0;  // the share of toys beyond the asymptotic 5 %; 0.05 if asymptotics hold
  std::int64_t toys = 0;
};

struct FrequentistAnswer {
  double estimate = 0;  // maximizes the marginal likelihood
  bool resolved = true;
  std::vector<ConfidenceLevel> levels;
  std::optional<NullTest> null;
  std::vector<double> grid, ratio, p, p_upper;  // 2 ln(max L / L(θ)) and p-values on θ
  std::vector<double> cls;                      // CL_s on the grid; empty unless the null value lies below others
};

// Expected results for sets simulated at one θ, as quantiles at kExpectedLevels.
inline constexpr std::array<double, 5> kExpectedLevels = {0.025, 0.16, 0.5, 0.84, 0.975};
struct Expected {
  double theta = 0;
  std::int64_t sets = 0;
  std::array<double, 5> z = {};                      // significance of the null value; NaN without one
  double beyond = 0;                                 // share of sets more extreme than every toy of the null value
  std::vector<std::array<double, 5>> upper, length;  // one row per level
  std::vector<std::array<double, 5>> cls;            // of CL_s limits; empty without them
};

// The coverage of confidence intervals at one θ and ψ.
struct CoveragePoint {
  double theta = 0;
  std::vector<double> psi;
  std::int64_t sets = 0, measured = 0;  // measured: sets with a measured interval length
  struct Level {
    double level = 0;
    double covered = 0, below = 0;            // shares of intervals that cover θ, and of upper limits at θ or above
    double cls_below = NAN;                   // share of CL_s limits at θ or above; NaN without them
    double length = NAN, length_error = NAN;  // means; NaN if none was measured
  };
  std::vector<Level> levels;
  // The intervals' deviation from the nominal level, in binomial standard errors.
  double deviation(const Level& one) const { return (one.covered - one.level) / binomial_error(one.level, sets); }
};

// Frequentist results from the toys of a table.
class Frequentist {
 public:
  // Throws Error if `choice` needs p(ψ | θ, X) of one nuisance and the task does not know it.
  Frequentist(std::shared_ptr<ToyTable> table, NuisanceChoice choice);
  // The default choice for a table: nuisances from p(ψ | θ, X) if the task knows it.
  static NuisanceChoice usual(const ToyTable& table);

  NuisanceChoice choice() const { return choice_; }
  ToyTable& table() const { return *table_; }

  // The results for the set x with this likelihood; levels ascend within (0, 1).
  FrequentistAnswer answer(const LikelihoodCurve& curve, const Observations& x,
                           const std::vector<double>& levels) const;
  // The results for a set whose ln p(θ | X) at θ [G, 1] float64 is `log_density` [G].
  FrequentistAnswer answer(const std::function<torch::Tensor(const torch::Tensor&)>& log_density, const Observations& x,
                           const std::vector<double>& levels) const;
  // The critical values of 2 ln(max L / L(θ)) for the set x at the table's nodes.
  std::vector<double> critical(const Observations& x, double level) const;

  using Step = std::function<void(std::int64_t sets)>;
  // Simulates `sets` at θ, with the plan's nuisances.
  Expected expected(double theta, std::int64_t place, std::int64_t sets, const std::vector<double>& levels,
                    const std::function<bool()>& keep_going, const Step& step) const;
  // Simulates `sets` at θ and ψ; lengths are of the first `measured`.
  CoveragePoint coverage(double theta, const std::vector<double>& psi, std::int64_t place, std::int64_t sets,
                         std::int64_t measured, const std::vector<double>& levels,
                         const std::function<bool()>& keep_going, const Step& step) const;

 private:
  class SetTails;
  NullTest null_test(const LikelihoodCurve& curve, SetTails& tails) const;

  std::shared_ptr<ToyTable> table_;
  NuisanceChoice choice_;
};

}  // namespace pairs
