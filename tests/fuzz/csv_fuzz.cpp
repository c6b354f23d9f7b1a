#include "core/base/files/npz.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pairs::fuzz(data, size, [](std::string_view bytes) {
    const torch::Tensor table = pairs::parse_csv(bytes, "input");
    if (table.dim() != 2 || table.numel() < 1 || !table.isfinite().all().item<bool>()) __builtin_trap();
  });
}
