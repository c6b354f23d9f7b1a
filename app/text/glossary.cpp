#include "app/text/glossary.h"

#include <algorithm>

namespace pairs {
namespace {

// p is the exact posterior, q the network's; X = {x₁, …} a set of N observations, S the number of samples drawn of a
// posterior.
constexpr Term kTerms[] = {
    {"exact", "The true posterior of θ given the set: in closed form, or by quadrature over ψ.",
     "p(θ | X) ∝ p(θ) ∫ p(ψ) ∏ₙ p(xₙ | θ, ψ) dψ"},
    {"naive product",
     "What each observation says alone, multiplied as if each had a ψ of its own: another width than the exact, "
     "and with more observations around a wrong θ.",
     "∏ₙ p(θ | xₙ) / p(θ)^(N − 1) = p(θ) ∏ₙ ∫ p(ψ) p(xₙ | θ, ψ) dψ / const"},
    {"per-event classifier",
     "What is left when of each event only its ratio of signal to background is kept, the signal averaged over ψ.",
     "p(θ | s₁, …), sₙ = ∫ p(ψ) p(xₙ | signal, ψ) dψ / p(xₙ | background)"},
    {"truth", "The θ that the simulated set was made with; of a mesh or molecule of yours, what it tells of itself.",
     ""},
    {"observed", "The observations that the posterior is of.", ""},
    {"observations", "The observations of the set.", ""},
    {"simulated", "Sets simulated at draws of the posterior: 90 % of them lie in the band.", ""},
    {"mean", "Posterior mean.", "E[θ | X]"},
    {"sd", "Posterior standard deviation.", "√(E[θ² | X] − E[θ | X]²)"},
    {"50 %", "An interval that holds half of the posterior, of the kind chosen below.",
     "central: from its quantile 0.25 to its quantile 0.75"},
    {"90 %", "An interval that holds nine tenths of the posterior, of the kind chosen below.",
     "central: from its quantile 0.05 to its quantile 0.95"},
    {"KL", "How far a posterior is from the exact one for this set, summed over the plotted grid: zero is equal.",
     "KL(p ‖ q) = ∫ p(θ | X) log(p(θ | X) / q(θ | X)) dθ ≥ 0, in nat"},
    {"NLL", "Negative log-likelihood: how little density the posterior gives to the truth, averaged over test sets.",
     "NLL = mean of −log q(θ | X)"},
    {"gap", "How much of the NLL the exact posterior would save on the same test sets: zero is perfect.",
     "gap = mean of log p(θ | X) − log q(θ | X), whose expectation is E[KL(p ‖ q)] ≥ 0, in nat"},
    {"RMAE",
     "Relative mean absolute error of the posterior mean, R the width of the prior (unbounded: of its central 95 %).",
     "RMAE = mean of |E[θ | X] − θ| / R, over test sets and targets"},
    {"ACAUC",
     "Area between the coverage curve and the diagonal: how far credible intervals hold the truth more or less often "
     "than they promise.",
     "ACAUC = ∫ |c(α) − α| dα over α from 0 to 1, c(α) the share of truths inside the central interval of probability "
     "α"},
    {"coverage", "The share of truths inside the central credible interval of each probability.",
     "c(α) = share of test sets with |2 r − 1| ≤ α, r the rank of the truth"},
    {"rank", "Where the truth falls among samples of its posterior: even when the posterior is calibrated.",
     "r = k / S, k the number of the S samples below the truth"},
    {"location z", "Whether truths lie on one side of the posteriors.",
     "z = (mean of (k + ½) / (S + 1) − ½) / se, se ≈ √(1 / (12 sets))"},
    {"width z", "Whether truths lie farther out than the posteriors say (above zero: too narrow).",
     "z = (mean of |(k + ½) / (S + 1) − ½| − ¼) / se, se ≈ √(1 / (48 sets))"},
    {"rank p", "The p-value of even ranks.", "of χ² = Σ (count − expected)² / expected over at most 20 bins of ranks"},
    {"pool z", "The location beside what the finite pool of observations does by itself.",
     "z = (mean of (k + ½) / (S + 1) − ½) / √(se² of the sets + se² of the pool)"},
    {"noise", "Where a calibrated posterior stays in 95 % of evaluations like this one, for so many sets.", ""},
    {"calibrated",
     "Where a calibrated posterior stays in so many of a hundred evaluations like this one. Calibrated means that over "
     "all sets of the prior intervals hold the truth as often as they say, not that the posterior of one set is near "
     "the exact one.",
     ""},
    {"median", "As much probability lies below as above.", "P(θ ≤ median | X) = ½"},
    {"means apart",
     "How far the posterior means of two runs lie apart on the same test sets: at least half of it is the error of one "
     "of the two, whatever their calibration says.",
     "√(mean of (E₁[θ | X] − E₂[θ | X])² / sd²), sd² the mean of both variances"},
    {"MSE of a sample", "Squared error per pixel of one sample of the posterior.",
     "mean over sets, samples and pixels of (θₛ − θ)²"},
    {"MSE of the mean", "Squared error per pixel of the posterior mean, freed of the noise of few samples.",
     "mean over sets and pixels of (S · (mean of θₛ − θ)² − mean of (θₛ − θ)²) / (S − 1)"},
    {"share of prior", "What is left of the error that the mean image makes without observations.",
     "MSE of the mean / MSE of the prior's mean"},
    {"sd per pixel", "How far samples of one posterior differ from each other.",
     "mean over sets and pixels of the samples' standard deviation"},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::span<const Term> glossary() {
  return kTerms;
}

const Term* find_term(std::string_view text) {
  const auto find = [](std::string_view name) -> const Term* {
    const auto at = std::find_if(std::begin(kTerms), std::end(kTerms), [&](const Term& t) { return t.name == name; });
    return at == std::end(kTerms) ? nullptr : &*at;
  };
  if (const Term* term = find(text)) return term;
  // Without a unit, a remark in brackets, or what stands behind a comma.
  for (const std::string_view end : {" / ", " (", ","})
    if (const auto at = text.find(end); at != text.npos)
      if (const Term* term = find(trimmed(text.substr(0, at)))) return term;
  return nullptr;
}

std::string explanation(std::string_view text) {
  const Term* term = find_term(text);
  if (!term) return "";
  return std::string(term->sentence) + (*term->equation ? std::string("\n") + term->equation : "");
}

std::string equation(std::string_view text) {
  const Term* term = find_term(text);
  return term ? term->equation : "";
}

}  // namespace pairs
