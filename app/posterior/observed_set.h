#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/kinds/sample_plot.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// Which set is observed: one of the prior, one with values set by hand, or a file's.
struct SetChoice {
  std::int64_t index = 0;                 // of the prior
  std::vector<double> theta = {};         // set by hand; empty: the prior's
  std::vector<double> psi = {};           // the same
  std::optional<Component> changed = {};  // that a person has just set: others follow it. None: they are as they are
  std::filesystem::path file = {};        // empty: simulated
};

// The observations of a set, simulated as far as they are asked for. Belongs to one thread at a time.
class ObservedSet {
 public:
  // Throws Error for a file that cannot be read and values that do not go together.
  ObservedSet(std::shared_ptr<const Task> task, SetChoice choice);

  const Task& task() const { return *task_; }
  const SetChoice& choice() const { return choice_; }
  bool simulated() const { return choice_.file.empty(); }
  // Values of a simulated set, one row; else undefined tensors.
  const Latents& latents() const { return latents_; }
  // θ and ψ of a simulated set; else empty.
  std::vector<double> theta() const;
  std::vector<double> psi() const;
  // Observations that can be used; all that a file holds.
  std::int64_t size() const { return simulated() ? task_->info().max_n : x_.count(); }
  std::int64_t held() const { return held_; }
  // The first n, float32 on the CPU, n <= size().
  Observations first(std::int64_t n);
  // Observations from .. to - 1 of the same.
  Observations part(std::int64_t from, std::int64_t to) { return first(to).slice(from, to); }

  std::string name() const;    // "Set 3 of the prior", a file's name
  std::string source() const;  // "simulated", "generated digits", a path
  // What reading the file had to say, and that not all of it is used: sentences.
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::string& note() const { return note_; }
  // The first n of them as people would draw them, so many at most.
  Figure picture(std::int64_t n, const SampleView& view);
  std::int64_t drawn(std::int64_t n) const;

 private:
  void read();
  void draw();

  std::shared_ptr<const Task> task_;
  SetChoice choice_;
  Latents latents_;
  Observations x_;  // as far as they were asked for
  std::int64_t held_ = 0;
  std::vector<std::string> warnings_;
  std::string note_;
};

}  // namespace pairs
