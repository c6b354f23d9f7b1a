#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/gui/widgets/save_dialog.h"
#include "core/report/figure.h"

namespace pairs::gui {

// The dialog that saves a figure: asks for a path, writes, and says in a sentence when that failed.
class FigureSaver {
 public:
  // Opens it. `extension` is ".pdf", ".svg", ".png" or ".csv"; the name offered is the figure's title.
  void ask(const Figure& figure, std::string_view extension);
  // Once a frame; the widgets are "<name>/save/path", ".../write" and ".../cancel". `figure` is asked for when written.
  void draw(const std::string& name, const std::function<Figure()>& figure);

 private:
  SaveDialog dialog_;
};

// "Width against N" -> "width-against-n".
std::string file_stem(std::string_view title);

// The figure without points outside of the x axes that were asked for, one on each side kept: what a table of the
// plots as seen holds.
Figure within_axes(Figure figure);

}  // namespace pairs::gui
