#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/model/hub/hub.h"
#include "app/model/settings/settings_survey.h"

namespace pairs::model {

// A GPU's libraries on the Settings page: what there is, and fetching and removing them in the background.
class GpuSetup {
 public:
  explicit GpuSetup(Hub& hub);
  ~GpuSetup();
  GpuSetup(const GpuSetup&) = delete;
  GpuSetup& operator=(const GpuSetup&) = delete;

  // Says why fetching makes no GPU usable: why_no_gpu_to_add (core/base/devices.h), or what a test puts in its place.
  std::function<std::string()> why_not;

  // Looks in the background at what there is.
  void look();
  // Takes over what background work has found. True when something shown has changed.
  bool poll();
  // What was found last; null before it was looked.
  std::shared_ptr<const GpuLibraries> found() const;

  // Fetches them from a package index ("": pip's own), or removes them; stop() ends fetching, which goes on there next
  // time.
  void add(const std::string& index);
  void remove();
  void stop();
  // Whether they are being fetched or removed, and how far that is: "612.4 MiB of 2.3 GiB: torch 2.11.0".
  bool busy() const;
  std::string progress() const;
  // What came of it last, a sentence, and whether it failed; "" before and while it is busy.
  const std::string& outcome() const;
  bool failed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::model
