#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/estimator.h"
#include "core/sets/amounts.h"
#include "core/train/embedded_pool.h"

namespace pairs {

// How many sets, of how many observations each, measure_statistics takes.
StatisticsSample statistics_sample(const Task& task, std::int64_t embedding_size);

// What a cache keeps of its embeddings for the standardiser of aggregates: mean [l], between- and within-set
// covariances [l, l] each, one after the other, float64, from a sample of fresh sets, whose embeddings come from `pool`
// where there is one. Throws Stopped when `stop()` says so.
std::vector<double> measure_statistics(Estimator& estimator, std::uint64_t seed, const std::function<bool()>& stop,
                                       const EmbeddedPool* pool = nullptr);

// The same numbers as the standardiser takes them, for embeddings of length l.
AggregateStatistics unpack_statistics(const std::vector<double>& numbers, std::int64_t l);

}  // namespace pairs
