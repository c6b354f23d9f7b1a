#pragma once

#include "core/base/files/npz.h"
#include "core/sets/observations_file.h"

namespace pairs {

// Writes observations as load_observations reads them.
inline void save_observations(const std::filesystem::path& file, const Observations& x) {
  if (x.is_ragged())
    write_npz(file, {{kRowsArray, x.rows().to(torch::kCPU)}, {kOffsetsArray, x.offsets()}});
  else
    write_npz(file, {{kBlockArray, x.block().to(torch::kCPU)}});
}

}  // namespace pairs
