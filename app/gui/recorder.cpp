#include "app/gui/recorder.h"

#include <imgui_internal.h>

#include <algorithm>

namespace pairs::gui {

Recorder& recorder() {
  static Recorder one;
  return one;
}

void Recorder::add(Item item) {
  if (!on_) return;
  const ImGuiWindow* window = ImGui::GetCurrentWindowRead();
  if (window) {
    item.clip_min = window->ClipRect.Min;
    item.clip_max = window->ClipRect.Max;
    item.layer = (window->RootWindow->Flags & (ImGuiWindowFlags_Popup | ImGuiWindowFlags_Modal)) ? 1 : 0;
    if (window->RootWindow->Flags & ImGuiWindowFlags_Tooltip) item.layer = 2;
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
