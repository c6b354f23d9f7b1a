#include "app/posterior/caveats/verdict.h"

#include <fmt/format.h>

#include <algorithm>

namespace pairs {
namespace {

constexpr double kEdge = 99;  // percentile of training
constexpr double kBorderlinePredictive = 0.05;

std::string p_words(double p, std::int64_t sets) {
  const double least = 1.0 / static_cast<double>(sets + 1);
  return p < 1.5 * least ? fmt::format("p ≤ {:.2g}, the smallest resolvable", least) : fmt::format("p = {:.2g}", p);
}

const char* standing_word(ModelVerdict::Standing standing) {
  switch (standing) {
    case ModelVerdict::Standing::unknown:
      return "unknown";
    case ModelVerdict::Standing::inside:
      return "in distribution";
    case ModelVerdict::Standing::edge:
      return "edge of training";
    case ModelVerdict::Standing::outside:
      return "out of distribution";
    case ModelVerdict::Standing::rejected:
      return "model rejected";
  }
  return "";
}

// The note of a predictive test that does not reject the set.
std::string note_text(const PredictiveP& predictive) {
  if (std::isnan(predictive.p)) return "";
  return fmt::format("; predictive test {}p = {:.2g}", predictive.p <= kBorderlinePredictive ? "borderline, " : "",
                     predictive.p);
}

}  // namespace

std::string ordinal_text(double percentile) {
  const double shown = percentile < kEdge ? std::floor(percentile) : std::floor(10 * percentile) / 10;
  const std::string number = fmt::format("{:.{}f}", shown, percentile < kEdge ? 0 : 1);
  const auto whole = static_cast<int>(shown);
  const char last = number.back();
  const bool teen = percentile < kEdge && whole / 10 == 1;
  return number + (teen ? "th" : last == '1' ? "st" : last == '2' ? "nd" : last == '3' ? "rd" : "th");
}

ModelVerdict model_verdict(const Typicality& typicality, const PredictiveP& predictive) {
  ModelVerdict out;
  if (predictive.p <= kUnlikeModel) {
    out.standing = ModelVerdict::Standing::rejected;
    out.p = predictive.p;
    out.by = "predictive test";
    out.text = fmt::format("Model rejected ({})", p_words(predictive.p, predictive.sets));
  } else if (typicality.known) {
    out.p = 1 - typicality.percentile / 100;
    out.by = "typicality";
    const std::string extra = note_text(predictive);
    if (typicality.outside) {
      out.standing = ModelVerdict::Standing::outside;
      out.text = fmt::format("Out of distribution (above the {} percentile of training{})",
                             typicality.percentile >= 99.99 ? "99.99th" : "99.9th", extra);
    } else if (typicality.percentile >= kEdge) {
      out.standing = ModelVerdict::Standing::edge;
      out.text = fmt::format("At the edge of training ({} percentile{})", ordinal_text(typicality.percentile), extra);
    } else {
      out.standing = ModelVerdict::Standing::inside;
      out.text =
          fmt::format("In distribution ({} percentile of training{})", ordinal_text(typicality.percentile), extra);
    }
  } else if (!std::isnan(predictive.p)) {
    out.standing = ModelVerdict::Standing::inside;
    out.p = predictive.p;
    out.by = "predictive test";
    out.text = fmt::format("Like sets of the model ({}p = {:.2g})",
                           predictive.p <= kBorderlinePredictive ? "borderline, " : "", predictive.p);
  } else {
    out.text = "Unknown whether the model makes such data: the run kept no record of its training sets";
  }
  return out;
}

std::string verdict_warning(const ModelVerdict& verdict) {
  if (!verdict.warns()) return "";
  if (!verdict.rejected()) return verdict.text + ": do not trust this posterior";
  if (verdict.by == kBySingles)
    return verdict.text +
           ": the model does not make some of the observations, so use the posterior without them, or none";
  // A poorly trained network also simulates sets unlike the observed one.
  const bool by_sets = verdict.by == "predictive test";
  return verdict.text + ": the model does not make such data" + (by_sets ? ", or the network is wrong" : "") +
         ", so use no posterior under it";
}

bool withdrawn(const PosteriorWarning& warning, const ModelVerdict& verdict) {
  return verdict.rejected() && (warning.kind == WarningKind::exact || warning.kind == WarningKind::outside);
}

nlohmann::json verdict_document(const ModelVerdict& verdict) {
  nlohmann::json out = {{"standing", standing_word(verdict.standing)}, {"text", verdict.text}};
  if (!verdict.by.empty()) {
    out["p"] = verdict.p;
    out["by"] = verdict.by;
  }
  return out;
}

}  // namespace pairs
