#include "core/sets/observations_file.h"

#include "core/base/files/npz.h"
#include "core/base/text/error.h"

namespace pairs {

Observations load_observations(const std::filesystem::path& file) {
  NpzReader arrays(file);
  if (arrays.shapes().contains(kBlockArray)) return arrays.read(kBlockArray);
  for (const char* name : {kRowsArray, kOffsetsArray})
    PAIRS_CHECK(arrays.shapes().contains(name),
                "{} holds no observations: it needs an array \"{}\", or \"{}\" with \"{}\"", file.string(), kBlockArray,
                kRowsArray, kOffsetsArray);
  const torch::Tensor offsets = arrays.read(kOffsetsArray);
  PAIRS_CHECK(!offsets.is_floating_point() && !offsets.is_complex(), "{}: offsets are whole numbers", file.string());
  return Observations::ragged(arrays.read(kRowsArray), offsets.to(torch::kInt64));
}

}  // namespace pairs
