#pragma once

#include <exception>
#include <filesystem>

#include "core/base/text/error.h"
#include "core/parallel/ranks.h"
#include "core/train/run/run.h"

namespace pairs {

// Runs the missing stages of a run, up to and including `until`, on one of several `ranks` or alone (null). Throws a
// usage error if this many ranks cannot share a step.
void train_stages(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor, Stage until,
                  Ranks* ranks);

// Throws a usage error if this many ranks cannot share this many slots. `run` begins the sentence: "The run r has".
void check_slots(const std::string& run, std::int64_t slots, int ranks);

// Takes part in a run as a rank other than the first: it writes and reports nothing.
void follow_run(const Tasks& tasks, const std::filesystem::path& run, Monitor& monitor, Stage until, Ranks& ranks);

// Runs one rank's part of a run: if an exception ends it early, the other ranks are notified.
template <class Work>
void as_rank(Ranks& ranks, const Work& work) {
  try {
    work();
  } catch (const Stopped&) {
    ranks.leave("");
    throw;
  } catch (const std::exception& error) {
    ranks.leave(sentence(error));
    throw;
  }
}

}  // namespace pairs
