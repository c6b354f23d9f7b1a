#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/queue/queue.h"
#include "app/queue/queue_progress.h"

namespace pairs {

// The moment in so many seconds as a clock on the wall tells it: "14:35", "Tue 14:35" where that is not today, and with
// the day of the month where it is none of the next six days. `now`: seconds since 1970. "–" where it is not known.
std::string end_text(std::int64_t now, double seconds);

// The queue in a line: "3 to go, expected end 14:35", with how it stands. `now`: when the time left was worked out.
std::string queue_line(const QueueView& view, const QueueTime& left, std::int64_t now);

// What came of it: "2 done; 1 failed: NAME".
std::string queue_end_text(std::size_t done, const std::vector<std::string>& failed);

}  // namespace pairs
