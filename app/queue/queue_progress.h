#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/queue/queue.h"
#include "tasks/catalogue.h"

namespace pairs {

// How far an item of the queue is.
struct QueueProgress {
  std::string text = {};  // "pretrain 45 %", "2 of 6 runs done"; "" before anything is done
  double left = NAN;      // seconds that it is expected to need yet; NaN: not known
  double pace = NAN;      // of one at work that has told how fast it goes: seconds taken over those expected
};

// Reads what lies in the item's folder. What it needs yet is what was expected with the machine to itself, or, once an
// item at work has told it, as fast as it goes. `now`: seconds since 1970. Never throws: of what cannot be read nothing
// is known.
QueueProgress queue_progress(const Catalogue& tasks, const QueueItem& item, double now);
// Of each item: those that wait behind one that has told how fast it goes are expected to go so, too.
std::vector<QueueProgress> queue_progress(const Catalogue& tasks, const QueueView& view, double now);

// The seconds until all that has not failed is done.
struct QueueTime {
  double seconds = NAN;   // NaN: of nothing known
  bool whole = true;      // whether each item's is known, else it takes at least that
  bool measured = false;  // by how fast the item at work goes
};
QueueTime time_left(const QueueView& view, const std::vector<QueueProgress>& progress);

// QueueItem::seconds of what lies in its folder, measured on this machine as it would be trained: a second or two for
// each kind of run. Throws Error, and Stopped once `stop` says so.
std::vector<double> expected_seconds(const Catalogue& tasks, const QueueItem& item, const std::function<bool()>& stop);

}  // namespace pairs
