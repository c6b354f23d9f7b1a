#pragma once

#include <cstdint>
#include <span>

namespace pairs {

// Everything random is a pure function of (seed, purpose, index, item). If one purpose has several uses, their indices
// or items must be disjoint: this map defines them. Values determine the results of a seed; only append.
namespace index_map {

// Items of a set's streams. Observation j is item j; in addition a task may draw a choice for each observation, the
// set's latents, and one more quantity per set (which part of a pool it draws from, its target camera).
inline constexpr std::uint64_t kMostObservations = 1ull << 46;
inline constexpr std::uint64_t kChoiceItem = 1ull << 46;
inline constexpr std::uint64_t kLatentItem = 1ull << 47;
inline constexpr std::uint64_t kSetItem = kLatentItem + 1;

// Indices of the sets of stage 2, for every group of cached sets in turn: training sets of all generations, in the
// first group also those on which the standardizer is measured, and validation sets.
inline constexpr std::int64_t kGroupStride = std::int64_t{1} << 42;
inline constexpr std::int64_t kStatisticsSets = std::int64_t{1} << 40;
inline constexpr std::int64_t kValidationSets = std::int64_t{1} << 41;

// Indices of sets for checks: sets for timing steps, the sample for the theorem, and toys for frequentist results, of
// which each place (a tested value of θ) has a range of its own.
inline constexpr std::int64_t kTheoremSets = std::int64_t{1} << 40;
inline constexpr std::int64_t kToySets = std::int64_t{1} << 41;
inline constexpr std::int64_t kToyStride = std::int64_t{1} << 24;

// Positions at which cached blocks are drawn: for training steps, held-out sets, the typicality record, and the linear
// start. Held-out draws of a seed share the key of the next seed's training draws.
inline constexpr std::uint64_t kValidationPosition = 1ull << 40;
inline constexpr std::uint64_t kTypicalityPosition = kValidationPosition + 1;
inline constexpr std::uint64_t kLinearStartPosition = 1ull << 41;

// Batches whose set sizes are drawn in stage 1: for training, and for validation.
inline constexpr std::uint64_t kValidationBatches = 1ull << 47;
// Items of such a batch: for the order of its sizes, and for the rotation of its sets.
inline constexpr std::uint64_t kOrderItem = 0;
inline constexpr std::uint64_t kTurnItem = 1;

// Upper bound of indices and items (core/base/numbers/random.h, Stream).
inline constexpr std::uint64_t kEnd = 1ull << 48;

// One range [first, end) of an axis, for the test that ranges are disjoint.
struct Range {
  const char* axis;
  const char* end_use;
  std::uint64_t first, end;
};
std::span<const Range> ranges();

}  // namespace index_map
}  // namespace pairs
