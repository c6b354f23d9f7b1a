#include "core/base/system/folder_wait.h"

#include <chrono>
#include <thread>

#include "core/base/text/error.h"

namespace pairs {

std::unique_ptr<FolderLock> wait_for_folder(const std::filesystem::path& folder, const std::function<bool()>& stop) {
  for (;;) {
    if (stop && stop()) throw Stopped();
    if (!is_locked(folder)) {
      try {
        return std::make_unique<FolderLock>(folder);
      } catch (const Error&) {
        if (!is_locked(folder)) throw;  // the reason was not a faster process
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace pairs
