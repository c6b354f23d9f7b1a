#include "tasks/parts/data_sets.h"

#include <algorithm>

namespace pairs {

std::int64_t FoundData::missing() const {
  return std::count_if(files.begin(), files.end(), [](const File& file) { return file.at.empty(); });
}

}  // namespace pairs
