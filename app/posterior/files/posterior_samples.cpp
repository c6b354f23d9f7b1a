#include "app/posterior/files/posterior_samples.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "app/posterior/files/draws_file.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 27;  // in all samples; some 25 bytes of memory each

}  // namespace

std::string samples_csv(const torch::Tensor& samples, const TaskInfo& info, const std::vector<DerivedColumn>& derived) {
  std::string text;
  for (const Target& target : info.targets) text += (text.empty() ? "" : ",") + target.name;
  std::vector<const double*> extra;
  for (const auto& [name, values] : derived) {
    text += "," + name;
    extra.push_back(values.const_data_ptr<double>());
  }
  text += '\n';
  const auto add = [&](auto number) {
    using Number = decltype(number);
    const torch::Tensor rows = samples.to(torch::kCPU).contiguous();
    const auto* at = rows.const_data_ptr<Number>();
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
      for (std::int64_t k = 0; k < rows.size(1); ++k)
        fmt::format_to(std::back_inserter(text), "{}{}", k > 0 ? "," : "", *at++);
      for (const double* values : extra)
        fmt::format_to(std::back_inserter(text), ",{}", std::isnan(values[i]) ? std::abs(values[i]) : values[i]);
      text += '\n';
    }
  };
  samples.scalar_type() == torch::kFloat64 ? add(double{}) : add(float{});
  return text;
}

std::int64_t most_samples(const TaskInfo& info) {
  return kMostNumbers / info.target_size();
}

std::map<std::string, torch::Tensor> trust_arrays(const Typicality& typicality, bool warned) {
  std::map<std::string, torch::Tensor> arrays = {{"warned", torch::full({1}, warned ? 1 : 0, torch::kInt64)}};
  if (typicality.known) arrays["percentile"] = torch::full({1}, typicality.percentile, torch::kFloat64);
  return arrays;
}

void add_typicality(nlohmann::json& document, const Typicality& typicality) {
  if (!typicality.known) return;
  document["distance"] = typicality.distance;
  document["percentile"] = typicality.percentile;
  document["outside_training"] = typicality.outside;
}

void write_samples(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays,
                   const TaskInfo& info, const SamplesOf& of) {
  const std::string ending = file.extension().string();
  if (ending == ".npz") {
    std::map<std::string, torch::Tensor> all = arrays;
    for (const auto& [name, values] : of.derived) all["derived_" + name] = values;
    if (of.weights.defined()) all["weight"] = of.weights;
    return write_npz(file, all);
  }
  if (is_draws_file(file)) return write_draws(file, info, arrays.at("samples"), of.x, of.reported, of.weights);
  if (ending != ".csv")
    fail_usage("{} must end in .npz or .csv, or in .nc or .h5, which ArviZ reads", printable(file.string(), 300));
  std::vector<DerivedColumn> extra = of.derived;
  if (of.weights.defined()) extra.emplace_back("weight", of.weights);
  write_file(file, samples_csv(arrays.at("samples"), info, extra));
}

}  // namespace pairs
