#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/toy_table.h"
#include "core/eval/neyman.h"
#include "core/nuisance_posterior.h"

namespace pairs {

// With which nuisances toys are compared with a set (docs/method.md, "Frequentist answers").
enum class NuisanceChoice {
  prior,      // those of the prior: an interval holds θ at its level on average over it
  posterior,  // those that the set leaves possible, p(ψ | θ, X): nearly its level at every ψ
  worst,      // those under which the set is least extreme: its level or more at every ψ
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

// An interval of confidence at one level, and the upper limit at the same.
struct ConfidenceLevel {
  double level = 0;
  std::vector<Interval> parts;  // of the interval, one but where values between are excluded
  double upper = NAN;           // never below the estimate
  double cls = NAN;             // the upper limit by CL_s; NaN where there is no null value below other values
  bool cls_blind = false;       // it is too high: beyond some value no toy of the null value is as extreme as the set
};

// How well "nothing there" explains a set.
struct NullTest {
  double theta = 0;
  bool one_sided = true;                // the null value lies at an end of the range
  double q = 0;                         // 2 ln(max L / L(θ)), and 0 where the estimate lies on the other side
  double p = 1, p_error = 0;            // by toys, which with none beyond count one
  bool beyond = false;                  // no toy is as extreme: p is an upper bound
  double z = 0, z_asymptotic = 0;       // in sigmas, by toys and as √q
  double exceed = 0, exceed_error = 0;  // the share of toys beyond the asymptotic 5 %, which where it holds is 0.05
  std::int64_t toys = 0;
};

struct FrequentistAnswer {
  double estimate = 0;  // the value of the highest marginal likelihood
  bool resolved = true;
  std::vector<ConfidenceLevel> levels;
  std::optional<NullTest> null;
  std::vector<double> grid, ratio, p, p_upper;  // 2 ln(max L / L(θ)) and p-values on θ
  std::vector<double> cls;                      // CL_s there; empty where there is no null value below other values
};

// Expected results of sets simulated at one θ. Quantiles are those of kExpectedLevels.
inline constexpr std::array<double, 5> kExpectedLevels = {0.025, 0.16, 0.5, 0.84, 0.975};
struct Expected {
  double theta = 0;
  std::int64_t sets = 0;
  std::array<double, 5> z = {};                      // significance of the null value; NaN without one
  double beyond = 0;                                 // the share of sets that no toy of the null value is as extreme as
  std::vector<std::array<double, 5>> upper, length;  // a row a level
  std::vector<std::array<double, 5>> cls;            // of limits by CL_s; empty where there are none
};

// How often sets of confidence hold the true θ at one θ and ψ.
struct CoveragePoint {
  double theta = 0;
  std::vector<double> psi;
  std::int64_t sets = 0, measured = 0;  // measured: of which the lengths are
  struct Level {
    double level = 0;
    double covered = 0, below = 0;            // shares: of intervals, and of upper limits that lie at θ or above
    double cls_below = NAN;                   // the same of limits by CL_s; NaN where there are none
    double length = NAN, length_error = NAN;  // means; NaN where none was measured
  };
  std::vector<Level> levels;
  // Of intervals from the nominal level, in binomial standard errors of that.
  double deviation(const Level& one) const { return (one.covered - one.level) / binomial_error(one.level, sets); }
};

// Frequentist answers by the toys of a table.
class Frequentist {
 public:
  // Throws Error where the task does not know p(ψ | θ, X) of one nuisance and `choice` asks for it.
  Frequentist(std::shared_ptr<ToyTable> table, NuisanceChoice choice);
  // What suits a table where nobody chose: the nuisances that a set leaves possible, where the task knows these.
  static NuisanceChoice usual(const ToyTable& table);

  NuisanceChoice choice() const { return choice_; }
  ToyTable& table() const { return *table_; }

  // Of the set x with this likelihood; levels ascend within (0, 1).
  FrequentistAnswer answer(const LikelihoodCurve& curve, const Observations& x,
                           const std::vector<double>& levels) const;
  // The same of a set whose ln p(θ | X) at θ [G, 1] float64 is `log_density` [G].
  FrequentistAnswer answer(const std::function<torch::Tensor(const torch::Tensor&)>& log_density, const Observations& x,
                           const std::vector<double>& levels) const;
  // The critical values of 2 ln(max L / L(θ)) for the set x at the table's nodes.
  std::vector<double> critical(const Observations& x, double level) const;

  using Step = std::function<void(std::int64_t sets)>;
  // Of `sets` simulated at θ, with nuisances as the plan has them.
  Expected expected(double theta, std::int64_t place, std::int64_t sets, const std::vector<double>& levels,
                    const std::function<bool()>& keep_going, const Step& step) const;
  // Of `sets` simulated at θ and ψ; lengths are those of the first `measured`.
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
