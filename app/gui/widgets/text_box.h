#pragma once

#include <string>
#include <string_view>

namespace pairs::gui::ui {

// The changes of a multi-line text in this frame.
struct TextBox {
  bool changed = false;  // the text was edited
  bool ended = false;    // editing ended with a changed text
};

// A multi-line text, `height` pixels high, up to the right edge. Enter starts a new line; Escape ends typing and keeps
// the text. An empty text shows `hint`, or why it is `blocked`.
TextBox text_box(std::string_view name, std::string& value, std::string_view hint, std::string_view tip, float height,
                 std::string_view blocked = {});

}  // namespace pairs::gui::ui
