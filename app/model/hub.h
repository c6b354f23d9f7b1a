#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "app/model/messages.h"

namespace pairs::model {

// What the parts of the view model share. Lives on the thread of the window; only `wake` may be called from others.
struct Hub {
  Messages messages;
  // Asks for another frame; from any thread, returns at once.
  std::function<void()> wake = [] {};
  std::filesystem::path runs_folder;  // where new runs go
  std::filesystem::path data_folder;  // of real data; empty = none
  std::string device = "auto";        // for posteriors and evaluations of runs that name none
};

}  // namespace pairs::model
