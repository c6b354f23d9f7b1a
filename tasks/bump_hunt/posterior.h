#pragma once

#include <memory>
#include <span>

#include "core/task.h"

namespace pairs::bump_hunt {

// An event beyond is refused by everything exact: no part of the model can explain it.
inline constexpr double farthest_event = 100.0;
inline constexpr double signal_sd = 0.1, background_sd = 1.0, psi_mean = 1.0, psi_sd = 2.0;

// Which likelihood of the events the posterior is built on (docs/method.md, "Bump hunt").
enum class Likelihood {
  exact,      // the joint one: ∫ p(ψ) Π p(x_i | θ, ψ) dψ
  naive,      // Π ∫ p(ψ) p(x_i | θ, ψ) dψ: each event marginalises ψ alone
  per_event,  // the joint likelihood of each event's score p_s(x) / p_b(x) under the marginal signal density p_s =
              // N(1, √4.01): the score forgets the sign of x − x₀, x₀ = −1/3.01, so ψ is seen up to a reflection
};

// Where ψ may be, given events: six sd about its prior's mean, and about each event so far that the signal at the end
// is nothing, of its mirror image in the score of a single event (below), too.
struct PlaceRange {
  double low, high;
};
PlaceRange places_of(std::span<const double> events);
// Throws Error where an event is not finite or beyond farthest_event.
void check_event(double x);

// Posterior of θ given a set of events: Gauss-Legendre in θ (the likelihood is a polynomial of degree N: exact) and the
// trapezoid rule in ψ on 1 ± 12, and beyond where events lie there (exponentially convergent). θ = 1 is taken as
// 1 − 1e-15. Events in float32 or float64.
std::unique_ptr<ReferencePosterior> make_posterior(Likelihood likelihood);

// The exact posterior of fraction and place together, or of either with the other integrated out: the same quadratures.
struct Choice {
  bool theta = true, psi = true;  // one at least
};
std::unique_ptr<ReferencePosterior> make_posterior_of(Choice choice);

}  // namespace pairs::bump_hunt
