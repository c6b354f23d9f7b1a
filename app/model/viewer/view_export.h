#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/model/viewer/viewer_engine.h"

namespace pairs::model {

// The content to export.
struct ExportRequest {
  ViewerExport kind = ViewerExport::grid;
  std::filesystem::path file;
  ViewerRequest request;
  ViewerInfo info;
  std::shared_ptr<const ViewerSnapshot> snapshot;  // for a grid
  PicturePointer truth;                            // for a grid
  std::vector<PicturePointer> views;               // for a grid
};

// Writes the viewer's content on its own thread. The file appears complete or not at all.
class ViewExporter {
 public:
  explicit ViewExporter(std::function<void()> wake);
  ~ViewExporter();
  ViewExporter(const ViewExporter&) = delete;
  ViewExporter& operator=(const ViewExporter&) = delete;

  void start(ExportRequest request);
  void cancel();
  bool busy() const;
  double share() const;  // finished share, 0 to 1
  // The outcome of the last export: a sentence on its failure; or, once, the file written.
  std::string failure() const;
  std::filesystem::path take_written();
  bool wait(double seconds);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::model
