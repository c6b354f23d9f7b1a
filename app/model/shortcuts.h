#pragma once

#include <span>

namespace pairs::model {

// What keys do, wherever the window is.
enum class Shortcut {
  palette,
  tab_task,
  tab_train,
  tab_posterior,
  tab_evaluate,
  tab_compare,
  play,
  n_down,
  n_up,
  new_set,
  open,
  export_plot,
  log_drawer,
  theme,
  settings,
  quit,
  help
};

enum class Key { space, left, right, f1, one, two, three, four, five, k, l, n, o, q, s, t, comma };

struct ShortcutEntry {
  Shortcut shortcut;
  Key key;
  bool control;             // with Ctrl
  const char* keys;         // "Ctrl+K"
  const char* description;  // "Open the command palette"
};

// In the order of the list that F1 shows; each shortcut once.
std::span<const ShortcutEntry> shortcuts();
const ShortcutEntry& entry(Shortcut shortcut);

}  // namespace pairs::model
