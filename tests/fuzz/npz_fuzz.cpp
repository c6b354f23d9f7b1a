#include "core/base/files/npz.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Parses the input as an archive and as a bare array. An archive may not unpack to more than the limit.
  constexpr std::uint64_t limit = 16u << 20;
  pairs::fuzz(data, size, [](std::string_view bytes) {
    std::uint64_t total = 0;
    for (const auto& [name, array] : pairs::parse_npz(bytes, "input", limit)) total += array.nbytes();
    if (total > limit) __builtin_trap();
  });
  return pairs::fuzz(data, size, [](std::string_view bytes) { pairs::parse_npy(bytes, "input"); });
}
