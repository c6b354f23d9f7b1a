#include "tasks/objects/mesh/mesh_file_ply.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pairs::fuzz(data, size, [](std::string_view bytes) { pairs::check_ply_counts(bytes, "input"); });
}
