#pragma once

#include "app/kinds/target_room.h"

namespace pairs {

// One image, of which there are samples and no density.
class ImageTargetRoom final : public TargetRoom {
 public:
  std::string name() const override { return "image"; }
  std::string columns_text(const TaskInfo& info) const override;
  std::string labels_text(const TaskInfo& info) const override;
  const char* gives() const override { return "samples"; }
  nlohmann::json document(const TaskInfo& info) const override;
  std::vector<double> settable(const Latents& latents) const override;
  torch::Tensor theta_of(const std::vector<double>& settable) const override;
  void check_density(const TaskInfo& info, const std::string& why) const override;
  std::string next_figure() const override { return "mse"; }
  bool trains_soon() const override { return false; }
  std::int64_t compared_samples(std::int64_t asked, std::int64_t own) const override;
  std::int64_t draws() const override { return 16; }
  bool in_folder() const override { return true; }
  std::vector<Table::Column> report_columns(IntervalKind interval) const override;
  SampleReport report(const TaskInfo& info, const torch::Tensor& samples, const std::vector<TargetNumbers>& numbers,
                      IntervalKind interval, Table& table) const override;
};

}  // namespace pairs
