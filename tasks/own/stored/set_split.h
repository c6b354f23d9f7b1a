#pragma once

#include <cstdint>
#include <span>

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

// A 64-bit hash of numbers as float32 holds them, so that a file that was written again in another type keeps it; 0 and
// -0 are one. `start` continues an earlier hash.
std::uint64_t content_hash(std::span<const double> numbers, std::uint64_t start = 0);

// The part of all sets whose θ has this content_hash: three in five for training, one for validation and one for
// evaluations. It depends on θ alone, so that sets of one θ stay together, whatever file they lie in and whatever else
// is stored.
Split split_of_content(std::uint64_t theta_hash);

}  // namespace pairs
