#include "render/digit_warp.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "core/base/text/error.h"
#include "render/digit_warp_cpu.h"

namespace pairs::render {
namespace {

using DigitOperator = torch::Tensor(const torch::Tensor&, const torch::Tensor&, const torch::Tensor&,
                                    const torch::Tensor&, const torch::Tensor&, const torch::Tensor&, std::int64_t);

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  m.def(
      "warp_digits(Tensor images, Tensor pick, Tensor angle, Tensor sigma, Tensor set, Tensor item, int key) -> "
      "Tensor");
}
// Registered here so that a static library always includes it.
TORCH_LIBRARY_IMPL(pairs, CPU, m) {
  m.impl("warp_digits", &warp_digits_cpu);
}

}  // namespace

torch::Tensor warp_digits(const torch::Tensor& images, const torch::Tensor& pick, const torch::Tensor& angle,
                          const torch::Tensor& sigma, const torch::Tensor& set, const torch::Tensor& item,
                          std::uint64_t key) {
  PAIRS_CHECK(images.dim() == 3 && images.scalar_type() == torch::kUInt8 && images.size(1) >= 1 &&
                  images.size(2) >= 1 && images.size(1) <= 4096 && images.size(2) <= 4096,
              "The digit warper takes images [K, H, W] of bytes, up to 4096 pixels a side");
  const auto fits = [&](const torch::Tensor& t, torch::ScalarType type) {
    return t.dim() == 1 && t.size(0) == pick.size(0) && t.scalar_type() == type && t.device() == images.device();
  };
  PAIRS_CHECK(pick.dim() == 1 && fits(pick, torch::kInt64) && fits(set, torch::kInt64) && fits(item, torch::kInt64) &&
                  fits(angle, torch::kFloat32) && fits(sigma, torch::kFloat32),
              "The digit warper takes pick, set, item (int64) and angle, sigma (float32) of one length, all on the "
              "images' device");
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("pairs::warp_digits", "").typed<DigitOperator>();
  return op.call(images.contiguous(), pick.contiguous(), angle.contiguous(), sigma.contiguous(), set.contiguous(),
                 item.contiguous(), static_cast<std::int64_t>(key));
}

}  // namespace pairs::render
