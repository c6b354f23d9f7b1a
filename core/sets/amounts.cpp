#include "core/sets/amounts.h"

#include <algorithm>

namespace pairs {
namespace {

// How many items of `each` numbers fit into `numbers`, from `least` to `most`. The values affect the results of a seed:
// a validation loss is a sum over parts.
std::int64_t held(double numbers, double each, std::int64_t least, std::int64_t most) {
  return std::clamp(static_cast<std::int64_t>(numbers / std::max(each, 1.0)), least, most);
}

}  // namespace

std::int64_t observations_at_once(double numbers_each) {
  return held(1 << 20, numbers_each, 2048, 65536);
}

std::int64_t sets_at_once(double numbers_each) {
  return held(1 << 14, numbers_each, 32, 512);
}

std::int64_t head_rows_at_once(std::int64_t d) {
  return held(1 << 16, static_cast<double>(d), 256, 4096);
}

StatisticsSample statistics_sample(double numbers_each) {
  return {held(1 << 18, numbers_each, 1000, 4000), held(1 << 12, numbers_each, 8, 32)};
}

}  // namespace pairs
