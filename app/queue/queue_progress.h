#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/queue/queue.h"
#include "tasks/catalog.h"

namespace pairs {

// The progress of an item of the queue.
struct QueueProgress {
  std::string text = {};  // "pretrain 45 %", "2 of 6 runs done"; "" before anything is done
  double left = NAN;      // expected remaining seconds; NaN: unknown
  double pace = NAN;      // of the current item once its speed is known: elapsed over expected seconds
};

// Reads the item's folder. The remaining time assumes an idle machine or, once the current item's speed is known, that
// speed. `now`: seconds since 1970. Never throws: unreadable values are unknown.
QueueProgress queue_progress(const Catalog& tasks, const QueueItem& item, double now);
// The progress of each item: waiting items are expected to run at the speed of the current one, once known.
std::vector<QueueProgress> queue_progress(const Catalog& tasks, const QueueView& view, double now);

// The time until all items that have not failed are done.
struct QueueTime {
  double seconds = NAN;   // NaN: unknown for all
  bool whole = true;      // whether each item's time is known; else this is a lower bound
  bool measured = false;  // by the speed of the current item
};
QueueTime time_left(const QueueView& view, const std::vector<QueueProgress>& progress);

// QueueItem::seconds of the item's folder, measured on this machine as it would be trained: a second or two for each
// kind of run. Throws Error, and Stopped once `stop` returns true.
std::vector<double> expected_seconds(const Catalog& tasks, const QueueItem& item, const std::function<bool()>& stop);

}  // namespace pairs
