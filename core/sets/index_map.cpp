#include "core/sets/index_map.h"

namespace pairs::index_map {

std::span<const Range> ranges() {
  constexpr auto group = static_cast<std::uint64_t>(kGroupStride);
  constexpr auto statistics = static_cast<std::uint64_t>(kStatisticsSets);
  constexpr auto validation = static_cast<std::uint64_t>(kValidationSets);
  constexpr auto theorem = static_cast<std::uint64_t>(kTheoremSets);
  constexpr auto toys = static_cast<std::uint64_t>(kToySets);
  static constexpr Range all[] = {
      {"items of a set", "observations", 0, kMostObservations},
      {"items of a set", "choices", kChoiceItem, kLatentItem},
      {"items of a set", "latents", kLatentItem, kLatentItem + 1},
      {"items of a set", "the whole set", kSetItem, kSetItem + 1},
      {"sets of stage 2", "training sets of the first group", 0, statistics},
      {"sets of stage 2", "the standardizer", statistics, validation},
      {"sets of stage 2", "validation sets of the first group", validation, group},
      {"sets of stage 2", "training sets of the second group", group, group + validation},
      {"sets of stage 2", "validation sets of the second group", group + validation, 2 * group},
      {"sets of checks", "timing", 0, theorem},
      {"sets of checks", "the theorem", theorem, toys},
      {"sets of checks", "toys", toys, kEnd},
      {"positions in the cache", "training steps", 0, kValidationPosition},
      {"positions in the cache", "held-out sets", kValidationPosition, kTypicalityPosition},
      {"positions in the cache", "typicality", kTypicalityPosition, kLinearStartPosition},
      {"positions in the cache", "linear start", kLinearStartPosition, kEnd},
      {"batches of sizes", "training", 0, kValidationBatches},
      {"batches of sizes", "validation", kValidationBatches, kEnd},
      {"items of a batch of sizes", "order", kOrderItem, kOrderItem + 1},
      {"items of a batch of sizes", "turns", kTurnItem, kTurnItem + 1},
  };
  return all;
}

}  // namespace pairs::index_map
