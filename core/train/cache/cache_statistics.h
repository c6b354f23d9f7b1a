#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/estimator.h"
#include "core/sets/amounts.h"
#include "core/train/cache/embedded_pool.h"

namespace pairs {

// How many sets, of how many observations each, measure_statistics uses.
StatisticsSample statistics_sample(const Task& task, std::int64_t embedding_size);

// Measures the statistics of embeddings that the standardizer of aggregates needs: mean [l], then between- and
// within-set covariances [l, l] each, float64, from a sample of new sets, whose embeddings come from `pool` if there is
// one. Throws Stopped once `stop()` returns true.
std::vector<double> measure_statistics(Estimator& estimator, std::uint64_t seed, const std::function<bool()>& stop,
                                       const EmbeddedPool* pool = nullptr);

// Unpacks these numbers for the standardizer, for embeddings of length l.
AggregateStatistics unpack_statistics(const std::vector<double>& numbers, std::int64_t l);

}  // namespace pairs
