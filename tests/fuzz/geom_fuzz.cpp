#include "tasks/molecules/formats/geom_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/tasks/molecules/memory_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pairs::fuzz(data, size, [](std::string_view bytes) {
    pairs::read_geom(
        *pairs::memory_bytes(bytes), "input", {.atoms = 50, .conformers = 8}, [](pairs::MoleculeEntry&& entry) {
          const bool whole = entry.positions.size() % std::max<std::size_t>(1, 3 * entry.elements.size()) == 0;
          if (!whole || entry.elements.size() > 50 || entry.conformers() > 8) __builtin_trap();
          return true;
        });
  });
}
