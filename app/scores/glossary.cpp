#include "app/scores/glossary.h"

#include <algorithm>
#include <vector>

#include "app/scores/score_list.h"

namespace pairs {
namespace {

// p is the exact posterior, q the network's; X = {x₁, …} a set of N observations, S the number of posterior samples.
constexpr Term kTerms[] = {
    {"exact", "The true posterior of θ given the set: in closed form, or by quadrature over ψ.",
     "p(θ | X) ∝ p(θ) ∫ p(ψ) ∏ₙ p(xₙ | θ, ψ) dψ"},
    {"naive product",
     "The posteriors of single observations, multiplied as if each had a ψ of its own: another width than the exact, "
     "and with more observations around a wrong θ.",
     "∏ₙ p(θ | xₙ) / p(θ)^(N − 1) = p(θ) ∏ₙ ∫ p(ψ) p(xₙ | θ, ψ) dψ / const"},
    {"learned product",
     "The product of the run's own posteriors of each observation: the naive product where these are exact.",
     "∏ₙ q(θ | xₙ) / p(θ)^(N − 1) / const"},
    {"refined",
     "The posterior by a likelihood of one observation, learned from simulations, for observations that are "
     "independent given θ and ψ: often much sharper than the run's own.",
     "p(θ | X) ∝ ∫ p(θ, ψ) ∏ₙ q(xₙ | θ, ψ) dψ"},
    {"per-event classifier",
     "Posterior using only each event's likelihood ratio of signal to background, the signal averaged over ψ.",
     "p(θ | s₁, …), sₙ = ∫ p(ψ) p(xₙ | signal, ψ) dψ / p(xₙ | background)"},
    {"truth", "The θ that the simulated set was made with; of a mesh or molecule of yours, its own value.", ""},
    {"observed", "The observations that the posterior is of.", ""},
    {"observations", "The observations of the set.", ""},
    {"simulated", "Sets simulated at samples of the posterior: 90 % of them lie in the band.", ""},
    {"mean", "Posterior mean.", "E[θ | X]"},
    {"sd", "Posterior standard deviation.", "√(E[θ² | X] − E[θ | X]²)"},
    {"50 %", "An interval that holds half of the posterior, of the kind chosen below.",
     "central: from its quantile 0.25 to its quantile 0.75"},
    {"90 %", "An interval that holds nine tenths of the posterior, of the kind chosen below.",
     "central: from its quantile 0.05 to its quantile 0.95"},
    {"KL", "How far a posterior is from the exact one for this set, summed over the plotted grid: zero is equal.",
     "KL(p ‖ q) = ∫ p(θ | X) log(p(θ | X) / q(θ | X)) dθ ≥ 0, in nat"},
    {"noise", "Where a calibrated posterior stays in 95 % of evaluations like this one, for so many sets.", ""},
    {"calibrated",
     "Where a calibrated posterior stays in so many of a hundred evaluations like this one. Calibrated means that over "
     "all sets of the prior intervals hold the truth as often as they state, not that the posterior of one set is near "
     "the exact one.",
     ""},
    {"median", "As much probability lies below as above.", "P(θ ≤ median | X) = ½"},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::span<const Term> glossary() {
  static const std::vector<Term> all = [] {
    std::vector<Term> terms(std::begin(kTerms), std::end(kTerms));
    for (const Score& one : score_list())
      if (!one.sentence.empty()) terms.push_back({one.title.c_str(), one.sentence.c_str(), one.equation.c_str()});
    return terms;
  }();
  return all;
}

const Term* find_term(std::string_view text) {
  const auto find = [](std::string_view name) -> const Term* {
    const std::span<const Term> all = glossary();
    const auto at = std::find_if(all.begin(), all.end(), [&](const Term& t) { return t.name == name; });
    return at == all.end() ? nullptr : &*at;
  };
  if (const Term* term = find(text)) return term;
  // Without a unit, a remark in brackets, or anything after a comma.
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
