#pragma once

#include <cstdint>
#include <string>

namespace pairs {

// How stage 3 draws the size N of its sets (finetune.size_distribution): from the cache's sizes equally, or from 1 to
// the largest with log N, the square root of N or N itself uniform. Half of the sets of uniform are larger than half of
// the largest N, of root_uniform than a quarter of it, of log_uniform than its square root.
enum class SizeDistribution { list, log_uniform, root_uniform, uniform };

// Of its name in finetune.size_distribution; throws Error for another.
SizeDistribution size_distribution(const std::string& name);

// The size at quantile u in [0, 1) of a distribution on 1..most, which is not list.
std::int64_t size_at(SizeDistribution distribution, double u, std::int64_t most);

// The probability of the sizes n..next - 1 under a distribution on 1..most, which is not list.
double size_probability(SizeDistribution distribution, std::int64_t n, std::int64_t next, std::int64_t most);

}  // namespace pairs
