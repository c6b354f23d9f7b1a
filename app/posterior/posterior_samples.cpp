#include "app/posterior/posterior_samples.h"

#include <fmt/format.h>

#include <iterator>

#include "core/aggregate.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/npz.h"
#include "core/base/text.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 27;  // in all samples; some 25 bytes of memory each

std::string csv_of(const torch::Tensor& samples, const TaskInfo& info) {
  std::string text;
  for (const Target& target : info.targets) text += (text.empty() ? "" : ",") + target.name;
  text += '\n';
  const auto add = [&](auto number) {
    using Number = decltype(number);
    const torch::Tensor rows = samples.to(torch::kCPU).contiguous();
    const auto* at = rows.const_data_ptr<Number>();
    for (std::int64_t i = 0; i < rows.size(0); ++i)
      for (std::int64_t k = 0; k < rows.size(1); ++k)
        fmt::format_to(std::back_inserter(text), "{}{}", *at++, k + 1 < rows.size(1) ? ',' : '\n');
  };
  samples.scalar_type() == torch::kFloat64 ? add(double{}) : add(float{});
  return text;
}

}  // namespace

std::int64_t most_samples(const TaskInfo& info) {
  return kMostNumbers / info.target_size();
}

torch::Tensor finite_aggregate(const LoadedRun& run, const Observations& x, const std::string& name) {
  torch::Tensor aggregate = aggregate_observed(*run.estimator, x);
  if (aggregate.isfinite().all().item<bool>()) return aggregate;
  std::int64_t at = 0;
  double largest = -1;
  for (std::int64_t i = 0; i < x.count(); ++i) {
    const double size = x.slice(i, i + 1).largest();
    if (size <= largest) continue;
    largest = size;
    at = i;
  }
  fail(
      "The network of {} overflows on {}: observation {} holds a value of size {:.3g}; check its unit, or leave it out",
      run.name, printable(name, 300), count_text(at + 1), largest);
}

torch::Tensor finite_samples(const PosteriorSource& source, std::int64_t draws) {
  torch::Tensor samples = source.sample(draws);
  PAIRS_CHECK(samples.isfinite().all().item<bool>(),
              "The posterior of {} is not finite: its weights diverged in training or are damaged; train it again with "
              "a lower {} or {}",
              source.name, "pretrain.rate"_key, "finetune.rate"_key);
  return samples;
}

torch::Tensor posterior_samples(const LoadedRun& run, const Observations& x, const torch::Tensor& given,
                                const std::string& name, std::int64_t draws, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  return finite_samples(estimator_source(run.name, SeriesRole::pairs, run.estimator, finite_aggregate(run, x, name),
                                         x.count(), given, seed),
                        draws);
}

std::map<std::string, torch::Tensor> trust_arrays(const Place& place, bool warned) {
  std::map<std::string, torch::Tensor> arrays = {{"warned", torch::full({1}, warned ? 1 : 0, torch::kInt64)}};
  if (place.known) arrays["percentile"] = torch::full({1}, place.percentile, torch::kFloat64);
  return arrays;
}

void write_samples(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays,
                   const TaskInfo& info) {
  const std::string ending = file.extension().string();
  if (ending == ".npz") return write_npz(file, arrays);
  if (ending != ".csv") fail_usage("{} must end in .npz or .csv", printable(file.string(), 300));
  write_file(file, csv_of(arrays.at("samples"), info));
}

}  // namespace pairs
