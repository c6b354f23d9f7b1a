#include "app/posterior/typicality.h"

namespace pairs {

Typicality typicality_of(const Estimator& estimator, const torch::Tensor& aggregate, const torch::Tensor& n,
                         AggregateDistance* distance) {
  Typicality out;
  const AggregateStatistics& statistics = estimator.statistics();
  if (!statistics.mean.defined() || !statistics.distance.defined()) return out;
  const Estimator::Typicality of_one =
      distance != nullptr ? distance->of(aggregate, n) : estimator.typicality(aggregate, n);
  out.known = true;
  out.distance = of_one.distance[0].item<double>();
  out.percentile = of_one.percentile[0].item<double>();
  out.outside = out.percentile >= 99.9;  // 100 beyond the farthest of training
  return out;
}

}  // namespace pairs
