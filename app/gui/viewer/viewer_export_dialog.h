#pragma once

#include <string>

#include "app/gui/widgets/file_browser.h"
#include "app/model/viewer/viewer.h"

namespace pairs::gui {

// Exports the viewer's content: asks for kind and path, and shows the progress. Widgets: "viewer/save/grid",
// "/animation", "/views", "/scene", "/path", "/write", "/cancel", "/stop".
class ViewerExportDialog {
 public:
  void ask(const model::Viewer& viewer);
  // Call once per frame.
  void draw(model::Viewer& viewer);

 private:
  void choose(const model::Viewer& viewer, model::ViewerExport kind);
  void look();

  bool open_ = false, shown_ = false, exists_ = false, writing_ = false;
  model::ViewerExport kind_ = model::ViewerExport::grid;
  std::string failure_;
  FileBrowser browser_;
};

}  // namespace pairs::gui
