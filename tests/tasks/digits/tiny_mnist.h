#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace pairs {

// Writes four IDX files like MNIST's, with `each` images of every digit for training and as many for testing: bright
// squares whose position identifies the digit.
inline void write_tiny_mnist(const std::filesystem::path& folder, int each = 12) {
  std::filesystem::create_directories(folder);
  const auto word = [](int value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
                       static_cast<char>(value)};
  };
  std::string labels = word(0x801) + word(10 * each), images = word(0x803) + word(10 * each) + word(28) + word(28);
  for (int k = 0; k < 10 * each; ++k) {
    const int digit = k % 10, row = 4 + 4 * (digit / 3), column = 4 + 6 * (digit % 3);
    std::string image(28 * 28, '\0');
    for (int y = row; y < row + 4; ++y)
      for (int x = column; x < column + 4; ++x) image[static_cast<std::size_t>(28 * y + x)] = '\xff';
    labels += static_cast<char>(digit);
    images += image;
  }
  for (const std::string split : {"train", "t10k"}) {
    std::ofstream(folder / (split + "-images-idx3-ubyte"), std::ios::binary) << images;
    std::ofstream(folder / (split + "-labels-idx1-ubyte"), std::ios::binary) << labels;
  }
}

}  // namespace pairs
