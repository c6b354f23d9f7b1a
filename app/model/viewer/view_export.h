#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/model/viewer/viewer_engine.h"

namespace pairs::model {

// What is shown when an export is asked for.
struct ExportRequest {
  ViewerExport kind = ViewerExport::grid;
  std::filesystem::path file;
  ViewerRequest request;
  ViewerInfo info;
  std::shared_ptr<const ViewerSnapshot> snapshot;  // of a grid
  PicturePointer truth;                            // of a grid
  std::vector<PicturePointer> views;               // of a grid
};

// Writes what the viewer shows, on a thread of its own. The file appears whole or not at all.
class ViewExporter {
 public:
  explicit ViewExporter(std::function<void()> wake);
  ~ViewExporter();
  ViewExporter(const ViewExporter&) = delete;
  ViewExporter& operator=(const ViewExporter&) = delete;

  void start(ExportRequest request);
  void cancel();
  bool busy() const;
  double share() const;  // of the work, 0 to 1
  // How the last one ended: a sentence when it failed; the file, once, when it was written.
  std::string failure() const;
  std::filesystem::path take_written();
  bool wait(double seconds);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::model
