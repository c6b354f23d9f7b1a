#pragma once

#include <cstdint>
#include <string>

namespace pairs {

// How stage 3 draws the size N of its sets (finetune.law): from the cache's sizes equally, or from 1 to the largest with
// log N, the square root of N or N itself uniform. Half of the sets of uniform are larger than half of the largest N, of
// root_uniform than a quarter of it, of log_uniform than its square root.
enum class SizeLaw { list, log_uniform, root_uniform, uniform };

// Of its name in finetune.law; throws Error for another.
SizeLaw size_law(const std::string& name);

// The size at quantile u in [0, 1) of a law on 1..most, which is not list.
std::int64_t size_at(SizeLaw law, double u, std::int64_t most);

// The probability of the sizes n..next - 1 under a law on 1..most, which is not list.
double size_probability(SizeLaw law, std::int64_t n, std::int64_t next, std::int64_t most);

}  // namespace pairs
