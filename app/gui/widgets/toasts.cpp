#include "app/gui/widgets/toasts.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/gui/widgets/ui.h"
#include "core/base/text/text.h"

namespace pairs::gui {
namespace {

constexpr double kShownSeconds = 8, kBetweenLooks = 0.25;
constexpr std::size_t kMostToasts = 3;
constexpr float kToastWidth = 340;
constexpr ImGuiWindowFlags kToastFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                         ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar |
                                         ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                                         ImGuiWindowFlags_NoNav | ImGuiWindowFlags_AlwaysAutoResize;

// The end of a path, with "…" before it, in `width` pixels.
std::string end_of(const std::string& path, ui::Look look, float width) {
  std::string shown = path;
  std::size_t from = 0;
  while (from < path.size() && ui::text_size(shown, look).x > width) {
    ++from;
    while (from < path.size() && (static_cast<unsigned char>(path[from]) & 0xC0) == 0x80) ++from;
    shown = "…" + path.substr(from);
  }
  return shown;
}

}  // namespace

void Toasts::add(const std::filesystem::path& file) {
  std::erase_if(toasts_, [&](const Toast& toast) { return toast.file == file; });
  toasts_.push_front({file, kShownSeconds});
  if (toasts_.size() > kMostToasts) toasts_.pop_back();
}

std::optional<std::filesystem::path> Toasts::draw(float above) {
  std::optional<std::filesystem::path> wanted;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(kToastWidth), display.x - px(32)), inner = width - px(32);
  float bottom = display.y - above - px(12);
  std::optional<std::size_t> closed;
  for (std::size_t i = 0; i < toasts_.size(); ++i) {
    Toast& toast = toasts_[i];
    const std::string name = fmt::format("saved/{}", i);
    ImGui::SetNextWindowPos({display.x - px(16), bottom}, ImGuiCond_Always, {1, 1});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(16), px(12)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(8));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, px(1));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().raised);
    ImGui::PushStyleColor(ImGuiCol_Border, palette().edge);
    ImGui::Begin(name.c_str(), nullptr, kToastFlags);
    {
      const ui::Surface on(palette().raised);
      const std::string title = "Saved " + printable(toast.file.filename().string(), 300);
      const std::string folder = "in " + printable(toast.file.parent_path().string(), 1000);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ui::text_at(at, title, ui::Look::strong, inner, true, name);
      ImGui::Dummy({inner, ui::text_size("X", ui::Look::strong).y});
      const ImVec2 below = ImGui::GetCursorScreenPos();
      ui::text_at(below, end_of(folder, ui::Look::small_muted, inner), ui::Look::small_muted);
      ImGui::Dummy({inner, ui::text_size("X", ui::Look::small_muted).y});
      ui::space(4);
      if (ui::button(name + "/show", "Show", ui::Button::normal, "", "Shows its folder in the file manager"))
        wanted = toast.file;
      ImGui::SameLine();
      if (ui::button(name + "/copy", "Copy path", ui::Button::normal)) ui::copy(toast.file.string());
      ImGui::SameLine();
      if (ui::button(name + "/close", "Dismiss", ui::Button::quiet)) closed = i;
    }
    const bool hovered = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
    if (!hovered) toast.left -= static_cast<double>(ImGui::GetIO().DeltaTime);
    ui::again_in(std::min(std::max(toast.left, 0.0), kBetweenLooks));
    bottom -= ImGui::GetWindowSize().y + px(8);
    ImGui::End();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(3);
  }
  if (closed) toasts_.erase(toasts_.begin() + static_cast<std::ptrdiff_t>(*closed));
  std::erase_if(toasts_, [](const Toast& toast) { return toast.left <= 0; });
  return wanted;
}

}  // namespace pairs::gui
