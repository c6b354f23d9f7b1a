#pragma once

#include <cstdint>
#include <span>

namespace pairs {

// Everything random is a pure function of (seed, purpose, index, item). Where one purpose serves several ends, their
// indices, or their items, must never meet: this is the map of them. Values are part of what a seed gives; only append.
namespace index_map {

// Items of the streams of a set. Observation j is item j; beside it a task may draw a choice for each observation, the
// set's latents, and one thing more for the whole set (which part of a pool it draws from, its target camera).
inline constexpr std::uint64_t kMostObservations = 1ull << 46;
inline constexpr std::uint64_t kChoiceItem = 1ull << 46;
inline constexpr std::uint64_t kLatentItem = 1ull << 47;
inline constexpr std::uint64_t kSetItem = kLatentItem + 1;

// Indices of the sets of stage 2, of every group of cached sets in turn: training sets of all generations, in the first
// group those that the standardiser is measured on, validation sets.
inline constexpr std::int64_t kGroupStride = std::int64_t{1} << 42;
inline constexpr std::int64_t kStatisticsSets = std::int64_t{1} << 40;
inline constexpr std::int64_t kValidationSets = std::int64_t{1} << 41;

// Indices of the sets of checks: sets that steps are timed with, those that the theorem is looked at with, and toys of
// frequentist answers, of which each place (a value of θ that is tested) has a stretch of its own.
inline constexpr std::int64_t kTheoremSets = std::int64_t{1} << 40;
inline constexpr std::int64_t kToySets = std::int64_t{1} << 41;
inline constexpr std::int64_t kToyStride = std::int64_t{1} << 24;

// Positions at which cached blocks are drawn: of training steps, of the held-out sets, of those that tell how typical a
// set is, of a linear start. Held-out draws of a seed share the key of the next seed's training draws.
inline constexpr std::uint64_t kValidationPosition = 1ull << 40;
inline constexpr std::uint64_t kTypicalityPosition = kValidationPosition + 1;
inline constexpr std::uint64_t kLinearStartPosition = 1ull << 41;

// Batches whose set sizes are drawn in stage 1: of training, and of validation.
inline constexpr std::uint64_t kValidationBatches = 1ull << 47;
// Items of such a batch: what orders its sizes, and what rotates its sets.
inline constexpr std::uint64_t kOrderItem = 0;
inline constexpr std::uint64_t kTurnItem = 1;

// Indices and items end here (core/base/random.h, Stream).
inline constexpr std::uint64_t kEnd = 1ull << 48;

// One range [first, end) of an axis, for the test that none meet.
struct Range {
  const char* axis;
  const char* end_use;
  std::uint64_t first, end;
};
std::span<const Range> ranges();

}  // namespace index_map
}  // namespace pairs
