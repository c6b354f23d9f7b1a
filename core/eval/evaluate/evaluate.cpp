#include "core/eval/evaluate/evaluate.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/further_tests.h"
#include "core/eval/evaluate/evaluate_images.h"
#include "core/eval/evaluate/pool_ranks.h"
#include "core/eval/evaluate/product_scores.h"
#include "core/eval/evaluate/set_digest.h"
#include "core/eval/metrics/mean_error.h"
#include "core/eval/metrics/prior_gain.h"
#include "core/given.h"
#include "core/periodic.h"
#include "core/sets/amounts.h"
#include "core/stored_sets.h"
#include "core/target_support.h"

namespace pairs {
namespace {

// log densities of the references at each set's θ, computed from the observations as they arrive.
class ReferenceScores {
 public:
  ReferenceScores(const Task& task, const std::vector<std::string>& names) : task_(task), names_(names) {}

  // Starts one score per reference for each row of `latents`.
  void begin(const Latents& latents) {
    running_.clear();
    for (std::int64_t s = 0; s < latents.theta.size(0); ++s) {
      auto& mine = running_.emplace_back();
      for (const std::string& name : names_) {
        mine.push_back(task_.reference(name));
        report_given(*mine.back(), latents.given.defined() ? latents.given.slice(0, s, s + 1) : torch::Tensor());
      }
    }
  }
  void add(const Observations& x, const std::vector<ChunkPart>& parts) {
    const Observations host = x.to(torch::kCPU);
    at::parallel_for(0, static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const ChunkPart& part = parts[static_cast<std::size_t>(i)];
        for (auto& reference : running_[static_cast<std::size_t>(part.set)])
          reference->add(host.slice(part.begin, part.end));
      }
    });
  }
  // Appends one value per set to scores[name].
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

// Checks the test sets from index `first` on.
void check_log_prob(const std::vector<double>& values, std::int64_t first, std::int64_t n) {
  for (auto i = static_cast<std::size_t>(first); i < values.size(); ++i)
    PAIRS_CHECK(std::isfinite(values[i]),
                "At N = {} the log density of test set {} is {}: the weights are damaged or their training diverged; "
                "train the run again",
                n, i, values[i]);
}

// Collects the results at one set size as its sets arrive.
class SizeEvaluation {
 public:
  SizeEvaluation(Estimator& estimator, const EvaluationOptions& options, const std::vector<std::string>& references,
                 std::int64_t n, std::int64_t sets)
      : estimator_(estimator),
        options_(options),
        references_(estimator.task(), references),
        product_(estimator, n, std::min(options.learned_product, sets)),
        made_(options.made, sets),
        further_(estimator.task().info()) {
    row_.n = n;
    row_.sets = sets;
    row_.samples = options.samples;
    scored_ = !references.empty();
    // The members of an ensemble have heads of one kind.
    reaches_outside_ = !confines(estimator.config().head) && TargetSupport(task().info().targets).bounded();
    if (options.samples > 0 && options.pool_replicates > 0) pool_.emplace(estimator, options, row_);
    pooled_ = pool_ && pool_->pool() > 0;
    range_ = torch::empty({task().info().target_size()}, torch::kFloat64);
    for (std::int64_t j = 0; j < range_.numel(); ++j)
      range_[j] = task().info().targets[static_cast<std::size_t>(j)].range;
  }

  // The number of sets to add at once.
  std::int64_t unit() const {
    const std::int64_t most =
        pooled_ ? PoolRanks::kMostSets : sets_at_once(task().info().observation_numbers());  // between stop checks
    return std::clamp<std::int64_t>(estimator_.observations_at_once() / row_.n, 1, most);
  }

