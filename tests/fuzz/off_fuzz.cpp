#include "tasks/objects/mesh/mesh_file_off.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pairs::fuzz(data, size, [](std::string_view bytes) {
    const pairs::TriangleMesh mesh = pairs::parse_off(bytes, "input").mesh;
    if (mesh.triangles.empty()) __builtin_trap();
    for (const auto& triangle : mesh.triangles)
      for (const std::uint32_t corner : triangle)
        if (corner >= mesh.vertices.size()) __builtin_trap();
  });
}
