#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "app/model/files/file_preview.h"
#include "app/model/files/folder_listing.h"
#include "core/base/clock.h"
#include "core/base/latest.h"

namespace pairs::model {

// What a file browser shows of the disk, read behind the window: however slow a disk is, nothing here waits for it.
// All members belong to the window's thread.
class FileBrowsing {
 public:
  // Runs of `tasks` are looked into. `wake` asks for a frame, from any thread.
  FileBrowsing(Tasks tasks, std::function<void()> wake);

  // The folder that is looked at from now on; the same one is listed anew once in a while.
  void look(const std::filesystem::path& folder);
  // Seconds until look() of the same folder lists it anew.
  double until_next_look() const;
  // Of that folder; null until it has been read.
  std::shared_ptr<const FolderListing> listing() const;
  // The file or folder that is told of from now on; "" for none.
  void tell(const std::filesystem::path& path);
  std::shared_ptr<const FilePreview> preview() const;
  bool busy() const { return listing_.busy() || preview_.busy(); }
  // Leaves off.
  void cancel();

 private:
  struct Listed {
    std::shared_ptr<const FolderListing> listing;
    double seconds = 0;  // that it took
  };

  double interval() const;

  Tasks tasks_;
  std::filesystem::path folder_, told_;
  bool looking_ = false;
  Stopwatch since_;  // the last listing was asked for
  Latest<Listed> listing_;
  Latest<FilePreview> preview_;
};

}  // namespace pairs::model
