#pragma once

#include <memory>
#include <span>

#include "core/task.h"

namespace pairs::bump_hunt {

// Exact posteriors refuse events beyond this: no part of the model can explain them.
inline constexpr double farthest_event = 100.0;
inline constexpr double signal_sd = 0.1, background_sd = 1.0, psi_mean = 1.0, psi_sd = 2.0;

// The likelihood of the events that the posterior uses (docs/explanation/tasks.md, "Bump hunt").
enum class Likelihood {
  exact,      // the joint likelihood: ∫ p(ψ) Π p(x_i | θ, ψ) dψ
  naive,      // Π ∫ p(ψ) p(x_i | θ, ψ) dψ: each event marginalizes ψ separately
  per_event,  // the joint likelihood of each event's score p_s(x) / p_b(x) under the marginal signal density p_s = N(1,
              // √4.01): the score loses the sign of x − x₀, x₀ = −1/3.01, so that ψ is known only up to a reflection
};

// The range of ψ to consider, given events: six sd around its prior's mean, and around each event as far as the signal
// is not negligible, also around its mirror image with the same score (Likelihood::per_event).
struct PlaceRange {
  double low, high;
};
PlaceRange places_of(std::span<const double> events);
// Throws Error if an event is not finite or beyond farthest_event.
void check_event(double x);

// Posterior of θ given a set of events: Gauss-Legendre in θ (exact, because the likelihood is a polynomial of degree N)
// and the trapezoid rule in ψ on 1 ± 12, extended if events lie beyond (exponentially convergent). θ = 1 is replaced by
// 1 − 1e-15. Events in float32 or float64.
std::unique_ptr<ReferencePosterior> make_posterior(Likelihood likelihood);

// The exact posterior of fraction and place jointly, or of one with the other integrated out, with the same
// quadratures.
struct Choice {
  bool theta = true, psi = true;  // at least one
};
std::unique_ptr<ReferencePosterior> make_posterior_of(Choice choice);

}  // namespace pairs::bump_hunt
