#include "core/ops/neighbors.h"

#include <torch/library.h>

#include <limits>

#include "core/base/text/error.h"

namespace pairs::ops {

using torch::Tensor;

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  m.def("neighbors(Tensor places, Tensor offsets, float cutoff, int most) -> (Tensor, Tensor, Tensor)");
}

Neighbors nearest_neighbors(const Tensor& places, const Tensor& offsets, double cutoff, std::int64_t most) {
  using Find = std::tuple<Tensor, Tensor, Tensor>(const Tensor&, const Tensor&, double, std::int64_t);
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("pairs::neighbors", "").typed<Find>();
  PAIRS_CHECK(places.dim() == 2 && places.size(1) == 3 &&
                  (places.scalar_type() == torch::kFloat || places.scalar_type() == torch::kDouble),
              "neighbors are sought among places [R, 3] in float32 or float64, not [{}] in {}",
              fmt::join(places.sizes(), ", "), c10::toString(places.scalar_type()));
  PAIRS_CHECK(offsets.dim() == 1 && offsets.size(0) >= 1 && offsets.scalar_type() == torch::kLong &&
                  offsets.device() == places.device(),
              "neighbors are sought in segments with offsets [M + 1] in int64 on the device of the places");
  PAIRS_CHECK(cutoff > 0 && most >= 1, "a row has 1 neighbor or more within a distance above 0, not {} within {}", most,
              cutoff);
  PAIRS_CHECK(places.size(0) < std::numeric_limits<std::int32_t>::max() / 2,
              "neighbors are counted in 32 bits: {} rows at once are too many, give fewer", places.size(0));
  torch::NoGradGuard no_grad;
  auto [start, index, distance] =
      op.call(places.detach().to(torch::kDouble).contiguous(), offsets.contiguous(), cutoff, most);
  return {start, index, distance};
}

}  // namespace pairs::ops
