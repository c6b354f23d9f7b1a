#include "app/gui/widgets/typed_count.h"

#include <charconv>

namespace pairs::gui {

std::optional<std::int64_t> typed_count(std::string text, std::int64_t least) {
  std::erase_if(text, [](char c) { return c == ',' || c == ' ' || c == '_'; });
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < least) return {};
  return count;
}

}  // namespace pairs::gui
