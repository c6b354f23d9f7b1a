#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "app/queue/queue.h"
#include "tasks/catalogue.h"

namespace pairs {

// How far an item of the queue is.
struct QueueProgress {
  std::string text = {};  // "pretrain 45 %", "2 of 6 runs done"; "" before anything is done
  double left = NAN;      // seconds that it is expected to need yet, with the machine to itself; NaN: not known
};

// Reads what lies in the item's folder. Never throws: of what cannot be read nothing is known.
QueueProgress queue_progress(const Catalogue& tasks, const QueueItem& item);

// The seconds until all that has not failed is done; NaN where some item's are not known.
double seconds_left(const QueueView& view, const std::vector<QueueProgress>& progress);

// QueueItem::seconds of what lies in its folder, measured on this machine as it would be trained: a second or two for
// each kind of run. Throws Error, and Stopped once `stop` says so.
std::vector<double> expected_seconds(const Catalogue& tasks, const QueueItem& item, const std::function<bool()>& stop);

}  // namespace pairs