  // Adds the test sets first .. first + count - 1.
  void add(std::int64_t first, std::int64_t count, const std::function<bool()>& keep_going) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) indices[static_cast<std::size_t>(i)] = first + i;
    const Latents latents = task().latents(options_.seed, options_.purpose, indices);
    StreamOptions stream;
    stream.keep_going = keep_going;
    if (scored_) references_.begin(latents);
    digests_.begin(count);
    made_.begin(first, count);
    stream.visit = [&](const Observations& x, const std::vector<ChunkPart>& parts) {
      digests_.add(x, parts);
      if (scored_) references_.add(x, parts);
      made_.add(x, parts);
    };
    const bool resampled = pooled_ && pool_->watch(first, count, stream);
    product_.watch(first, count, stream);
    const torch::Tensor aggregates =
        aggregate_sets(estimator_, latents, options_.seed, options_.purpose, indices, row_.n, stream);
    digests_.finish(latents.theta, row_.tested);
    if (scored_) references_.finish(latents.theta, scores_);
    product_.score(latents);
    made_.score(latents, keep_going);
    const torch::Tensor n = torch::full({count}, row_.n, torch::kInt64);
    append_doubles(row_.log_prob, estimator_.log_prob(latents.theta, aggregates, n, latents.given));
    check_log_prob(row_.log_prob, first, row_.n);
    if (reaches_outside_) append_doubles(outside_, estimator_.share_outside(aggregates, n, latents.given));
    if (first < prior_gain_sets(estimator_)) {
      theta_.push_back(latents.theta);
      aggregates_.push_back(aggregates.to(torch::kCPU));
      if (latents.given.defined()) given_.push_back(latents.given);
    }
    if (options_.samples <= 0) return;
    const std::uint64_t key =
        stream_key(options_.seed + static_cast<std::uint64_t>(first) * 977 + static_cast<std::uint64_t>(row_.n) * 7919,
                   Purpose::posterior);
    const torch::Tensor drawn = estimator_.sample(aggregates, n, options_.samples, key, latents.given);
    const std::vector<Target>& targets = task().info().targets;
    const Unrolled cut = cut_open(targets, drawn, latents.theta, key);
    append_doubles(ranks_, central_ranks(cut.samples, cut.theta, key));
    const auto [samples, theta] = unrolled(targets, drawn, latents.theta);
    append_doubles(absolute_error_, relative_errors(samples, theta, range_));
    const torch::Tensor sds = samples.std(1);
    append_doubles(sds_, sds.mean(1));
    // The mean of a periodic target next to its truth.
    append_doubles(set_means_, samples.mean(1) + (latents.theta - theta));
    append_doubles(set_sds_, sds);
    further_.add(drawn, latents.theta, aggregates, key);
    if (resampled) pool_->rank(first, aggregates, latents);
  }

  // The row, once all its sets are added; `sizes`: the number of sizes in the family of tests.
  EvaluationRow finish(std::int64_t sizes) {
    summarize_density();
    compare_with_prior();
    if (options_.samples > 0) summarize_samples(sizes);
    return std::move(row_);
  }

 private:
  const Task& task() const { return estimator_.task(); }

  void summarize_density() {
    std::vector<double> negative(row_.log_prob);
    for (double& v : negative) v = -v;
    const MeanAndError nll = mean_and_error(negative);
    row_.nll = nll.mean;
    row_.nll_se = nll.se;
    row_.exact_nll = task().exact_nll(row_.n);
    for (const auto& [name, values] : scores_) {
      const double mean = -mean_and_error(values).mean;
      row_.reference_nll[name] = mean;
      if (name != "exact") {
        add_reference_gap(name, values);
        continue;
      }
      std::vector<double> gaps(values.size());
      for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = values[i] - row_.log_prob[i];
      const MeanAndError gap = mean_and_error(gaps);
      row_.gap = gap.mean;
      row_.gap_se = gap.se;
      if (std::isnan(row_.exact_nll)) row_.exact_nll = mean;
    }
    product_.finish(row_, exact_scores());
    made_.finish(row_, exact_scores());
    if (reaches_outside_) row_.scores["outside"] = mean_and_error(outside_).mean;
  }

  // The exact posterior's log densities, one per set; null if it was not scored.
  const std::vector<double>* exact_scores() const {
    const auto exact = scores_.find("exact");
    return exact == scores_.end() ? nullptr : &exact->second;
  }

  // Compares a reference with the exact posterior, if the exact posterior was scored.
  void add_reference_gap(const std::string& name, const std::vector<double>& values) {
    const std::vector<double>* exact = exact_scores();
    if (exact == nullptr) return;
    std::vector<double> gaps(values.size());
    for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = (*exact)[i] - values[i];
    row_.reference_gap[name] = mean_and_error(gaps);
  }

  void compare_with_prior() {
    const torch::Tensor theta = at::cat(theta_), n = torch::full({theta.size(0)}, row_.n, torch::kInt64);
    const PriorGain gain =
        prior_gain(estimator_, {theta, at::cat(aggregates_), n, given_.empty() ? torch::Tensor() : at::cat(given_)});
    row_.prior_gain = gain.gain;
    row_.prior_gain_se = gain.se;
  }

  void summarize_samples(std::int64_t sizes) {
    const std::int64_t d = range_.numel();
    const torch::Tensor all = torch::tensor(ranks_, torch::kFloat64).view({row_.sets, d});
    row_.scores["rmae"] = mean_and_error(absolute_error_).mean;
    row_.sd = mean_and_error(sds_).mean;
    row_.acauc = acauc(all);
    const NoiseFloor floor = acauc_noise_floor(all, options_.samples, acauc_checks(sizes, d));
    row_.acauc_floor = floor.mean;
    row_.acauc_p95 = floor.p95;
    for (std::int64_t j = 0; j < d; ++j) {
      std::vector<double> column = doubles(all.select(1, j));
      row_.rank_tests.push_back(rank_test(column, row_.samples));
      row_.ranks.push_back(std::move(column));
      row_.means.push_back(column_of(set_means_, j));
      row_.sds.push_back(column_of(set_sds_, j));
    }
    further_.finish(row_);
    if (pool_) pool_->finish(row_);
  }

  // Column j of values [sets, d].
  std::vector<double> column_of(const std::vector<double>& values, std::int64_t j) const {
    std::vector<double> column;
    for (std::size_t i = static_cast<std::size_t>(j); i < values.size(); i += static_cast<std::size_t>(range_.numel()))
      column.push_back(values[i]);
    return column;
  }

  Estimator& estimator_;
  const EvaluationOptions& options_;
  EvaluationRow row_;
  ReferenceScores references_;
  ProductScores product_;
  MadeScores made_;
  SetDigests digests_;
  bool scored_ = false, pooled_ = false, reaches_outside_ = false;
  std::optional<PoolRanks> pool_;
  torch::Tensor range_;                                    // [d], for the relative mean absolute error
  std::map<std::string, std::vector<double>> scores_;      // of references: log densities, one per set
  std::vector<torch::Tensor> theta_, aggregates_, given_;  // of the first sets
  std::vector<double> ranks_, absolute_error_, sds_;
  std::vector<double> set_means_, set_sds_;  // [sets, d]
  std::vector<double> outside_;              // one per set
  FurtherTests further_;
};

