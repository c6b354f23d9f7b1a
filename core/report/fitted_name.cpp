#include "core/report/fitted_name.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace pairs {
namespace {

// Where the UTF-8 characters begin, and the end.
std::vector<std::size_t> boundaries(const std::string& text) {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) at.push_back(i);
  at.push_back(text.size());
  return at;
}

}  // namespace

std::string fitted_name(const std::string& name, const std::vector<std::string>& others,
                        const std::function<bool(const std::string&)>& fits) {
  if (fits(name)) return name;
  const std::vector<std::size_t> at = boundaries(name);
  const std::size_t length = at.size() - 1;
  const auto cut = [&](std::size_t head, std::size_t tail) {
    return name.substr(0, at[head]) + "…" + name.substr(at[length - tail]);
  };
  // How many others would look the same, cut alike.
  const auto alike = [&](std::size_t head, std::size_t tail) {
    const std::string_view first(name.data(), at[head]), last = std::string_view(name).substr(at[length - tail]);
    return std::count_if(others.begin(), others.end(), [&](const std::string& other) {
      return other != name && other.size() >= first.size() + last.size() && other.starts_with(first) &&
             other.ends_with(last);
    });
  };
  // Tries each beginning with the longest end that fits. Prefers the cut that the fewest other names share, then the
  // one whose beginning is closest to a third of the visible characters.
  std::string best = "…";
  std::ptrdiff_t fewest = PTRDIFF_MAX, balance = PTRDIFF_MAX;
  for (std::size_t head = 0; head < length; ++head) {
    std::size_t tail = length - head - 1;
    while (tail > 0 && !fits(cut(head, tail))) --tail;
    if (!fits(cut(head, tail))) break;
    const std::ptrdiff_t same = alike(head, tail);
    const std::ptrdiff_t off =
        std::abs(static_cast<std::ptrdiff_t>(3 * head) - static_cast<std::ptrdiff_t>(head + tail));
    if (same < fewest || (same == fewest && off < balance)) {
      best = cut(head, tail);
      fewest = same;
      balance = off;
    }
  }
  if (fewest == 0 || best == "…") return best;
  // It differs from some names only in its middle, which is shown between two cuts, after a short beginning.
  std::size_t from = 0;  // the first character that differs from those
  for (const std::string& other : others) {
    if (other == name) continue;
    std::size_t same = 0;
    while (same < length && other.compare(0, at[same + 1], name, 0, at[same + 1]) == 0) ++same;
    from = std::max(from, same);
  }
  constexpr std::size_t kBeginning = 6, kLeast = 3;  // characters of the beginning, and at least of the middle
  for (std::size_t head = std::min(kBeginning, from);; --head) {
    const auto middle = [&](std::size_t to) {
      return name.substr(0, at[head]) + "…" + name.substr(at[from], at[to] - at[from]) + (to < length ? "…" : "");
    };
    std::size_t to = from;
    while (to < length && fits(middle(to + 1))) ++to;
    if (to >= std::min(from + kLeast, length) && to > from) return middle(to);
    if (head == 0) return best;
  }
}

}  // namespace pairs
