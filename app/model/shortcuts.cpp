#include "app/model/shortcuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/model/navigation.h"

namespace pairs::model {
namespace {

// The value `i` places after `first`.
template <class Enum>
Enum behind(Enum first, int i) {
  return static_cast<Enum>(static_cast<int>(first) + i);
}

std::vector<ShortcutEntry> made() {
  std::vector<ShortcutEntry> all = {{Shortcut::palette, Key::k, true, "Ctrl+K", "Find any command by its name"}};
  static_assert(tab_count <= 9);
  for (int i = 0; i < tab_count; ++i)
    all.push_back({behind(Shortcut::tab_first, i), behind(Key::one, i), true, fmt::format("Ctrl+{}", i + 1),
                   fmt::format("Show the tab {}", kTabs[i].title)});
  const ShortcutEntry others[] = {
      {Shortcut::play, Key::space, false, "Space", "Play N from 1 to the largest, or pause"},
      {Shortcut::n_down, Key::left, false, "Left", "A smaller N"},
      {Shortcut::n_up, Key::right, false, "Right", "A larger N"},
      {Shortcut::new_set, Key::n, true, "Ctrl+N", "Simulate a new set"},
      {Shortcut::open, Key::o, true, "Ctrl+O", "Open a run or a data file"},
      {Shortcut::export_plot, Key::s, true, "Ctrl+S", "Save the plot (export) as SVG, PDF, PNG or CSV"},
      {Shortcut::log_drawer, Key::l, true, "Ctrl+L", "Show or hide the log of messages"},
      {Shortcut::theme, Key::t, true, "Ctrl+T", "Change the theme: dark or light"},
      {Shortcut::settings, Key::comma, true, "Ctrl+,", "Settings: folders, device, threads, appearance"},
      {Shortcut::quit, Key::q, true, "Ctrl+Q", "Quit; runs in progress are saved"},
      {Shortcut::help, Key::f1, false, "F1", "Help: the keys and the mouse"},
  };
  all.insert(all.end(), std::begin(others), std::end(others));
  return all;
}

}  // namespace

std::span<const ShortcutEntry> shortcuts() {
  static const std::vector<ShortcutEntry> all = made();
  return all;
}

const ShortcutEntry& entry(Shortcut shortcut) {
  const std::span<const ShortcutEntry> all = shortcuts();
  return *std::find_if(all.begin(), all.end(), [&](const ShortcutEntry& one) { return one.shortcut == shortcut; });
}

std::optional<Tab> tab_of(Shortcut shortcut) {
  if (shortcut < Shortcut::tab_first || shortcut > Shortcut::tab_last) return std::nullopt;
  return static_cast<Tab>(static_cast<int>(shortcut) - static_cast<int>(Shortcut::tab_first));
}

}  // namespace pairs::model
