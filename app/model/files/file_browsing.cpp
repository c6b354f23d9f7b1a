#include "app/model/files/file_browsing.h"

#include <algorithm>
#include <utility>

namespace pairs::model {
namespace {

constexpr double kBetweenListings = 2;  // seconds

}  // namespace

FileBrowsing::FileBrowsing(Tasks tasks, std::function<void()> wake)
    : tasks_(std::move(tasks)), listing_(wake), preview_(std::move(wake)) {}

// A slow disk is read less often.
double FileBrowsing::interval() const {
  const auto listed = listing_.last();
  return std::max(kBetweenListings, listed ? 20 * listed->seconds : 0.0);
}

double FileBrowsing::until_next_look() const {
  return std::max(interval() - since_.seconds(), 0.0);
}

void FileBrowsing::look(const std::filesystem::path& folder) {
  if (looking_ && folder == folder_ && (listing_.busy() || since_.seconds() < interval())) return;
  looking_ = true;
  folder_ = folder;
  since_.restart();
  listing_.ask([folder](const auto& stale) {
    const Stopwatch watch;
    auto listing = std::make_shared<const FolderListing>(list_folder(folder, stale));
    return std::make_shared<const Listed>(Listed{std::move(listing), watch.seconds()});
  });
}

std::shared_ptr<const FolderListing> FileBrowsing::listing() const {
  const auto listed = listing_.last();
  return listed && listed->listing->folder == folder_ ? listed->listing : nullptr;
}

void FileBrowsing::report(const std::filesystem::path& path) {
  if (path == reported_) return;
  reported_ = path;
  if (path.empty()) return preview_.cancel();
  preview_.ask([tasks = tasks_, path](const auto& stale) {
    return std::make_shared<const FilePreview>(preview_of(tasks, path, stale));
  });
}

std::shared_ptr<const FilePreview> FileBrowsing::preview() const {
  const auto preview = preview_.last();
  return preview && preview->path == reported_ ? preview : nullptr;
}

void FileBrowsing::cancel() {
  looking_ = false;
  reported_.clear();
  listing_.cancel();
  preview_.cancel();
}

}  // namespace pairs::model
