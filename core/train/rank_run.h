#pragma once

#include <exception>
#include <filesystem>

#include "core/base/error.h"
#include "core/parallel/ranks.h"
#include "core/train/run.h"

namespace pairs {

// The stages of a run that are missing, up to and including `until`, on one of several `ranks` or alone (null). Throws
// a usage error where so many ranks cannot share what a step is made of.
void train_stages(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor, Stage until,
                  Ranks* ranks);

// Throws a usage error where so many ranks cannot share a run of so many slots. `run`: how the sentence begins, "The
// run r has".
void check_slots(const std::string& run, std::int64_t slots, int ranks);

// The run as a rank that is not the first trains on it: it writes and tells nothing.
void follow_run(const Tasks& tasks, const std::filesystem::path& run, Monitor& monitor, Stage until, Ranks& ranks);

// One rank's part of a run: where an exception ends it before it is done, the others are told of it.
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
