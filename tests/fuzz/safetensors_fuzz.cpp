#include "core/base/files/safetensors.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pairs::fuzz(data, size, [](std::string_view bytes) {
    // What was read must be written and read again without complaint.
    const pairs::TensorFile content = pairs::parse_safetensors(bytes, "input");
    const pairs::TensorFile again = pairs::parse_safetensors(pairs::format_safetensors(content, "copy"), "copy");
    if (again.tensors.size() != content.tensors.size() || again.metadata != content.metadata) __builtin_trap();
  });
}
