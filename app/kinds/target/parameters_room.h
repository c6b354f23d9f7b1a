#pragma once

#include "app/kinds/target_room.h"

namespace pairs {

// Some numbers, each with a density.
class ParametersRoom final : public TargetRoom {
 public:
  std::string name() const override { return "parameters"; }
  std::string columns_text(const TaskInfo& info) const override;
  std::string labels_text(const TaskInfo& info) const override;
  const char* gives() const override { return "densities and samples"; }
  nlohmann::json document(const TaskInfo& info) const override;
  std::vector<double> settable(const Latents& latents) const override;
  torch::Tensor theta_of(const std::vector<double>& settable) const override;
  void check_density(const TaskInfo& info, const std::string& why) const override;
  std::string next_figure() const override { return "coverage"; }
  bool trains_soon() const override { return true; }
  std::int64_t compared_samples(std::int64_t asked, std::int64_t own) const override;
  std::int64_t draws() const override { return 1000; }
  bool in_folder() const override { return false; }
  std::vector<Table::Column> report_columns(IntervalKind interval) const override;
  SampleReport report(const TaskInfo& info, const torch::Tensor& samples, const std::vector<TargetNumbers>& numbers,
                      IntervalKind interval, Table& table) const override;
};

// As `report` tells it: mean, sd, quantiles and intervals of a kind; and a row for each parameter that names `who` says
// so.
nlohmann::json numbers_document(const std::vector<TargetNumbers>& numbers, IntervalKind interval);
void add_numbers(Table& table, const TaskInfo& info, const std::string& who, const std::vector<TargetNumbers>& numbers,
                 IntervalKind interval);
// "0.004 to 0.151", "below 0.131": of 90 %.
std::string most_text(const TargetNumbers& numbers, IntervalKind interval);

}  // namespace pairs
