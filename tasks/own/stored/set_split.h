#pragma once

#include <cstdint>
#include <span>

#include "core/base/numbers/random.h"
#include "core/stored_sets.h"

namespace pairs {

// The use of a stored set.
enum class Split { training = 0, validation = 1, test = 2 };
inline constexpr Split kSplits[] = {Split::training, Split::validation, Split::test};

// The split for a purpose. Sets for display and for timing are also held out from training.
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

// A 64-bit hash of numbers rounded to float32, so that it does not change when a file is written again with another
// type; 0 and -0 are equal. `start` continues an earlier hash.
std::uint64_t content_hash(std::span<const double> numbers, std::uint64_t start = 0);

// The part of all sets whose θ has this content_hash: three in five for training, one for validation and one for
// evaluations. It depends only on θ, so that sets with one θ stay together, whatever their files and other sets are.
Split split_of_content(std::uint64_t theta_hash);

}  // namespace pairs
