#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace pairs::gui {

enum class ItemKind { button, slider, input, combo, toggle, tab, row, plot, text };

// What a widget drew in a frame: how tests find it by name, press it, and see that nothing is clipped or overlaps.
struct Item {
  std::string name;  // "train/start"; empty for mere texts
  ItemKind kind = ItemKind::button;
  ImVec2 min, max;            // on the screen
  ImVec2 clip_min, clip_max;  // what of the screen its window shows
  bool enabled = true;
  bool focused = false;        // the keys go to it
  std::string text;            // its label
  bool clipped = false;        // its text is wider than its room, or was cut with "…"
  bool plotted = false;        // a text of a plot, which moves with the data
  bool covers = false;         // of a plot: its legend stands over data
  bool lost = false;           // a part of it is outside of its window, and no scrolling shows it
  ImU32 ink = 0, paper = 0;    // colours of the text and of what is behind it; 0: unknown
  ImU32 edge = 0, behind = 0;  // of a control: its boundary and what it stands on; 0: it has no boundary
  int layer = 0;               // of its window: popups stand above panels

  ImVec2 middle() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
  // Whether its middle can be pressed.
  bool reachable() const {
    const ImVec2 at = middle();
    return at.x >= clip_min.x && at.y >= clip_min.y && at.x < clip_max.x && at.y < clip_max.y;
  }
};

// Off in normal use; costs nothing then. Belongs to the thread of the window.
class Recorder {
 public:
  void turn(bool on) { on_ = on; }
  bool on() const { return on_; }
  void begin_frame() { items_.clear(); }
  void add(Item item);
  void add(std::string name, ItemKind kind, ImVec2 min, ImVec2 max);
  const std::vector<Item>& items() const { return items_; }
  // The last one drawn with this name in this frame; null when there is none.
  const Item* find(std::string_view name) const;

 private:
  bool on_ = false;
  std::vector<Item> items_;
};
Recorder& recorder();

}  // namespace pairs::gui
