#pragma once

#include <filesystem>

#include "core/train/run/run.h"
#include "core/train/stages/source_choice.h"
#include "tasks/registry.h"

namespace pairs {

// Makes the folder a copy of the shipped bump hunt whose comparison finds the refined posterior worse at N = 1 and
// better from N = 20 on.
inline void make_compared_run(const std::filesystem::path& folder) {
  std::filesystem::copy(find_run(built_in_tasks(), "bump-hunt").folder, folder,
                        std::filesystem::copy_options::recursive);
  save_source_choice(folder, {{{1, 32, 0, -0.4, 0.1}, {20, 32, 0, 0.3, 0.1}}});
}

}  // namespace pairs
