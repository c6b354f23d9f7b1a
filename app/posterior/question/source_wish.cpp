#include "app/posterior/question/source_wish.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {

std::string source_word(SourceWish wish) {
  return kSourceWords[static_cast<std::size_t>(wish)];
}

SourceWish source_wish(const std::string& word, const std::string& what) {
  const auto found = std::find(kSourceWords.begin(), kSourceWords.end(), word);
  if (found == kSourceWords.end())
    fail_usage("{} must be one of {}, not '{}'", what, fmt::join(kSourceWords, ", "), printable(word, 40));
  return static_cast<SourceWish>(found - kSourceWords.begin());
}

}  // namespace pairs
