#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace pairs::gui {

enum class ItemKind { button, slider, input, combo, toggle, tab, row, plot, text };

// A record of a widget in a frame, by which tests find it by name, press it, and check that nothing is clipped or
// overlaps.
struct Item {
  std::string name;  // "train/start"; empty for plain texts
  ItemKind kind = ItemKind::button;
  ImVec2 min, max;            // on the screen
  ImVec2 clip_min, clip_max;  // the visible part of its window
  bool enabled = true;
  bool focused = false;        // it has the keyboard focus
  std::string text;            // its label
  bool clipped = false;        // its text is too wide, or was cut with "…"
  bool plotted = false;        // a text in a plot, which moves with the data
  bool covers = false;         // for a plot: its legend covers data
  bool lost = false;           // a part of it is outside its window and scrolling cannot show it
  ImU32 ink = 0, paper = 0;    // colors of the text and its background; 0: unknown
  ImU32 edge = 0, behind = 0;  // for a control: its boundary and background; 0: no boundary
  int layer = 0;               // of its window: popups are above panels

  ImVec2 middle() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
  // Whether its center can be pressed.
  bool reachable() const {
    const ImVec2 at = middle();
    return at.x >= clip_min.x && at.y >= clip_min.y && at.x < clip_max.x && at.y < clip_max.y;
  }
};

// Records widgets for tests. Off and without cost in normal use. Belongs to the window's thread.
class Recorder {
 public:
  void turn(bool on) { on_ = on; }
  bool on() const { return on_; }
  void begin_frame() { items_.clear(); }
  void add(Item item);
  void add(std::string name, ItemKind kind, ImVec2 min, ImVec2 max);
  const std::vector<Item>& items() const { return items_; }
  // The last item drawn with this name in this frame; null if there is none.
  const Item* find(std::string_view name) const;

 private:
  bool on_ = false;
  std::vector<Item> items_;
};
Recorder& recorder();

}  // namespace pairs::gui
