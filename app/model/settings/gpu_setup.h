#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/model/hub/hub.h"
#include "app/model/settings/settings_survey.h"

namespace pairs::model {

// The GPU libraries on the Settings page: which are installed; downloads and removes them in the background.
class GpuSetup {
 public:
  explicit GpuSetup(Hub& hub);
  ~GpuSetup();
  GpuSetup(const GpuSetup&) = delete;
  GpuSetup& operator=(const GpuSetup&) = delete;

  // Returns why a download would not make a GPU usable: why_no_gpu_to_add (core/base/gpu/devices.h), or a test's
  // substitute.
  std::function<std::string()> why_not;

  // Checks the installed libraries in the background.
  void look();
  // Takes over finished background work. Returns whether something shown has changed.
  bool poll();
  // The last findings; null before the first check.
  std::shared_ptr<const GpuLibraries> found() const;

  // Downloads them from a package index ("": pip's own), or removes them; after stop(), the next download resumes.
  void add(const std::string& index);
  void remove();
  void stop();
  // Whether a download or removal is in progress, and its progress: "612.4 MiB of 2.3 GiB: torch 2.11.0".
  bool busy() const;
  std::string progress() const;
  // The last outcome, as a sentence, and whether it failed; "" before it and while busy.
  const std::string& outcome() const;
  bool failed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::model
