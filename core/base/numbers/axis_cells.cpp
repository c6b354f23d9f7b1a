#include "core/base/numbers/axis_cells.h"

namespace pairs {

std::vector<double> Cells::middles() const {
  std::vector<double> at(count);
  for (std::size_t i = 0; i < count; ++i) at[i] = low + width() * (static_cast<double>(i) + 0.5);
  return at;
}

}  // namespace pairs
