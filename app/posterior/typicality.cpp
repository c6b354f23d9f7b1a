#include "app/posterior/typicality.h"

namespace pairs {

Place place_of(const Estimator& estimator, const torch::Tensor& aggregate, const torch::Tensor& n) {
  Place place;
  const AggregateStatistics& statistics = estimator.statistics();
  if (!statistics.mean.defined() || !statistics.distance.defined()) return place;
  const auto typicality = estimator.typicality(aggregate, n);
  place.known = true;
  place.distance = typicality.distance[0].item<double>();
  place.percentile = typicality.percentile[0].item<double>();
  place.outside = place.percentile >= 99.9 || place.distance > statistics.distance[100].item<double>();
  return place;
}

}  // namespace pairs
