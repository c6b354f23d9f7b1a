#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/gui/widgets/save_dialog.h"
#include "core/report/figure.h"

namespace pairs::gui {

// The dialog that saves a figure: asks for a path, writes, and reports a failure in a sentence.
class FigureSaver {
 public:
  // Opens the dialog. `extension` is ".pdf", ".svg", ".png" or ".csv"; the suggested name is the figure's title.
  void ask(const Figure& figure, std::string_view extension);
  // Call once per frame; the widgets are "<name>/save/path", ".../write" and ".../cancel". `figure` is called to write.
  void draw(const std::string& name, const std::function<Figure()>& figure);

 private:
  SaveDialog dialog_;
};

// "Width against N" -> "width-against-n".
std::string file_stem(std::string_view title);

// The figure without points outside the requested x axes, except one on each side: the content of a table of the
// visible plots.
Figure within_axes(Figure figure);

}  // namespace pairs::gui
