#include "core/images/image_file.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pairs::fuzz(data, size, [](std::string_view bytes) {
    std::int64_t pixels = 0;
    const std::vector<std::uint8_t> rgb = pairs::parse_image(bytes, "input", [&](const pairs::ImageHead& head) {
      pixels = head.width * head.height;
      if (pixels > 1 << 16) pairs::fail("too slow to decode here");
    });
    if (static_cast<std::int64_t>(rgb.size()) != 3 * pixels) __builtin_trap();
    unsigned sum = 0;
    for (const std::uint8_t value : rgb) sum += value;  // each was written
    if (sum > 255u * rgb.size()) __builtin_trap();
  });
}
