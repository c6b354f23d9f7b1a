#include "core/eval/evaluate.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/eval/evaluate_images.h"
#include "core/eval/mean_error.h"

namespace pairs {
namespace {

void append(std::vector<double>& out, const torch::Tensor& values) {
  const torch::Tensor flat = values.contiguous().to(torch::kFloat64);
  out.insert(out.end(), flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
}

// log densities of the references at each set's θ, computed from the observations as they stream by.
class ReferenceScores {
 public:
  ReferenceScores(const Task& task, const std::vector<std::string>& names) : task_(task), names_(names) {}

  void begin(std::int64_t sets) {
    running_.clear();
    for (std::int64_t s = 0; s < sets; ++s) {
      auto& mine = running_.emplace_back();
      for (const std::string& name : names_) mine.push_back(task_.reference(name));
    }
  }
  void add(const torch::Tensor& x, const std::vector<ChunkPart>& parts) {
    const torch::Tensor host = x.to(torch::kCPU);
    at::parallel_for(0, static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const ChunkPart& part = parts[static_cast<std::size_t>(i)];
        for (auto& reference : running_[static_cast<std::size_t>(part.set)])
          reference->add(host.slice(0, part.begin, part.end));
      }
    });
  }
  // scores[name] grows by one value a set.
  void finish(const torch::Tensor& theta, std::map<std::string, std::vector<double>>& scores) {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      std::vector<double> values(running_.size());
      at::parallel_for(0, static_cast<std::int64_t>(running_.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t s = begin; s < end; ++s)
          values[static_cast<std::size_t>(s)] =
              running_[static_cast<std::size_t>(s)][k]->log_density(theta.slice(0, s, s + 1)).item<double>();
      });
      auto& all = scores[names_[k]];
      all.insert(all.end(), values.begin(), values.end());
    }
  }

 private:
  const Task& task_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::unique_ptr<ReferencePosterior>>> running_;
};

}  // namespace

std::vector<EvaluationRow> evaluate(Estimator& estimator, const EvaluationOptions& options,
                                    const std::function<bool()>& keep_going,
                                    const std::function<void(const EvaluationRow&)>& row_done,
                                    const std::function<void(std::int64_t)>& step) {
  const Task& task = estimator.task();
  const std::int64_t d = task.info().target_size();
  PAIRS_CHECK(!options.sizes.empty() && (options.sets.size() == 1 || options.sets.size() == options.sizes.size()),
              "An evaluation needs set sizes, and one number of sets for all or one a size");
  if (task.info().image_target()) return evaluate_images(estimator, options, keep_going, row_done, step);
  std::vector<std::string> names = options.references;
  const std::vector<std::string> known = task.references();
  const bool exact = options.exact && std::find(known.begin(), known.end(), "exact") != known.end();
  if (exact && std::find(names.begin(), names.end(), "exact") == names.end()) names.insert(names.begin(), "exact");
  torch::Tensor range = torch::empty({d}, torch::kFloat64);
  for (std::int64_t j = 0; j < d; ++j) range[j] = task.info().targets[static_cast<std::size_t>(j)].range;
  estimator.train(false);

  std::vector<EvaluationRow> rows;
  std::int64_t sets_done = 0;
  const auto checks = static_cast<std::int64_t>(options.sizes.size());
  for (std::size_t k = 0; k < options.sizes.size(); ++k) {
    EvaluationRow row;
    row.n = options.sizes[k];
    row.sets = options.sets.size() == 1 ? options.sets[0] : options.sets[k];
    row.samples = options.samples;
    const std::int64_t chunk = default_chunk(task.info());
    const std::int64_t most = task.info().kind == ObservationKind::image ? 32 : 512;  // sets between two questions
    const std::int64_t unit = std::clamp<std::int64_t>(chunk / row.n, 1, most);
    std::map<std::string, std::vector<double>> scores;
    std::vector<double> ranks, absolute_error, sds;
    ReferenceScores references(task, names);
    for (std::int64_t first = 0; first < row.sets; first += unit) {
      const std::int64_t count = std::min(unit, row.sets - first);
      std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) indices[static_cast<std::size_t>(i)] = first + i;
      const Latents latents = task.latents(options.seed, Purpose::test, indices);
      StreamOptions stream;
      stream.keep_going = keep_going;
      if (!names.empty()) {
        references.begin(count);
        stream.visit = [&](const torch::Tensor& x, const std::vector<ChunkPart>& parts) { references.add(x, parts); };
      }
      const torch::Tensor aggregates =
          aggregate_sets(estimator, latents, options.seed, Purpose::test, indices, row.n, stream);
      if (!names.empty()) references.finish(latents.theta, scores);
      const torch::Tensor n = torch::full({count}, row.n, torch::kInt64);
      append(row.log_prob, estimator.log_prob(latents.theta, aggregates, n, latents.given));
      if (options.samples > 0) {
        const torch::Tensor samples =
            estimator.sample(aggregates, n, options.samples,
                             stream_key(options.seed + static_cast<std::uint64_t>(first) * 977 +
                                            static_cast<std::uint64_t>(row.n) * 7919,
                                        Purpose::posterior),
                             latents.given);
        append(ranks, central_ranks(samples, latents.theta));
        append(absolute_error, ((samples.mean(1) - latents.theta).abs() / range).mean(1));
        append(sds, samples.std(1).mean(1));
      }
      sets_done += count;
      if (step) step(sets_done);
    }
    std::vector<double> negative(row.log_prob);
    for (double& v : negative) v = -v;
    const MeanAndError nll = mean_and_error(negative);
    row.nll = nll.mean;
    row.nll_se = nll.se;
    row.exact_nll = task.exact_nll(row.n);
    for (const auto& [name, values] : scores) {
      const double mean = -mean_and_error(values).mean;
      row.reference_nll[name] = mean;
      if (name != "exact") continue;
      std::vector<double> gaps(values.size());
      for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = values[i] - row.log_prob[i];
      const MeanAndError gap = mean_and_error(gaps);
      row.gap = gap.mean;
      row.gap_se = gap.se;
      if (std::isnan(row.exact_nll)) row.exact_nll = mean;
    }
    if (options.samples > 0) {
      const torch::Tensor all = torch::tensor(ranks, torch::kFloat64).view({row.sets, d});
      row.rmae = mean_and_error(absolute_error).mean;
      row.sd = mean_and_error(sds).mean;
      row.acauc = acauc(all);
      const NoiseFloor floor = acauc_noise_floor(row.sets, options.samples, d, checks);
      row.acauc_floor = floor.mean;
      row.acauc_p95 = floor.p95;
      constexpr std::int64_t bins = 20;
      row.sbc_p = row.sets >= bins ? 1 : NAN;
      for (std::int64_t j = 0; j < d; ++j) {
        if (row.sets >= bins) row.sbc_p = std::min(row.sbc_p, rank_histogram(all.select(1, j), bins).p_value);
        std::vector<double> column;
        append(column, all.select(1, j));
        row.ranks.push_back(std::move(column));
      }
    }
    if (row_done) row_done(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pairs
