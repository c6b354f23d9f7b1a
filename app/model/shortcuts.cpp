#include "app/model/shortcuts.h"

#include <algorithm>

namespace pairs::model {
namespace {

constexpr ShortcutEntry kShortcuts[] = {
    {Shortcut::palette, Key::k, true, "Ctrl+K", "Find any command by its name"},
    {Shortcut::tab_task, Key::one, true, "Ctrl+1", "Show the tab Task"},
    {Shortcut::tab_train, Key::two, true, "Ctrl+2", "Show the tab Train"},
    {Shortcut::tab_posterior, Key::three, true, "Ctrl+3", "Show the tab Posterior"},
    {Shortcut::tab_evaluate, Key::four, true, "Ctrl+4", "Show the tab Evaluate"},
    {Shortcut::tab_compare, Key::five, true, "Ctrl+5", "Show the tab Compare"},
    {Shortcut::play, Key::space, false, "Space", "Play N from 1 to the largest, or pause"},
    {Shortcut::n_down, Key::left, false, "Left", "A smaller N"},
    {Shortcut::n_up, Key::right, false, "Right", "A larger N"},
    {Shortcut::new_set, Key::n, true, "Ctrl+N", "Simulate a new set"},
    {Shortcut::open, Key::o, true, "Ctrl+O", "Open a run or a data file"},
    {Shortcut::export_plot, Key::s, true, "Ctrl+S", "Save the plot (export) as SVG, PNG or CSV"},
    {Shortcut::log_drawer, Key::l, true, "Ctrl+L", "Show or hide the log of messages"},
    {Shortcut::theme, Key::t, true, "Ctrl+T", "Change the theme: dark or light"},
    {Shortcut::settings, Key::comma, true, "Ctrl+,", "Settings: folders of runs and data, device, threads, looks"},
    {Shortcut::quit, Key::q, true, "Ctrl+Q", "Quit; runs in progress are saved"},
    {Shortcut::help, Key::f1, false, "F1", "Help: the keys and the mouse"},
};

}  // namespace

std::span<const ShortcutEntry> shortcuts() {
  return kShortcuts;
}

const ShortcutEntry& entry(Shortcut shortcut) {
  return *std::find_if(std::begin(kShortcuts), std::end(kShortcuts),
                       [&](const ShortcutEntry& one) { return one.shortcut == shortcut; });
}

}  // namespace pairs::model
