#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "app/posterior/caveats/posterior_warnings.h"
#include "app/posterior/caveats/typicality.h"

namespace pairs {

// The p-value at or below which a set is called unlike the model: true of one in a hundred of the model's own sets.
inline constexpr double kUnlikeModel = 0.01;

// What a verdict is by (ModelVerdict::by) if single observations decide it (checks/foreign_observations.h).
inline constexpr const char* kBySingles = "single observations";

// The p-value of a predictive test with `sets` simulated sets; NaN if there is none.
struct PredictiveP {
  double p = NAN;
  std::int64_t sets = 0;
};

// Whether the model can produce data like the observed set: one verdict from all tests.
struct ModelVerdict {
  enum class Standing {
    unknown,   // no test was made
    inside,    // in distribution
    edge,      // above the 99th percentile of training
    outside,   // out of distribution: above the 99.9th percentile
    rejected,  // the model does not produce such sets, so no posterior under it is valid
  };
  Standing standing = Standing::unknown;
  double p = NAN;    // of the test that decided
  std::string by;    // that test: "typicality", "within the set", "predictive test", kBySingles; "" if none
  std::string text;  // "In distribution (37th percentile of training)"

  bool rejected() const { return standing == Standing::rejected; }
  bool warns() const { return rejected() || standing == Standing::outside; }
};

// Combines the typicality of a set and a predictive test that was asked for; the test within the set adds to it
// (within_verdict). The model is rejected from a p-value of 0.01 on, and a set is out of distribution above the 99.9th
// percentile of training; a rejection comes first.
ModelVerdict model_verdict(const Typicality& typicality, const PredictiveP& predictive = {});

// "37th", "99.3rd"
std::string ordinal_text(double percentile);

// The warning of a verdict; "" if there is none.
std::string verdict_warning(const ModelVerdict& verdict);

// Whether a warning gives advice that does not apply to a rejected model, such as to use its exact posterior.
bool withdrawn(const PosteriorWarning& warning, const ModelVerdict& verdict);

// standing, p, by and text of a verdict.
nlohmann::json verdict_document(const ModelVerdict& verdict);

}  // namespace pairs
