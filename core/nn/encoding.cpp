#include "core/nn/encoding.h"

#include <cmath>

#include "core/base/text/error.h"

namespace pairs {

std::int64_t encoding_size(const std::string& kind) {
  if (kind == "none") return 0;
  if (kind == "linear" || kind == "log") return 1;
  fail_usage("there is no encoding '{}' of the set size: use none, linear or log", kind);
}

torch::Tensor encode_n(const std::string& kind, const torch::Tensor& n, std::int64_t max_n) {
  const std::int64_t size = encoding_size(kind);
  PAIRS_CHECK(n.dim() == 1 && n.scalar_type() == torch::kLong, "set sizes are a vector of int64");
  PAIRS_CHECK(max_n >= 1, "the largest set size must be at least 1, not {}", max_n);
  if (n.size(0) > 0) {
    const auto [low, high] = torch::aminmax(n);
    const std::int64_t smallest = low.item<std::int64_t>(), largest = high.item<std::int64_t>();
    PAIRS_CHECK(smallest >= 1 && largest <= max_n,
                "a set of {} observations cannot be encoded: this network takes 1 to {}",
                smallest < 1 ? smallest : largest, max_n);
  }
  if (size == 0) return torch::empty({n.size(0), 0}, n.options().dtype(torch::kFloat));
  const torch::Tensor n64 = n.to(torch::kDouble);
  // With max_n = 1 there is one size only and its logarithmic encoding is 0.
  const torch::Tensor code = kind == "linear" ? n64 / static_cast<double>(max_n)
                             : max_n == 1     ? torch::zeros_like(n64)
                                              : torch::log(n64) / std::log(static_cast<double>(max_n));
  return code.to(torch::kFloat).unsqueeze(1);
}

}  // namespace pairs
