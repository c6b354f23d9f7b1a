#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/model/hub/messages.h"
#include "app/model/hub/notifier.h"
#include "app/model/hub/scores.h"
#include "app/runs/run_shades.h"
#include "tasks/catalogue.h"

namespace pairs::model {

// What the parts of the view model share. Lives on the thread of the window; others may only call
// `wake`, and ask `tasks`, which stay the same.
struct Hub {
  Catalogue tasks;
  Messages messages = {};
  // Asks for another frame; from any thread, returns at once.
  std::function<void()> wake = [] {};
  std::filesystem::path runs_folder = {};  // where new runs go
  std::filesystem::path data_folder = {};  // of real data; empty = none
  std::string device = "auto";             // of posteriors, evaluations and new runs
  std::int64_t threads = 0;                // of new runs and evaluations; 0 = one a core
  // Shared by the panels: what was evaluated but cannot be kept on disk.
  std::shared_ptr<KeptScores> kept_scores = std::make_shared<KeptScores>();
  // And which shade of its strategy's colour each run has, as the library lists them.
  std::shared_ptr<RunShades> run_shades = std::make_shared<RunShades>();
  // What tells of ends while nobody looks.
  std::shared_ptr<Notifier> notifier = std::make_shared<Notifier>();
};

}  // namespace pairs::model
