#include "app/kinds/target/parameters_room.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/transfer.h"

namespace pairs {

nlohmann::json summary_document(const Summary& summary) {
  nlohmann::json quantiles = nlohmann::json::object();
  for (std::size_t q = 0; q < kReportQuantiles.size(); ++q)
    quantiles[fmt::format("{}", kReportQuantiles[q])] = doubles(summary.quantiles[static_cast<std::int64_t>(q)]);
  return {{"mean", doubles(summary.mean)}, {"sd", doubles(summary.sd)}, {"quantiles", quantiles}};
}

void add_summary(Table& table, const TaskInfo& info, const std::string& who, const Summary& summary) {
  for (std::size_t t = 0; t < info.targets.size(); ++t) {
    const auto i = static_cast<std::int64_t>(t);
    const auto cell = [&](const torch::Tensor& v) { return fmt::format("{:.5g}", v[i].item<double>()); };
    const Target& target = info.targets[t];
    table.add({target.short_title(), who, cell(summary.mean), cell(summary.sd), cell(summary.quantiles[0]),
               cell(summary.quantiles[1]), cell(summary.quantiles[2])});
  }
}

std::string ParametersRoom::columns_text(const TaskInfo& info) const {
  return labels_text(info);
}

std::string ParametersRoom::labels_text(const TaskInfo& info) const {
  std::vector<std::string> labels;
  for (const Target& target : info.targets) labels.push_back(target.label);
  return fmt::format("{}", fmt::join(labels, ", "));
}

nlohmann::json ParametersRoom::document(const TaskInfo&) const {
  return nlohmann::json::object();
}

std::vector<double> ParametersRoom::settable(const Latents& latents) const {
  return doubles(latents.theta);
}

torch::Tensor ParametersRoom::theta_of(const std::vector<double>& settable) const {
  return torch::tensor(settable, torch::kFloat64).unsqueeze(0);
}

void ParametersRoom::check_density(const TaskInfo&, const std::string&) const {}

void ParametersRoom::check_figure(const std::string& figure, const std::string& task) const {
  PAIRS_CHECK(figure != "mse",
              "The figure mse is of images, but the target of task {} is not one; draw the figure rmae", task);
}

std::int64_t ParametersRoom::compared_samples(std::int64_t asked, std::int64_t) const {
  return asked >= 0 ? asked : 199;
}

std::vector<Table::Column> ParametersRoom::report_columns() const {
  return {{"θ", false}, {"posterior", false}, {"mean"}, {"sd"}, {"5 %"}, {"median"}, {"95 %"}};
}

SampleReport ParametersRoom::report(const TaskInfo& info, const torch::Tensor& samples, Table& table) const {
  const Summary ours = summarise(samples, kReportQuantiles);
  add_summary(table, info, "ours", ours);
  return {summary_document(ours), {{"samples", samples}}, {}, ""};
}

}  // namespace pairs
