#include "app/posterior/caveats/disagreement_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/posterior/caveats/caveat.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

// The limit above which a posterior depends as much on the run as on the data: the runs' means account for half of the
// ensemble's variance, or the divergence in nat equals that of two, three or five normals with this property.
constexpr double kWideSpread = M_SQRT1_2, kWideDivergence = 0.34;

std::size_t widest(const Disagreement& known) {
  return static_cast<std::size_t>(std::max_element(known.spread.begin(), known.spread.end()) - known.spread.begin());
}

}  // namespace

double largest_spread(const Disagreement& known) {
  return known.spread.empty() ? NAN : known.spread[widest(known)];
}

std::string disagreement_text(const Disagreement& known, const TaskInfo& info) {
  if (known.members == 0) return "";
  std::string spreads;
  for (std::size_t t = 0; t < known.spread.size(); ++t)
    spreads += fmt::format("{}of {} by {:.2g}",
                           t == 0                         ? ""
                           : t + 1 == known.spread.size() ? " and "
                                                          : ", ",
                           info.targets[t].label, known.spread[t]);
  return fmt::format(
      "The {} runs of the ensemble differ by {} nat (Jensen–Shannon divergence, at most {:.3g}), their means {} of its "
      "sd",
      known.members, with_error_text(std::max(known.nat, 0.0), known.nat_se, 3),
      std::log(static_cast<double>(known.members)), spreads);
}

std::string disagreement_warning(const Disagreement& known, const TaskInfo& info) {
  if (known.members == 0) return "";
  const std::size_t t = widest(known);
  const bool wide = known.spread[t] > kWideSpread;
  if (!wide && known.nat < kWideDivergence) return "";
  return caveat_text(
      fmt::format("The {} runs of the ensemble disagree about this set", known.members),
      wide ? fmt::format("their means of {} spread by {:.2g} of its sd", info.targets[t].label, known.spread[t])
           : fmt::format("they differ by {:.2g} nat of at most {:.2g}", known.nat,
                         std::log(static_cast<double>(known.members))),
      "train longer, or average more runs, since the posterior depends on the run as much as on the data");
}

nlohmann::json members_document(const std::vector<EnsembleMember>& members) {
  nlohmann::json out = nlohmann::json::array();
  for (const EnsembleMember& one : members)
    out.push_back({{"run", one.run}, {"seed", one.seed}, {"weights", one.weights}});
  return out;
}

void add_disagreement(nlohmann::json& document, const Disagreement& known, const TaskInfo& info,
                      const std::vector<EnsembleMember>& members) {
  if (known.members == 0) return;
  nlohmann::json& reported = document["ensemble"];
  reported["members"] = known.members;
  reported["divergence"] = known.nat;
  reported["divergence_se"] = known.nat_se;
  for (std::size_t t = 0; t < known.spread.size(); ++t) reported["spread"][info.targets[t].name] = known.spread[t];
  if (!members.empty()) reported["runs"] = members_document(members);
}

}  // namespace pairs
