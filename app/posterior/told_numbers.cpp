#include "app/posterior/told_numbers.h"

#include <fmt/format.h>

#include "app/posterior/set_posterior.h"
#include "core/base/one_thread.h"
#include "core/base/transfer.h"
#include "core/posterior/interval.h"

namespace pairs {

ToldNumbers told_numbers(const LoadedRun& run, const PosteriorSource& ours, const PosteriorSource* exact,
                         const torch::Tensor& samples, const std::function<void(const std::string&)>& warn) {
  const torch::NoGradGuard no_grad;
  const OneThread one_thread;
  std::vector<PosteriorSource> sources = {ours};
  if (exact) sources.push_back(*exact);
  ToldNumbers told;
  std::string why;
  for (PosteriorNumbers& one : posterior_numbers(run.task->info().targets, confined(*run.task, *run.estimator), sources,
                                                 [&](const std::string& text) { why = text; }))
    (one.ours ? told.ours : told.exact) = std::move(one.targets);
  if (told.ours.empty()) {
    warn(fmt::format("mean, sd and intervals are those of {} samples, not of the density ({})", samples.size(0), why));
    const torch::Tensor columns = samples.to(torch::kCPU, torch::kFloat64);
    for (std::int64_t t = 0; t < columns.size(1); ++t) told.ours.push_back(draw_numbers(doubles(columns.select(1, t))));
  } else if (exact && told.exact.empty()) {
    warn(why);
  }
  return told;
}

}  // namespace pairs
