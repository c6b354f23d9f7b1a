#pragma once

#include <string>
#include <string_view>

namespace pairs::gui::ui {

// What became of a text of several lines in this frame.
struct TextBox {
  bool changed = false;  // a letter was typed or taken away
  bool ended = false;    // editing ended with a changed text
};

// A text of several lines, `height` pixels high, to the right edge. Enter begins a new one, Escape ends typing and
// keeps what was typed. `hint`, or why it is `blocked`, stands in an empty one.
TextBox text_box(std::string_view name, std::string& value, std::string_view hint, std::string_view tip, float height,
                 std::string_view blocked = {});

}  // namespace pairs::gui::ui
