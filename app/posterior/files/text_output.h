#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace pairs {

// A text file written piece by piece. Throws Error if writing fails.
class TextOutput {
 public:
  explicit TextOutput(const std::filesystem::path& file);
  void write(std::string_view text);
  // Call after the last piece.
  void finish();

 private:
  void check();
  std::ofstream file_;
};

}  // namespace pairs
