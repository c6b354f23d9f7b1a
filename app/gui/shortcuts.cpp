#include "app/gui/shortcuts.h"

#include <algorithm>

#include "app/gui/platform/input.h"
#include "app/gui/widgets/ui.h"

namespace pairs::gui {

int code_of(model::Key key) {
  if (key >= model::Key::one && key <= model::Key::nine)
    return '1' + static_cast<int>(key) - static_cast<int>(model::Key::one);
  switch (key) {
    case model::Key::space:
      return key::space;
    case model::Key::left:
      return key::left;
    case model::Key::right:
      return key::right;
    case model::Key::f1:
      return key::f1;
    case model::Key::one:
    case model::Key::nine:
      break;
    case model::Key::k:
      return 'K';
    case model::Key::l:
      return 'L';
    case model::Key::n:
      return 'N';
    case model::Key::o:
      return 'O';
    case model::Key::q:
      return 'Q';
    case model::Key::s:
      return 'S';
    case model::Key::t:
      return 'T';
    case model::Key::comma:
      return ',';
  }
  return 0;
}

bool ShortcutsDialog::draw() {
  if (!open_) return false;
  if (!ui::begin_dialog("shortcuts", "Keys and mouse", open_, 460)) return false;
  float column = 0;
  for (const model::ShortcutEntry& entry : model::shortcuts())
    column = std::max(column, ui::text_size(entry.keys, ui::Look::strong).x);
  const float start = ImGui::GetCursorPosX();
  for (const model::ShortcutEntry& entry : model::shortcuts()) {
    ui::text(entry.keys, ui::Look::strong);
    ImGui::SameLine(start + column + px(24));
    ui::text(entry.description);
  }
  ui::space(8);
  ui::wrapped(
      "In plots: the wheel zooms (with Ctrl where the panel scrolls); a drag zooms to a box; a drag with the right "
      "button, or Shift and the left, moves; a double click shows all again; a right click opens the menu.",
      ui::Look::small_muted);
  ui::wrapped(
      "In the table of runs (Compare): Ctrl and Shift select several rows, a double click opens one, a right click "
      "opens the menu; the ? next to the filter lists its words.",
      ui::Look::small_muted);
  ui::wrapped(
      "Tab and Shift+Tab lead through all controls; Enter or Space presses the one with the ring, arrows move a "
      "slider, Enter on a plot opens its menu. In a dialog Enter presses its first button and Escape cancels.",
      ui::Look::small_muted);
  ui::space(12);
  if (ui::button("shortcuts/close", "Close", ui::Button::primary)) open_ = false;
  ImGui::SameLine();
  const bool tour = ui::button("shortcuts/tour", "Show the tour again", ui::Button::quiet, {},
                               "Its three steps: drag N, open data, train");
  if (tour) open_ = false;
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
  return tour;
}

}  // namespace pairs::gui
