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
#include "tasks/catalog.h"

namespace pairs::model {

// State shared by the parts of the view model. Belongs to the window's thread; other threads may only call `wake` and
// read `tasks`, which do not change.
struct Hub {
  Catalog tasks;
  Messages messages = {};
  // Requests another frame; callable from any thread, returns at once.
  std::function<void()> wake = [] {};
  std::filesystem::path runs_folder = {};  // folder of new runs
  std::filesystem::path data_folder = {};  // folder of real data; empty = none
  std::string device = "auto";             // device of posteriors, evaluations and new runs
  std::int64_t threads = 0;                // for new runs and evaluations; 0 = one per core
  // Evaluations that cannot be stored on disk, shared by the panels.
  std::shared_ptr<KeptScores> kept_scores = std::make_shared<KeptScores>();
  // The shade of each run within its strategy's color, as the library lists them.
  std::shared_ptr<RunShades> run_shades = std::make_shared<RunShades>();
  // Sends desktop notifications when work ends and the window is not in focus.
  std::shared_ptr<Notifier> notifier = std::make_shared<Notifier>();
};

}  // namespace pairs::model
