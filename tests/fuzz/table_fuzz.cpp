#include "tasks/molecules/formats/table_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/tasks/molecules/memory_bytes.h"

// The first byte chooses between a table and lines of SMILES.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pairs::fuzz(data, size, [](std::string_view bytes) {
    if (bytes.empty()) return;
    const auto source = pairs::memory_bytes(bytes.substr(1));
    const pairs::OnMolecule check = [](pairs::MoleculeEntry&& entry) {
      if (entry.smiles.size() > pairs::kLongestSmiles && !entry.bad) __builtin_trap();
      if (entry.place.empty() || !entry.elements.empty()) __builtin_trap();
      return true;
    };
    if (bytes[0] == 's')
      pairs::read_smi(*source, "input", check);
    else
      pairs::read_table(*source, "input", {}, check);
  });
}
