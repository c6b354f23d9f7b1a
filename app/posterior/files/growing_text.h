#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/files/descriptor.h"

namespace pairs {

// Incoming text, cut into whole lines: from standard input, or from a file to which another program appends. An
// incomplete line waits for its end, or for the end of standard input.
class GrowingText {
 public:
  // `data`: a path, or "-" for standard input; `name`: its name in messages. Throws Error if it cannot be opened.
  GrowingText(const std::string& data, std::string name);

  enum class Came { lines, nothing, end };
  // Passes new lines to `take`. Returns `lines` if more may follow at once; `nothing` if the file has no further whole
  // line yet or standard input was briefly silent; `end` at the end of standard input. Throws Error if the text cannot
  // be read, is not text or has an excessively long line, or if the file was truncated, rewritten, replaced or removed.
  // Exceptions of `take` propagate.
  Came read(const std::function<void(std::string_view line)>& take);

 private:
  void check_same() const;
  void check_named() const;
  void remember(std::string_view bytes);

  std::string data_, name_, rest_;
  bool appended_;
  Descriptor file_;
  std::int64_t at_ = 0;  // bytes read
  std::string last_;     // the last bytes, which reveal a rewritten file
  std::array<char, 1 << 16> buffer_;
};

}  // namespace pairs
