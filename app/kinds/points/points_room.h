#pragma once

#include "app/kinds/observation_room.h"

namespace pairs {

// Points: a few numbers each, on a line or in the plane.
class PointsRoom final : public ObservationRoom {
 public:
  std::string name() const override { return "points"; }
  std::string shape_text(const TaskInfo& info) const override;
  std::string columns_text(const TaskInfo& info) const override;
  SampleAmounts amounts() const override;
  Observed read(const std::filesystem::path& path, const TaskInfo& info, std::int64_t most) const override;
  Observed checked(torch::Tensor x, const TaskInfo& info, const std::string& where) const override;
  std::unique_ptr<ObservationLines> lines(const TaskInfo& info, const std::string& where) const override;
  SampleView prior_view(const Task& task) const override;
  Plot sample_plot(const Task& task, const Latents& latents, const Observations& x,
                   const SampleView& view) const override;
  Thumbnail thumbnail(const Task& task) const override;
  std::optional<SimulatedPlot> simulated_plot(const Task& task, const Latents& draws, const Observations& x,
                                              const SampleView& view, SeriesRole role) const override;
  double difference(const Observations& a, const Observations& b) const override;
};

}  // namespace pairs
