#include "core/sets/observations_file.h"

#include "core/base/files/npz.h"
#include "core/base/text/error.h"

namespace pairs {

Observations load_observations(const std::filesystem::path& file) {
  NpzReader arrays(file);
  const bool stored = arrays.shapes().contains(kBlockArray), ragged = arrays.shapes().contains(kRowOffsetsArray);
  if (stored && !ragged) return arrays.read(kBlockArray);
  const char *const rows = stored ? kBlockArray : kRowsArray, *const ends = stored ? kRowOffsetsArray : kOffsetsArray;
  for (const char* name : {rows, ends})
    PAIRS_CHECK(
        arrays.shapes().contains(name),
        "{} holds no observations: it needs an array \"{}\", for ragged rows with \"{}\", or \"{}\" with \"{}\"",
        file.string(), kBlockArray, kRowOffsetsArray, kRowsArray, kOffsetsArray);
  const torch::Tensor offsets = arrays.read(ends);
  PAIRS_CHECK(!offsets.is_floating_point() && !offsets.is_complex(), "{}: offsets are whole numbers", file.string());
  return Observations::ragged(arrays.read(rows), offsets.to(torch::kInt64));
}

}  // namespace pairs
