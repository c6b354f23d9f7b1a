#include "app/batch/parts/export_sets.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/base/files/files.h"
#include "core/base/files/plain_npz.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/eval/evaluate/set_digest.h"
#include "core/input_scale.h"
#include "core/report/number_text.h"
#include "core/sets/amounts.h"

namespace pairs::batch {
namespace {

constexpr double kMostNumbers = 1 << 29;  // of a file, which is in memory until it is written

using Arrays = std::map<std::string, torch::Tensor>;

std::uint32_t content_of(const Arrays& arrays) {
  std::uint32_t sum = 0;
  for (const auto& [name, values] : arrays) {
    const torch::Tensor packed = values.contiguous();
    sum = checksum(name, sum);
    sum = checksum({static_cast<const char*>(packed.const_data_ptr()), packed.nbytes()}, sum);
  }
  return sum;
}

// The test sets of one size as drawn.
class SizeSets {
 public:
  SizeSets(const Task& task, const EvaluationOptions& options, std::int64_t n)
      : task_(task), options_(options), n_(n) {}

  void draw(std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> indices;
    std::vector<SetRange> ranges;
    for (std::int64_t set = first; set < first + count; ++set) {
      indices.push_back(set);
      ranges.push_back({set, 0, n_});
    }
    const Latents latents = task_.latents(options_.seed, options_.purpose, indices);
    parts_.push_back(task_.observe(latents, options_.seed, options_.purpose, ranges, torch::kCPU));
    for (std::int64_t k = 0; k < count; ++k)
      digests_.push_back(set_digest(latents.theta[k], parts_.back().slice(k * n_, k * n_ + 1)));
    latents_.push_back(latents);
  }
  const std::vector<std::uint16_t>& digests() const { return digests_; }

  Arrays arrays() const {
    Arrays out;
    std::vector<torch::Tensor> theta, psi, given;
    for (const Latents& one : latents_) {
      theta.push_back(one.theta);
      psi.push_back(one.psi);
      if (one.given.defined()) given.push_back(one.given);
    }
    out["theta"] = at::cat(theta).to(torch::kFloat64);
    if (psi.front().defined() && psi.front().size(1) > 0) out["psi"] = at::cat(psi).to(torch::kFloat64);
    if (!given.empty()) out["given"] = at::cat(given).to(torch::kFloat64);
    const Observations x = Observations::concatenate(parts_);
    out["x"] = all_numbers(x);
    if (x.is_ragged()) out["row_offsets"] = x.offsets();
    const std::int64_t sets = out["theta"].size(0);
    out["offsets"] = at::arange(sets + 1, torch::kInt64) * n_;
    out["set"] = at::arange(sets, torch::kInt64).repeat_interleave(n_);
    return out;
  }

 private:
  const Task& task_;
  const EvaluationOptions& options_;
  std::int64_t n_;
  std::vector<Latents> latents_;
  std::vector<Observations> parts_;
  std::vector<std::uint16_t> digests_;
};

ExportedSets export_size(const Task& task, const EvaluationOptions& options, const EvaluationRow& row,
                         const std::filesystem::path& folder, bool (*keep_going)()) {
  SizeSets sets(task, options, row.n);
  const std::int64_t at_once = std::clamp<std::int64_t>(observations_at_once(task.info().observation_numbers()) / row.n,
                                                        1, sets_at_once(task.info().observation_numbers()));
  for (std::int64_t first = 0, count; first < row.sets; first += count) {
    if (!keep_going()) throw Stopped();
    count = std::min(at_once, row.sets - first);
    sets.draw(first, count);
  }
  PAIRS_CHECK(sets.digests() == row.tested,
              "The test sets of N = {} that are drawn now are not those that were scored; the simulator answers "
              "otherwise than before, or other numbers on another device: evaluate with --device cpu",
              count_text(row.n));
  const Arrays arrays = sets.arrays();
  const std::filesystem::path file = folder / fmt::format("n{}.npz", row.n);
  write_plain_npz(file, arrays);
  return {file, row.n, row.sets, fmt::format("{:08x}", content_of(arrays))};
}

}  // namespace

void check_export(const LoadedRun& run, const EvaluationOptions& options) {
  const TaskInfo& info = run.task->info();
  for (std::size_t k = 0; k < options.sizes.size(); ++k) {
    const std::int64_t n = options.sizes[k], sets = evaluated_sets(*run.task, options, k);
    const double numbers = static_cast<double>(sets) * (static_cast<double>(n) * (info.observation_numbers() + 1) +
                                                        static_cast<double>(info.target_size()));
    if (numbers > kMostNumbers)
      fail_usage(
          "--export: {} sets of N = {} are {:.3g} numbers, and a file takes at most {:.3g}; ask for fewer with "
          "--sets, or smaller ones with --sizes",
          count_text(sets), count_text(n), numbers, kMostNumbers);
  }
}

std::vector<ExportedSets> export_sets(const LoadedRun& run, const EvaluationOptions& options, const Metrics& metrics,
                                      const std::filesystem::path& folder, bool (*keep_going)()) {
  std::filesystem::create_directories(folder);
  std::vector<ExportedSets> out;
  for (const EvaluationRow& row : metrics.rows) out.push_back(export_size(*run.task, options, row, folder, keep_going));
  return out;
}

}  // namespace pairs::batch
