#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "app/posterior/posterior_warnings.h"
#include "app/posterior/typicality.h"

namespace pairs {

// The p-value of a predictive test by `sets` simulated sets; NaN where none was made.
struct PredictiveP {
  double p = NAN;
  std::int64_t sets = 0;
};

// Whether the model makes data like an observed set: one verdict of all that was measured.
struct ModelVerdict {
  enum class Standing {
    unknown,   // nothing was measured
    inside,    // like training sets
    edge,      // farther out than 99 % of them
    outside,   // farther out than 99.9 % of them: the network was not trained on the like
    rejected,  // the model does not make such sets, so that no posterior under it describes them
  };
  Standing standing = Standing::unknown;
  double p = NAN;     // of the part that decided
  std::string by;     // that part: "typicality", "within the set", "predictive test"; "" where nothing was measured
  std::string text;   // "In distribution (37th percentile of training)"

  bool rejected() const { return standing == Standing::rejected; }
  bool warns() const { return rejected() || standing == Standing::outside; }
};

// Combines the typicality of a set and a predictive test that was asked for; the test within the set adds to it
// (within_verdict). The model is rejected from a p-value of 0.01 on, and a set is out of distribution above the 99.9th
// percentile of training; a rejection comes first.
ModelVerdict model_verdict(const Typicality& typicality, const PredictiveP& predictive = {});

// "37th", "99.3rd"
std::string ordinal_text(double percentile);

// The sentence that warns of a verdict; "" where it does not warn.
std::string verdict_warning(const ModelVerdict& verdict);

// Whether a warning advises something that does not hold once the model is rejected, such as to use its exact posterior.
bool withdrawn(const PosteriorWarning& warning, const ModelVerdict& verdict);

// standing, p, by and text of a verdict.
nlohmann::json verdict_document(const ModelVerdict& verdict);

}  // namespace pairs
