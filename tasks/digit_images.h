#pragma once

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace pairs {

// Images of digits by class: those of class k stand in rows first[k] .. first[k + 1] - 1.
struct DigitImages {
  torch::Tensor images;  // [K, 28, 28] uint8 on the CPU
  std::array<std::int64_t, 11> first;
};

// The digits that a task draws from: images for training, others for tests.
struct DigitSource {
  std::string name;  // "MNIST" or "generated digits"
  DigitImages train, test;
};

// MNIST's four IDX files (gzipped or plain) from `folder` or its sub-folder mnist. Throws Error with one sentence that
// names the file which is missing or broken.
std::shared_ptr<const DigitSource> read_mnist(const std::string& folder);

// Digits drawn by draw_glyph: 6,000 for training, 1,000 for tests, always the same. Drawn once a process, on first use.
std::shared_ptr<const DigitSource> generated_digits();

}  // namespace pairs
