#include "app/posterior/caveats/typicality.h"

namespace pairs {

Typicality typicality_of(const Estimator& estimator, const torch::Tensor& aggregate, const torch::Tensor& n) {
  Typicality out;
  if (!estimator.knows_typicality()) return out;
  const Estimator::Typicality of_one = estimator.typicality(aggregate, n);
  out.known = true;
  out.distance = of_one.distance[0].item<double>();
  out.percentile = of_one.percentile[0].item<double>();
  out.outside = out.percentile >= 99.9;  // 100 beyond the farthest training set
  return out;
}

}  // namespace pairs
