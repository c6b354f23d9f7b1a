#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "app/model/files/file_preview.h"
#include "app/model/files/folder_listing.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// The contents of a file browser. Reads the disk in the background, so that a slow disk never blocks the window. All
// members belong to the window's thread.
class FileBrowsing {
 public:
  // `tasks`: tasks whose runs can be previewed. `wake` requests a frame, from any thread.
  FileBrowsing(Tasks tasks, std::function<void()> wake);

  // Sets the folder to list; repeated calls list it anew from time to time.
  void look(const std::filesystem::path& folder);
  // Seconds until look() lists the same folder anew.
  double until_next_look() const;
  // The folder's entries; null until they are read.
  std::shared_ptr<const FolderListing> listing() const;
  // Sets the file or folder to preview; "" for none.
  void report(const std::filesystem::path& path);
  std::shared_ptr<const FilePreview> preview() const;
  bool busy() const { return listing_.busy() || preview_.busy(); }
  // Stops reading.
  void cancel();

 private:
  struct Listed {
    std::shared_ptr<const FolderListing> listing;
    double seconds = 0;  // duration of the listing
  };

  double interval() const;

  Tasks tasks_;
  std::filesystem::path folder_, reported_;
  bool looking_ = false;
  Stopwatch since_;  // since the last listing was requested
  Latest<Listed> listing_;
  Latest<FilePreview> preview_;
};

}  // namespace pairs::model
