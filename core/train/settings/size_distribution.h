#pragma once

#include <cstdint>
#include <string>

namespace pairs {

// How stage 3 draws the size N of its sets (finetune.size_distribution): uniformly from the cache's sizes, or from 1 to
// the largest with log N, the square root of N or N itself uniform. The median N is half of the largest N for uniform,
// a quarter of it for root_uniform, and its square root for log_uniform.
enum class SizeDistribution { list, log_uniform, root_uniform, uniform };

// Parses the value of finetune.size_distribution; throws Error for an unknown one.
SizeDistribution size_distribution(const std::string& name);

// The size at quantile u in [0, 1) of a distribution on 1..most other than list.
std::int64_t size_at(SizeDistribution distribution, double u, std::int64_t most);

// The probability of the sizes n..next - 1 under a distribution on 1..most other than list.
double size_probability(SizeDistribution distribution, std::int64_t n, std::int64_t next, std::int64_t most);

}  // namespace pairs
