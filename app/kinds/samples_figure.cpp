#include "app/kinds/samples_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/kinds/sample_plot.h"

namespace pairs {
namespace {

constexpr std::int64_t kSets = 3;

}  // namespace

Figure samples_figure(const Task& task, std::int64_t set_index) {
  const TaskInfo& info = task.info();
  const std::int64_t count = std::min(info.max_n, room_of(info).amounts().figure);
  const SampleView view = prior_view(task);
  Figure figure;
  figure.title = fmt::format("{}: {} sets of {} observations", info.title, kSets, count);
  figure.source = info.data_source;
  figure.columns = kSets;
  figure.plot_width = figure.plot_height = 220;
  for (std::int64_t s = 0; s < kSets; ++s) {
    const std::int64_t index[] = {set_index + s};
    const SetRange range[] = {{index[0], 0, count}};
    const Latents latents = task.latents(kFigureSeed, Purpose::explore, index);
    const Observations x = task.observe(latents, kFigureSeed, Purpose::explore, range, torch::kCPU);
    Plot plot = sample_plot(task, latents, x, view);
    plot.title = latents_text(info, latents);
    if (plot.title.empty()) plot.title = fmt::format("set {}", index[0]);
    plot.legend = false;
    figure.plots.push_back(std::move(plot));
  }
  return figure;
}

}  // namespace pairs
