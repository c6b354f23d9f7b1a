#include "core/train/events/events.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pairs::fuzz(data, size, [](std::string_view bytes) {
    pairs::Event event, again;
    if (!pairs::parse_event(std::string(bytes), event)) return;
    const std::string line = pairs::log_line(event);
    if (!pairs::parse_event(line, again) || pairs::log_line(again) != line) __builtin_trap();
  });
}
