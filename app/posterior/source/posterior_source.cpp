#include "app/posterior/source/posterior_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/posterior/source/known_source.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/eval/references/learned_product.h"
#include "core/given.h"
#include "core/likelihood/refined_posterior.h"
#include "core/periodic.h"
#include "core/report/number_text.h"

namespace pairs {

std::string not_drawn(const Estimator& estimator) {
  if (estimator.has_density()) return "";
  return fmt::format("the target of task {} is an image, and densities are drawn of parameters alone",
                     estimator.task().info().name);
}

PosteriorSource estimator_source(const std::string& name, SeriesRole role, std::shared_ptr<Estimator> estimator,
                                 const torch::Tensor& aggregate, std::int64_t n, const torch::Tensor& given) {
  const torch::Tensor count = torch::full({1}, n, torch::kInt64);
  PosteriorSource source;
  source.name = name;
  source.role = role;
  source.ours = true;
  if (not_drawn(*estimator).empty())
    source.log_density = [estimator, aggregate, count, given](const torch::Tensor& theta) {
      return estimator->log_prob_grid(theta.unsqueeze(0), aggregate, count, given)[0].to(torch::kCPU, torch::kFloat64);
    };
  source.sample = [estimator, aggregate, count, given](std::int64_t draws, std::uint64_t seed) {
    return estimator->sample(aggregate, count, draws, stream_key(seed, Purpose::posterior), given)[0].to(torch::kCPU);
  };
  return source;
}

PosteriorSource reference_source(const Task& task, const std::string& name, const Observations& x,
                                 const torch::Tensor& given, const std::function<bool()>& keep_going) {
  constexpr std::int64_t kChunk = 20000;
  const Stopwatch watch;
  const std::shared_ptr<ReferencePosterior> reference = task.reference(name);
  report_given(*reference, given);
  for (std::int64_t first = 0; first < x.count(); first += kChunk) {
    if (keep_going && !keep_going()) throw Stopped();
    reference->add(x.slice(first, std::min(first + kChunk, x.count())));
  }
  PosteriorSource source = known_source(name, reference, task.info().targets);
  source.milliseconds = 1000 * watch.seconds();
  return source;
}

PosteriorSource known_source(const std::string& name, const std::shared_ptr<ReferencePosterior>& reference,
                             const std::vector<Target>& targets) {
  PosteriorSource source;
  source.name = name;
  source.role = reference_role(name);
  source.mean = reference->mean();
  source.sd = reference->covariance().diagonal().sqrt();
  source.log_density = [reference, targets](const torch::Tensor& theta) {
    return reference->log_density(wrapped(targets, theta));
  };
  source.sample = [reference, targets](std::int64_t draws, std::uint64_t seed) {
    Stream stream(stream_key(seed, Purpose::posterior), 1);
    return wrapped(targets, reference->sample(draws, stream));
  };
  return source;
}

PosteriorSource product_source(std::shared_ptr<Estimator> estimator, const Observations& x, const torch::Tensor& given,
                               const std::function<bool()>& keep_going) {
  PAIRS_CHECK(x.count() <= kMostLearnedProduct, "it is computed from at most {} observations",
              count_text(kMostLearnedProduct));
  const Stopwatch watch;
  const auto product = std::make_shared<const LearnedProduct>(estimator->task(), single_answers(*estimator, given),
                                                              estimator->embed(x.to(estimator->device())), keep_going);
  PosteriorSource source;
  source.name = kLearnedProduct;
  source.role = reference_role(source.name);
  source.mean = product->mean();
  source.sd = product->sd();
  source.log_density = [estimator, product](const torch::Tensor& theta) { return product->log_density(theta); };
  source.sample = [product](std::int64_t draws, std::uint64_t seed) {
    Stream stream(stream_key(seed, Purpose::posterior), 1);
    return product->sample(draws, stream);
  };
  source.milliseconds = 1000 * watch.seconds();
  return source;
}

SeriesRole reference_role(const std::string& name) {
  if (name == "exact") return SeriesRole::exact;
  return name.find("naive") == std::string::npos ? SeriesRole::other : SeriesRole::naive;
}

LineStyle posterior_style(SeriesRole role, const std::string& name) {
  const bool other = role == SeriesRole::other;
  return role == SeriesRole::exact || (other && (name == kLearnedProduct || name == kRefined)) ? LineStyle::dashed
         : role == SeriesRole::naive || other                                                  ? LineStyle::dotted
                                                                                               : LineStyle::solid;
}

}  // namespace pairs
