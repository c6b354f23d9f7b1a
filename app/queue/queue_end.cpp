#include "app/queue/queue_end.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <ctime>
#include <string_view>

#include "core/report/number_text.h"

namespace pairs {

std::string end_text(std::int64_t now, double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 3e9) return "–";
  const std::time_t today = static_cast<std::time_t>(now),
                    end = today + static_cast<std::time_t>(std::llround(seconds));
  std::tm from{}, to{};
  ::localtime_r(&today, &from);
  ::localtime_r(&end, &to);
  const bool same = from.tm_yday == to.tm_yday && from.tm_year == to.tm_year;
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), same ? "%H:%M" : seconds < 6 * 86400.0 ? "%a %H:%M" : "%e %b %H:%M", &to);
  const std::string_view reported = text.data();
  return std::string(reported.substr(reported.find_first_not_of(' ')));
}

std::string queue_line(const QueueView& view, const QueueTime& left, std::int64_t now) {
  if (view.items.empty())
    return view.paused ? "The queue is empty, and paused: what is added waits until it goes on" : "The queue is empty";
  if (view.left() == 0) return "Nothing waits; what failed can be tried again";
  std::string text = fmt::format("{} to go", view.left());
  const bool waits_for_window = view.working && view.held && !view.at_work();
  if (view.paused)
    text += view.working ? ", pausing" : ", paused";
  else if (!view.working)
    text += ", nothing works on it";
  else if (waits_for_window)
    text += ", after the run that a window trains";
  if (view.paused || !view.working || waits_for_window) {
    if (!std::isfinite(left.seconds)) return text;
    return text + fmt::format("; {}{} of work", left.whole ? "" : "at least ", duration_text(left.seconds));
  }
  if (!std::isfinite(left.seconds)) return text + ", expected end not known";
  return text + fmt::format(", expected end {}{}{}", end_text(now, left.seconds), left.whole ? "" : " at the earliest",
                            left.measured ? " at the current speed" : "");
}

std::string queue_end_text(std::size_t done, const std::vector<std::string>& failed) {
  std::string text = fmt::format("{} done", done);
  if (!failed.empty()) text += fmt::format("; {} failed: {}", failed.size(), fmt::join(failed, ", "));
  return text;
}

}  // namespace pairs
