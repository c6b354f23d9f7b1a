#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/model/navigation.h"

namespace pairs::model {

// The actions of keys, valid in all parts of the window.
enum class Shortcut {
  palette,
  tab_first,  // of kTabs, in order
  tab_last = tab_first + 8,
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

enum class Key { space, left, right, f1, one, nine = one + 8, k, l, n, o, q, s, t, comma };

struct ShortcutEntry {
  Shortcut shortcut;
  Key key;
  bool control;             // with Ctrl
  std::string keys;         // "Ctrl+K"
  std::string description;  // "Open the command palette"
};

// In the order of the list of F1; each shortcut once.
std::span<const ShortcutEntry> shortcuts();
const ShortcutEntry& entry(Shortcut shortcut);
// The tab that a shortcut shows, if any.
std::optional<Tab> tab_of(Shortcut shortcut);

}  // namespace pairs::model
