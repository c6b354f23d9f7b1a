#pragma once

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tasks/parts/data_sets.h"

namespace pairs {

// Images of digits by class: those of class k stand in rows first[k] .. first[k + 1] - 1.
struct DigitImages {
  torch::Tensor images;  // [K, 28, 28] uint8 on the CPU
  std::array<std::int64_t, 11> first;
  std::uint32_t checksum = 0;  // of images and labels in the order of their files; 0 where there are none
};

// The digits of a data set as it splits them: images for training, others for tests.
struct DigitSource {
  std::string name;  // "MNIST" or, of other files in MNIST's layout, what they are
  DigitImages train, test;
};

// Four IDX files (gzipped or plain) in MNIST's layout, which are called MNIST only when they are, from `folder` or its
// sub-folder mnist. Throws Error with one sentence that names the file which is missing or broken. What was read last
// is kept for as long as its files stay as they are.
std::shared_ptr<const DigitSource> read_mnist(const std::string& folder);

// What a folder holds of it.
FoundData find_mnist(const std::string& folder);

}  // namespace pairs
