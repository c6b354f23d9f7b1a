#include "app/posterior/checks/foreign_observations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/files/files.h"
#include "core/likelihood/learned_likelihood.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::size_t kListed = 10;  // foreign observations, and columns of each

torch::Tensor columns_of(const Observations& x) {
  return x.block().reshape({x.count(), -1}).to(torch::kCPU, torch::kFloat64);
}

std::string p_text(double p, std::int64_t simulated) {
  const double least = 1 / static_cast<double>(simulated + 1);
  return fmt::format("p {} {:.1g}", p < 1.5 * least ? "≤" : "=", p);
}

std::string one_text(const SingleObservations& found, const TaskInfo& info, const torch::Tensor& x, std::int64_t i) {
  std::vector<std::string> values;
  for (std::int64_t k = 0; k < std::min<std::int64_t>(x.size(1), kListed); ++k)
    values.push_back(fmt::format("{} = {:.4g}", column_name(info, k), x[i][k].item<double>()));
  return fmt::format("number {} ({}; {})", i + 1, fmt::join(values, ", "),
                     p_text(found.all[static_cast<std::size_t>(i)].p, found.simulated));
}

std::string without_text(const SingleObservations& found, const TaskInfo& info) {
  if (found.foreign.empty()) return "";
  if (!found.not_without.empty())
    return fmt::format(" The posterior without them is not known: {}.", found.not_without);
  std::vector<std::string> parts;
  for (std::size_t t = 0; t < info.targets.size(); ++t) {
    const auto at = static_cast<std::int64_t>(t);
    const double sd = found.without.sd[at].item<double>();
    parts.push_back(
        fmt::format("{} = {:.4g} ± {:.2g}", info.targets[t].label, found.without.mean[at].item<double>(), sd));
  }
  return fmt::format(" Without {}, by the learned likelihood: {}.", found.foreign.size() == 1 ? "it" : "them",
                     fmt::join(parts, ", "));
}

}  // namespace

ModelVerdict foreign_verdict(ModelVerdict other, const SingleObservations& found) {
  ModelVerdict out = std::move(other);
  const double p = found.p();
  if (p <= kUnlikeModel && !out.rejected()) {
    out.standing = ModelVerdict::Standing::rejected;
    out.p = p;
    out.by = kBySingles;
    out.text = fmt::format("Model rejected (single observations, p = {:.2g})", p);
  } else if (out.standing == ModelVerdict::Standing::unknown) {
    out.standing = ModelVerdict::Standing::inside;
    out.p = p;
    out.by = kBySingles;
    out.text = fmt::format("Like sets of the model (single observations, p = {:.2g})", p);
  } else if (out.text.ends_with(")")) {
    out.text.insert(out.text.size() - 1, fmt::format("; single observations p = {:.2g}", p));
  }
  return out;
}

std::string foreign_text(const SingleObservations& found, const TaskInfo& info, const Observations& x) {
  const std::string compared =
      fmt::format("each was compared with {} {}", count_text(found.simulated),
                  found.by_likelihood ? "drawn from the learned likelihood" : "simulated at draws of the posterior");
  if (found.foreign.empty())
    return x.count() == 1 ? fmt::format("The observation is not foreign to the model ({}).", compared)
                          : fmt::format("None of the {} observations is foreign to the model ({}).",
                                        count_text(x.count()), compared);
  const torch::Tensor columns = columns_of(x);
  std::vector<std::string> listed;
  for (std::size_t k = 0; k < std::min(found.foreign.size(), kListed); ++k)
    listed.push_back(one_text(found, info, columns, found.foreign[k]));
  const std::size_t more = found.foreign.size() - listed.size();
  return fmt::format(
      "{} of {} observations {} foreign to the model ({}; in at most {:.0f} % of sets any is a false one): {}{}.{}",
      found.foreign.size(), count_text(x.count()), found.foreign.size() == 1 ? "is" : "are", compared,
      100 * SingleObservations::kFalse, fmt::join(listed, ", "), more > 0 ? fmt::format(", and {} more", more) : "",
      without_text(found, info));
}

void mark_foreign(const SingleObservations& found, Figure& picture) {
  if (found.foreign.empty() || picture.plots.empty() || picture.plots.front().scatters.empty()) return;
  Plot& plot = picture.plots.front();
  const Scatter& all = plot.scatters.front();
  Scatter marked{"foreign", SeriesRole::foreign, {}, {}};
  for (const std::int64_t i : found.foreign) {
    const auto at = static_cast<std::size_t>(i);
    if (at >= all.x.size()) break;
    marked.x.push_back(all.x[at]);
    marked.y.push_back(all.y[at]);
  }
  plot.title += fmt::format(" · {} foreign", found.foreign.size());
  if (!marked.x.empty()) plot.scatters.push_back(std::move(marked));
}

nlohmann::json foreign_document(const SingleObservations& found, const TaskInfo& info, const Observations& x) {
  nlohmann::json document = {{"count", found.all.size()},
                             {"foreign", nlohmann::json::array()},
                             {"p", found.p()},
                             {"simulated", found.simulated},
                             {"text", foreign_text(found, info, x)}};
  for (const std::int64_t i : found.foreign) document["foreign"].push_back(i + 1);
  if (!found.foreign.empty() && found.not_without.empty()) {
    for (std::size_t t = 0; t < info.targets.size(); ++t) {
      document["without"]["mean"].push_back(found.without.mean[static_cast<std::int64_t>(t)].item<double>());
      document["without"]["sd"].push_back(found.without.sd[static_cast<std::int64_t>(t)].item<double>());
    }
  }
  if (!found.not_without.empty()) document["not_without"] = found.not_without;
  return document;
}

void write_foreign(const std::filesystem::path& file, const SingleObservations& found, const TaskInfo& info,
                   const Observations& x) {
  const torch::Tensor columns = columns_of(x);
  std::string text = "number";
  for (std::int64_t k = 0; k < columns.size(1); ++k) text += "," + column_name(info, k);
  text += ",log_density,p,influence,pareto_k,foreign\n";
  for (std::int64_t i = 0; i < columns.size(0); ++i) {
    const SingleObservation& one = found.all[static_cast<std::size_t>(i)];
    text += fmt::format("{}", i + 1);
    for (std::int64_t k = 0; k < columns.size(1); ++k) text += fmt::format(",{}", columns[i][k].item<double>());
    const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; };
    text += fmt::format(",{},{:.6g},{},{},{}\n", number(one.log_density), one.p, number(one.influence),
                        number(one.shape), std::binary_search(found.foreign.begin(), found.foreign.end(), i) ? 1 : 0);
  }
  write_file(file, text);
}

}  // namespace pairs
