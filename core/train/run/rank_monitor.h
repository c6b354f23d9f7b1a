#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/parallel/ranks.h"
#include "core/train/settings/stages.h"

namespace pairs {

// The monitor of one of several ranks: only the first reports events and progress, and all stop together. Every check
// for a stop also checks that the other ranks are alive, and throws as Ranks does if they are not.
class RankMonitor : public Monitor {
 public:
  RankMonitor(Monitor& next, Ranks& ranks) : next_(next), ranks_(ranks) {}
  void event(const Event& event) override {
    if (ranks_.leads()) next_.event(event);
  }
  void progress(const Progress& progress) override {
    if (ranks_.leads()) next_.progress(progress);
  }
  bool should_stop() override {
    ranks_.check();
    return ranks_.together() ? ranks_.all_stop() : next_.should_stop();
  }
  bool wants_preview() override { return ranks_.leads() && next_.wants_preview(); }
  void preview(const Preview& preview) override { next_.preview(preview); }
  Ranks* ranks() override { return &ranks_; }
  bool wants_stop() override { return next_.should_stop(); }

 private:
  Monitor& next_;
  Ranks& ranks_;
};

// Whether this process writes the run's folder: it trains alone, or is the first rank.
inline bool writes_run(Monitor& monitor) {
  return monitor.ranks() == nullptr || monitor.ranks()->leads();
}

// Runs `first` on the first rank, or on the only one, and afterwards `rest` on the others.
void in_turn(Monitor& monitor, const std::function<void()>& first, const std::function<void()>& rest = {});

// Waits for all ranks, and until each sees the first one's files in the run's folder: on a shared disk, other machines
// may see new files late. Throws Error naming a file that a rank does not see within a minute.
void see_alike(const std::filesystem::path& run, Monitor& monitor);

// value(k) for k = 0 .. count - 1, each computed by one of the ranks and sent to all. Throws Stopped if one is asked to
// stop.
std::vector<double> shared_values(Monitor& monitor, std::int64_t count,
                                  const std::function<double(std::int64_t)>& value);

// Throws Error if the ranks' tensors are not equal bit for bit: their machines compute differently.
void check_alike(Monitor& monitor, const std::map<std::string, torch::Tensor>& tensors);

}  // namespace pairs
