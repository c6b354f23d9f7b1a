#include "app/model/files/file_browsing.h"

#include <algorithm>
#include <utility>

namespace pairs::model {
namespace {

constexpr double kBetweenListings = 2;  // seconds

}  // namespace

FileBrowsing::FileBrowsing(Tasks tasks, std::function<void()> wake)
    : tasks_(std::move(tasks)),
      wake_(std::move(wake)),
      lister_([](const std::string&) {}),
      teller_([](const std::string&) {}) {}

// A slow disk is looked at less often.
double FileBrowsing::interval() const {
  const std::lock_guard lock(found_.mutex);
  return std::max(kBetweenListings, 20 * found_.seconds);
}

double FileBrowsing::until_next_look() const {
  return std::max(interval() - since_.seconds(), 0.0);
}

void FileBrowsing::look(const std::filesystem::path& folder) {
  if (looking_ && folder == folder_ && (lister_.busy() || since_.seconds() < interval())) return;
  looking_ = true;
  folder_ = folder;
  since_.restart();
  lister_.request([this, folder](const LatestWorker::Stale& stale) {
    const Stopwatch watch;
    auto listing = std::make_shared<const FolderListing>(list_folder(folder, stale));
    {
      const std::lock_guard lock(found_.mutex);
      found_.listing = std::move(listing);
      found_.seconds = watch.seconds();
    }
    wake_();
  });
}

std::shared_ptr<const FolderListing> FileBrowsing::listing() const {
  const std::lock_guard lock(found_.mutex);
  return found_.listing && found_.listing->folder == folder_ ? found_.listing : nullptr;
}

void FileBrowsing::tell(const std::filesystem::path& path) {
  if (path == told_) return;
  told_ = path;
  if (path.empty()) return teller_.cancel();
  teller_.request([this, path](const LatestWorker::Stale& stale) {
    auto preview = std::make_shared<const FilePreview>(preview_of(tasks_, path, stale));
    {
      const std::lock_guard lock(found_.mutex);
      found_.preview = std::move(preview);
    }
    wake_();
  });
}

std::shared_ptr<const FilePreview> FileBrowsing::preview() const {
  const std::lock_guard lock(found_.mutex);
  return found_.preview && found_.preview->path == told_ ? found_.preview : nullptr;
}

void FileBrowsing::cancel() {
  looking_ = false;
  told_.clear();
  lister_.cancel();
  teller_.cancel();
}

}  // namespace pairs::model