// The requested references, preceded by the exact posterior if the task has one.
std::vector<std::string> wanted_references(const Task& task, const EvaluationOptions& options) {
  std::vector<std::string> names = options.references;
  const std::vector<std::string> known = task.references();
  const bool exact = options.exact && std::find(known.begin(), known.end(), "exact") != known.end();
  if (exact && std::find(names.begin(), names.end(), "exact") == names.end()) names.insert(names.begin(), "exact");
  return names;
}

}  // namespace

std::int64_t evaluated_sets(const Task& task, const EvaluationOptions& options, std::size_t k) {
  std::int64_t sets = options.sets.size() == 1 ? options.sets[0] : options.sets[k];
  if (const std::int64_t subjects = task.subjects(options.purpose); subjects > 0) sets = std::min(sets, subjects);
  if (const StoredSets* stored = task.stored()) {
    const std::int64_t n = options.sizes[k], held = stored->sets(Purpose::test, n);
    if (held == 0)
      fail_usage(
          "No stored set that is kept for evaluations holds N = {} observations; stop at N = {}, or store larger sets",
          n, stored->largest_n());
    sets = std::min(sets, held);
  }
  return sets;
}

std::vector<EvaluationRow> evaluate(Estimator& estimator, const EvaluationOptions& options,
                                    const std::function<bool()>& keep_going,
                                    const std::function<void(const EvaluationRow&)>& row_done,
                                    const std::function<void(std::int64_t)>& step) {
  const Task& task = estimator.task();
  PAIRS_CHECK(!options.sizes.empty() && (options.sets.size() == 1 || options.sets.size() == options.sizes.size()),
              "An evaluation needs set sizes, and one number of sets for all or one per size");
  if (!estimator.has_density()) return evaluate_images(estimator, options, keep_going, row_done, step);
  const std::vector<std::string> references = wanted_references(task, options);
  estimator.train(false);

  std::vector<EvaluationRow> rows;
  std::int64_t sets_done = 0;
  for (std::size_t k = 0; k < options.sizes.size(); ++k) {
    const std::int64_t sets = evaluated_sets(task, options, k);
    SizeEvaluation size(estimator, options, references, options.sizes[k], sets);
    for (std::int64_t first = 0, count; first < sets; first += count) {
      count = std::min(size.unit(), sets - first);
      size.add(first, count, keep_going);
      sets_done += count;
      if (step) step(sets_done);
    }
    rows.push_back(size.finish(static_cast<std::int64_t>(options.sizes.size())));
    if (row_done) row_done(rows.back());
  }
  return rows;
}

}  // namespace pairs
