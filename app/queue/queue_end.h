#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/queue/queue.h"
#include "app/queue/queue_progress.h"

namespace pairs {

// The wall time in so many seconds: "14:35", "Tue 14:35" if that is not today, and with the day of the month if it is
// more than six days ahead. `now`: seconds since 1970. "–" if unknown.
std::string end_text(std::int64_t now, double seconds);

// The queue and its state in one line: "3 to go, expected end 14:35". `now`: when the remaining time was computed.
std::string queue_line(const QueueView& view, const QueueTime& left, std::int64_t now);

// The outcome: "2 done; 1 failed: NAME".
std::string queue_end_text(std::size_t done, const std::vector<std::string>& failed);

}  // namespace pairs
