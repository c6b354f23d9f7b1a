#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/descriptor.h"

namespace pairs {

// Text as it comes, cut into whole lines: of standard input, or of a file that another program appends to. A line
// without its end waits for the rest; at the end of standard input it counts.
class GrowingText {
 public:
  // `data`: a path, or "-" for standard input; `name` is what sentences call it. Throws Error where it cannot be
  // opened.
  GrowingText(const std::string& data, std::string name);

  enum class Came { lines, nothing, end };
  // Hands on lines that have arrived: `lines` when there may be more at once, `nothing` when the file has no whole line
  // more for now or standard input said nothing for a moment, `end` of standard input. Throws Error where the text
  // cannot be read, is no text, holds a line beyond all measure, or the file was cut short, written anew, replaced or
  // removed; what `take` throws passes through.
  Came read(const std::function<void(std::string_view line)>& take);

 private:
  void check_same() const;
  void check_named() const;
  void remember(std::string_view bytes);

  std::string data_, name_, rest_;
  bool appended_;
  Descriptor file_;
  std::int64_t at_ = 0;  // bytes read
  std::string last_;     // the last of them, by which a file that was written anew is known
  std::array<char, 1 << 16> buffer_;
};

}  // namespace pairs
