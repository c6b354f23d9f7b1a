#include "app/gui/widgets/keyboard.h"

#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/platform/input.h"
#include "app/gui/platform/theme.h"

namespace pairs::gui::keyboard {
namespace {

// A drawn control.
struct Stop {
  ImGuiID id = 0;
  ImGuiWindow* window = nullptr;
  ItemKind kind = ItemKind::button;
  bool enabled = true;
  std::string name = {};
  Place place = {};
};

// The focus within the window, or within one of the popups over it.
struct Level {
  ImGuiID popup = 0;
  ImGuiID focused = 0;
  std::size_t place = 0;  // index among the stops, in case the control disappears
};

struct State {
  std::vector<Stop> last, now;  // of the last frame and this one, as drawn
  std::vector<Level> levels = {{}};
  bool shown = false;       // the ring; the mouse hides it
  bool sought = false;      // the focus has moved: scroll to it, start typing
  bool enter_free = false;  // no control uses Enter in this frame
  ImGuiID pressed = 0;      // the control pressed by keys, if Dear ImGui cannot press it
  int steps = 0;
  int frame = -1;
  int tab_kept = -2;  // the last frame in which a text field reserved the next Tab
} state;

bool key_pressed(int code, bool repeat = false) {
  return ImGui::IsKeyPressed(code, repeat);
}

// Resets everything when its context changes, since it points to the context's windows.
void bind_to_context() {
  constexpr ImGuiID kOwner = 0x6B657973;
  ImGuiContext& g = *GImGui;
  if (std::any_of(g.Hooks.begin(), g.Hooks.end(), [](const ImGuiContextHook& hook) { return hook.Owner == kOwner; }))
    return;
  state = {};
  ImGuiContextHook hook;
  hook.Type = ImGuiContextHookType_Shutdown;
  hook.Owner = kOwner;
  hook.Callback = [](ImGuiContext*, ImGuiContextHook*) { state = {}; };
  ImGui::AddContextHook(&g, &hook);
}

// The controls of this frame become those of the last one.
void turn() {
  bind_to_context();
  const int frame = ImGui::GetFrameCount();
  if (frame == state.frame) return;
  state.last = frame == state.frame + 1 ? std::move(state.now) : std::vector<Stop>();
  state.now.clear();
  state.frame = frame;
}

const ImGuiWindow* top_popup() {
  const auto& open = GImGui->OpenPopupStack;
  return open.empty() ? nullptr : open.back().Window;
}

// The stops of Tab: the enabled controls of the open popup, or of the window.
std::vector<Stop> ring() {
  std::vector<Stop> stops;
  const auto& open = GImGui->OpenPopupStack;
  if (!open.empty() && !top_popup()) return stops;
  for (const Stop& stop : state.last) {
    if (!stop.enabled) continue;
    const bool within = top_popup() ? stop.window->RootWindow == top_popup()
                                    : !(stop.window->RootWindow->Flags & ImGuiWindowFlags_Popup);
    const bool again = std::any_of(stops.begin(), stops.end(), [&](const Stop& other) { return other.id == stop.id; });
    if (within && !again) stops.push_back(stop);
  }
  return stops;
}

// The levels follow the open popups: a new one starts without focus, a closed one returns it.
void follow_popups() {
  const auto& open = GImGui->OpenPopupStack;
  const auto depth = static_cast<std::size_t>(open.Size) + 1;
  while (state.levels.size() > depth) state.levels.pop_back();
  for (std::size_t k = 1; k < depth; ++k) {
    const ImGuiID popup = open[static_cast<int>(k) - 1].PopupId;
    if (k < state.levels.size() && state.levels[k].popup == popup) continue;
    state.levels.resize(k);
    state.levels.push_back({popup, 0, 0});
  }
}

const Stop* focused_in(const std::vector<Stop>&& stops) = delete;
const Stop* focused_in(const std::vector<Stop>& stops) {
  const auto at =
      std::find_if(stops.begin(), stops.end(), [](const Stop& s) { return s.id == state.levels.back().focused; });
  return at == stops.end() ? nullptr : &*at;
}

void focus(const std::vector<Stop>& stops, std::size_t place) {
  Level& level = state.levels.back();
  level.focused = stops[place].id;
  level.place = place;
  state.shown = state.sought = true;
  if (GImGui->ActiveId != 0) ImGui::ClearActiveID();
}

void move(const std::vector<Stop>& stops, int direction) {
  if (stops.empty()) return;
  const Level& level = state.levels.back();
  const auto count = static_cast<int>(stops.size());
  int place = 0;
  if (const Stop* now = focused_in(stops))
    place = (static_cast<int>(now - stops.data()) + direction + count) % count;
  else if (level.focused != 0)
    place = std::min(static_cast<int>(level.place), count - 1);  // if the control disappeared: the one in its place
  else
    place = direction > 0 ? 0 : count - 1;
  focus(stops, static_cast<std::size_t>(place));
}

void press(const Stop& stop, bool enter) {
  ImGuiContext& g = *GImGui;
  switch (stop.kind) {
    case ItemKind::plot:
      state.pressed = stop.id;
      break;
    case ItemKind::slider:
    case ItemKind::input:
      if (!enter) break;
      g.NavNextActivateId = stop.id;
      g.NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
      break;
    default:
      g.NavNextActivateId = stop.id;
      g.NavNextActivateFlags = ImGuiActivateFlags_None;
      break;
  }
}

// Page up and down, home and end scroll the panel that has the focus or is under the mouse.
void scroll(const Stop* focused) {
  const bool up = key_pressed(key::page_up, true), down = key_pressed(key::page_down, true);
  const bool home = key_pressed(key::home), end = key_pressed(key::end);
  if (!up && !down && !home && !end) return;
  ImGuiWindow* window = focused ? focused->window : GImGui->HoveredWindow;
  while (window && window->ScrollMax.y <= 0) window = window->ParentWindow;
  if (!window) return;
  const float page = 0.8f * window->InnerRect.GetHeight();
  ImGui::SetScrollY(window, home  ? 0
                            : end ? window->ScrollMax.y
                                  : std::clamp(window->Scroll.y + (down ? page : -page), 0.0f, window->ScrollMax.y));
}

void draw_ring(const ImGuiWindow& window, ImVec2 min, ImVec2 max) {
  const float around = px(2);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImRect& clip = window.ClipRect;
  list.PushClipRect({clip.Min.x - 2 * around, clip.Min.y - 2 * around},
                    {clip.Max.x + 2 * around, clip.Max.y + 2 * around});
  list.AddRect({min.x - around, min.y - around}, {max.x + around, max.y + around}, palette().link, px(6), 0, px(2));
  list.PopClipRect();
}

}  // namespace

void begin_frame() {
  turn();
  follow_popups();
  state.pressed = 0;
  state.steps = 0;
  state.enter_free = false;
  const ImGuiIO& io = ImGui::GetIO();
  const std::vector<Stop> stops = ring();
  Level& level = state.levels.back();
  // Tab continues from the control last used by the mouse.
  if (const ImGuiID active = GImGui->ActiveId; active != 0 && active != level.focused)
    for (std::size_t k = 0; k < stops.size(); ++k)
      if (stops[k].id == active) {
        level.focused = active;
        level.place = k;
      }
  for (const bool clicked : io.MouseClicked)
    if (clicked) state.shown = false;
  if (io.KeyAlt || io.KeySuper || io.KeyCtrl) return;
  const bool typing = io.WantTextInput;
  const bool kept = typing && !io.KeyShift && state.tab_kept + 1 >= ImGui::GetFrameCount();
  if (key_pressed(key::tab, true) && !kept) return move(stops, io.KeyShift ? -1 : 1);
  const Stop* focused = state.shown ? focused_in(stops) : nullptr;
  const bool enter = key_pressed(key::enter) || key_pressed(key::keypad_enter);
  if (typing) return;
  // A menu; dialogs close themselves.
  if (top_popup() && !(top_popup()->Flags & ImGuiWindowFlags_Modal) && key_pressed(key::escape))
    return ImGui::ClosePopupToLevel(GImGui->OpenPopupStack.Size - 1, true);
  if (top_popup() && !(focused && focused->kind == ItemKind::slider)) {
    if (key_pressed(key::down, true)) return move(stops, 1);
    if (key_pressed(key::up, true)) return move(stops, -1);
  }
  state.enter_free = enter && !focused;
  scroll(focused);
  if (!focused) return;
  if (!top_popup() && key_pressed(key::escape)) {
    state.shown = false;
    return;
  }
  if (enter || key_pressed(key::space)) press(*focused, enter);
  if (focused->kind == ItemKind::slider) {
    const int size = io.KeyShift ? 10 : 1;
    if (key_pressed(key::right, true) || key_pressed(key::up, true)) state.steps = size;
    if (key_pressed(key::left, true) || key_pressed(key::down, true)) state.steps = -size;
  }
}

Held offer(Item item, ImGuiID id) {
  turn();
  ImGuiContext& g = *GImGui;
  Held held;
  if (id == 0) id = g.LastItemData.ID;
  ImGuiWindow* window = ImGui::GetCurrentWindowRead();
  if (id != 0 && item.kind != ItemKind::text) {
    state.now.push_back({id,
                         window,
                         item.kind,
                         item.enabled,
                         item.name,
                         {item.min, item.max, window->ClipRect.Min, window->ClipRect.Max}});
    held.focused = state.shown && item.enabled && state.levels.back().focused == id;
  }
  if (held.focused) {
    held.pressed = state.pressed == id;
    held.steps = item.kind == ItemKind::slider ? state.steps : 0;
    if (state.sought) {
      state.sought = false;
      ImGui::ScrollToRect(window, {item.min, item.max});
      if (item.kind == ItemKind::input) {
        g.NavNextActivateId = id;
        g.NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
      }
    }
    draw_ring(*window, item.min, item.max);
    item.focused = true;
  }
  recorder().add(std::move(item));
  return held;
}

Held offer(std::string_view name, ItemKind kind, ImVec2 min, ImVec2 max, std::string_view text, ImGuiID id) {
  Item item;
  item.name = name;
  item.kind = kind;
  item.min = min;
  item.max = max;
  item.text = text;
  return offer(std::move(item), id);
}

std::optional<Place> place_of(std::string_view name) {
  for (const std::vector<Stop>* stops : {&state.now, &state.last})
    for (const Stop& stop : *stops)
      if (stop.name == name) return stop.place;
  return {};
}

bool takes_space() {
  const std::vector<Stop> stops = ring();
  const Stop* focused = state.shown ? focused_in(stops) : nullptr;
  return focused && focused->kind != ItemKind::slider;
}

bool takes_arrows() {
  const std::vector<Stop> stops = ring();
  const Stop* focused = state.shown ? focused_in(stops) : nullptr;
  return focused && focused->kind == ItemKind::slider;
}

void keep_tab() {
  state.tab_kept = ImGui::GetFrameCount();
}

bool take_enter() {
  const ImGuiWindow* window = ImGui::GetCurrentWindowRead()->RootWindow;
  if (window != top_popup() || !(window->Flags & ImGuiWindowFlags_Modal)) return false;
  return std::exchange(state.enter_free, false);
}

}  // namespace pairs::gui::keyboard
