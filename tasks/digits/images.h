#pragma once

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tasks/parts/data_sets.h"

namespace pairs {

// Images of digits sorted by class: those of class k are rows first[k] .. first[k + 1] - 1.
struct DigitImages {
  torch::Tensor images;  // [K, 28, 28] uint8 on the CPU
  std::array<std::int64_t, 11> first;
  std::uint32_t checksum = 0;  // of images and labels in the order of their files; 0 if there are none
};

// The digits of a data set with its split into training and test images.
struct DigitSource {
  std::string name;  // "MNIST", or a description of other files in MNIST's layout
  DigitImages train, test;
};

// Reads four IDX files (gzipped or plain) in MNIST's layout from `folder` or its sub-folder mnist; they are called
// MNIST only if they are. Throws Error with one sentence that names a missing or broken file. The last result is cached
// as long as its files do not change.
std::shared_ptr<const DigitSource> read_mnist(const std::string& folder);

// Describes the MNIST files in a folder.
FoundData find_mnist(const std::string& folder);

}  // namespace pairs
