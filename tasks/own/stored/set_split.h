#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/random.h"
#include "core/stored_sets.h"

namespace pairs {

// What a stored set is for.
enum class Split { training = 0, validation = 1, test = 2 };
inline constexpr Split kSplits[] = {Split::training, Split::validation, Split::test};

// The sets of a purpose are of this split. Those made for people and for timing are held out from training, too.
inline Split split_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::pretrain:
    case Purpose::finetune:
      return Split::training;
    case Purpose::test:
      return Split::test;
    default:
      return Split::validation;
  }
}

// How the sets 0 .. sets - 1 of one file are divided: of each five in a row three for training, one for validation and
// one for evaluations, at random. It depends on the file's name and the set alone, so that a file that grows keeps its
// division, and takes no memory.
class SetSplit {
 public:
  SetSplit(std::string_view name, std::int64_t sets) : sets_(sets) {
    std::uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    key_ = stream_key(hash, Purpose::order);
  }

  Split of(std::int64_t set) const {
    const std::array<std::int64_t, kAll> order = shuffled(set / kAll);
    for (std::int64_t slot = 0; slot < kAll; ++slot)
      if (order[static_cast<std::size_t>(slot)] == set % kAll) return split_of_slot(slot);
    return Split::training;  // never reached: the order holds every place
  }

  std::int64_t count(Split split) const {
    const std::int64_t full = sets_ / kAll;
    std::int64_t count = full * slots(split).second;
    for (std::int64_t set = full * kAll; set < sets_; ++set) count += of(set) == split ? 1 : 0;
    return count;
  }

  // The k-th set of a split, k < count(split).
  std::int64_t set(Split split, std::int64_t k) const {
    const auto [first, each] = slots(split);
    const std::int64_t block = k / each, full = sets_ / kAll;
    if (block < full) return block * kAll + shuffled(block)[static_cast<std::size_t>(first + k % each)];
    k -= full * each;
    for (std::int64_t set = full * kAll;; ++set)
      if (of(set) == split && k-- == 0) return set;
  }

 private:
  static constexpr std::int64_t kAll = StoredShares::all;
  static_assert(StoredShares::training + StoredShares::validation + StoredShares::test == kAll);

  // The slots of a split among the five: the first, and how many.
  static std::pair<std::int64_t, std::int64_t> slots(Split split) {
    switch (split) {
      case Split::training:
        return {0, StoredShares::training};
      case Split::validation:
        return {StoredShares::training, StoredShares::validation};
      default:
        return {StoredShares::training + StoredShares::validation, StoredShares::test};
    }
  }
  static Split split_of_slot(std::int64_t slot) {
    return slot < StoredShares::training                              ? Split::training
           : slot < StoredShares::training + StoredShares::validation ? Split::validation
                                                                      : Split::test;
  }
  // Which of five sets in a row takes each slot.
  std::array<std::int64_t, kAll> shuffled(std::int64_t block) const {
    std::array<std::int64_t, kAll> order;
    for (std::int64_t i = 0; i < kAll; ++i) order[static_cast<std::size_t>(i)] = i;
    Stream stream(key_, static_cast<std::uint64_t>(block));
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
    return order;
  }

  std::uint64_t key_;
  std::int64_t sets_;
};

}  // namespace pairs
