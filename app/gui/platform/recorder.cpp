#include "app/gui/platform/recorder.h"

#include <imgui_internal.h>

#include <algorithm>

namespace pairs::gui {

namespace {

bool beyond_reach(const ImGuiWindow& window, const Item& item) {
  constexpr float kSlack = 2;
  const bool at_side = item.min.x < item.clip_min.x - kSlack || item.max.x > item.clip_max.x + kSlack;
  const bool below = item.min.y < item.clip_min.y - kSlack || item.max.y > item.clip_max.y + kSlack;
  bool across = false, down = false;  // directions that can be scrolled
  for (const ImGuiWindow* w = &window; w; w = w->ParentWindow) {
    across |= w->ScrollMax.x > 0 && !(w->Flags & ImGuiWindowFlags_NoScrollWithMouse);
    down |= w->ScrollMax.y > 0 && !(w->Flags & ImGuiWindowFlags_NoScrollWithMouse);
  }
  return (at_side && !across) || (below && !down);
}

}  // namespace

Recorder& recorder() {
  static Recorder one;
  return one;
}

void Recorder::add(Item item) {
  if (!on_) return;
  const ImGuiWindow* window = ImGui::GetCurrentWindowRead();
  if (window && window->SkipItems) return;  // nothing of it is drawn, and widgets have no positions
  if (window) {
    item.clip_min = window->ClipRect.Min;
    item.clip_max = window->ClipRect.Max;
    item.lost = beyond_reach(*window, item);
    item.layer = (window->RootWindow->Flags & (ImGuiWindowFlags_Popup | ImGuiWindowFlags_Modal)) ? 1 : 0;
    if (window->RootWindow->Flags & ImGuiWindowFlags_Tooltip) {
      item.layer = 2;
      item.lost = false;  // Dear ImGui keeps them on the screen
    }
    if (window->IsFallbackWindow) {  // drawn above all windows
      item.clip_min = {0, 0};
      item.clip_max = ImGui::GetIO().DisplaySize;
      item.lost = false;
      item.layer = 3;
    }
  }
  items_.push_back(std::move(item));
}

void Recorder::add(std::string name, ItemKind kind, ImVec2 min, ImVec2 max) {
  if (!on_) return;
  Item item;
  item.name = std::move(name);
  item.kind = kind;
  item.min = min;
  item.max = max;
  add(std::move(item));
}

const Item* Recorder::find(std::string_view name) const {
  const auto found = std::find_if(items_.rbegin(), items_.rend(), [&](const Item& item) { return item.name == name; });
  return found == items_.rend() ? nullptr : &*found;
}

}  // namespace pairs::gui
