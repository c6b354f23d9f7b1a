#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/report/figure.h"

namespace pairs::gui {

// The dialog that saves a figure: asks for a path, writes, and says in a sentence when that failed.
class FigureSaver {
 public:
  // Opens it. `extension` is ".svg", ".png" or ".csv"; the path offered is the figure's title in the current folder.
  void ask(const Figure& figure, std::string_view extension);
  // Once a frame; the widgets are "<name>/save/path", ".../write" and ".../cancel". `figure` is asked for when written.
  void draw(const std::string& name, const std::function<Figure()>& figure);

 private:
  void write(const Figure& figure);
  void look();
  bool open_ = false, fresh_ = false;
  std::string path_, failure_;
  bool exists_ = false;  // a file of this path, as of the last look()
};

// "Width against N" -> "width-against-n".
std::string file_stem(std::string_view title);

// The figure without points outside of the x axes that were asked for, one on each side kept: what a table of the
// plots as seen holds.
Figure within_axes(Figure figure);

}  // namespace pairs::gui
