#include "app/kinds/sample_plot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostNuisancesInTitle = 3;

}  // namespace

SampleView prior_view(const Task& task) {
  return room_of(task.info()).prior_view(task);
}

Plot sample_plot(const Task& task, const Latents& latents, const Observations& x, const SampleView& view) {
  PAIRS_CHECK(x.count() > 0, "A plot of a sample of the task {} needs observations", task.info().name);
  return room_of(task.info()).sample_plot(task, latents, x, view);
}

Observations prior_sample(const Task& task, std::int64_t sets, std::int64_t each) {
  constexpr std::uint64_t kViewSeed = 1;
  std::vector<std::int64_t> indices;
  std::vector<SetRange> ranges;
  for (std::int64_t s = 0; s < sets; ++s) {
    indices.push_back(s);
    ranges.push_back({s, 0, each});
  }
  return task.observe(task.latents(kViewSeed, Purpose::explore, indices), kViewSeed, Purpose::explore, ranges,
                      torch::kCPU);
}

std::string latents_text(const TaskInfo& info, const Latents& latents) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& label, const torch::Tensor& row, std::size_t i, bool whole) {
    const double value = row[0][static_cast<std::int64_t>(i)].item<double>();
    parts.push_back(fmt::format("{} = {}", label, whole ? count_text(std::llround(value)) : number_text(value, 2)));
  };
  for (std::size_t i = 0; i < info.targets.size(); ++i) add(info.targets[i].label, latents.theta, i, false);
  if (info.nuisances.size() <= kMostNuisancesInTitle)
    for (std::size_t i = 0; i < info.nuisances.size(); ++i)
      add(info.nuisances[i].label, latents.psi, i, info.nuisances[i].name == info.subject);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace pairs
