#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace pairs {

// A file of text that is written piece by piece. Throws Error where it cannot be.
class TextOutput {
 public:
  explicit TextOutput(const std::filesystem::path& file);
  void write(std::string_view text);
  // After the last piece.
  void finish();

 private:
  void check();
  std::ofstream file_;
};

}  // namespace pairs
