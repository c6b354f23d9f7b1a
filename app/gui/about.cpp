#include "app/gui/about.h"

#include <fmt/format.h>

#include "app/gui/widgets/ui.h"

namespace pairs::gui {
namespace {

std::string as_text(const std::vector<model::DeviceLine>* devices) {
  std::string text = fmt::format("Pairs Studio {}, LibTorch {}\n", model::program_version(), model::libtorch_version());
  if (devices)
    for (const model::DeviceLine& device : *devices) text += fmt::format("{}: {}\n", device.name, device.description);
  return text;
}

void dependency_table(float height) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("about/dependencies", 4, kFlags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("part", ImGuiTableColumnFlags_WidthStretch, 1.5f);
  ImGui::TableSetupColumn("version", ImGuiTableColumnFlags_WidthStretch, 0.7f);
  ImGui::TableSetupColumn("license", ImGuiTableColumnFlags_WidthStretch, 1.3f);
  ImGui::TableSetupColumn("for", ImGuiTableColumnFlags_WidthStretch, 1.5f);
  ImGui::TableNextRow();
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, palette().raised);
  for (const char* title : {"Made of", "Version", "License", "For"}) {
    ImGui::TableNextColumn();
    ui::text(title, ui::Look::small_strong);
  }
  for (const model::Dependency& one : model::dependencies()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ui::wrapped(one.name, ui::Look::small);
    ImGui::TableNextColumn();
    ui::wrapped(one.version, ui::Look::small);
    ImGui::TableNextColumn();
    ui::wrapped(one.license, ui::Look::small_muted);
    ImGui::TableNextColumn();
    ui::wrapped(one.purpose, ui::Look::small_muted);
  }
  ImGui::EndTable();
}

}  // namespace

void AboutDialog::draw(model::Studio& studio) {
  if (open_ && !devices_) devices_ = std::make_unique<model::Devices>(studio.hub);
  if (!open_) return;
  if (!ui::begin_dialog("about", "Pairs Studio", open_, 680)) return;
  ui::wrapped(
      "Simulation-based inference from sets of any size: embeddings learned on pairs, posteriors sharpened with N.");
  ui::space(8);
  ui::text(fmt::format("Version {}   ·   LibTorch {}", model::program_version(), model::libtorch_version()),
           ui::Look::muted);
  ui::space(8);
  const auto devices = devices_->lines();
  if (!devices) ui::text("Asking the drivers which devices there are …", ui::Look::muted);
  if (devices)
    for (const model::DeviceLine& device : *devices) {
      const float start = ImGui::GetCursorPosX();
      ui::text(device.name, ui::Look::muted);
      ImGui::SameLine(start + px(72));
      ui::wrapped(device.description, device.usable ? ui::Look::body : ui::Look::muted);
    }
  ui::space(8);
  dependency_table(std::min(px(320), ImGui::GetIO().DisplaySize.y * 0.4f));
  ui::space(12);
  if (ui::button("about/copy", "Copy", ui::Button::normal, {}, "Copies versions and devices, for a report"))
    ui::copy(as_text(devices.get()));
  ImGui::SameLine();
  if (ui::button("about/close", "Close", ui::Button::primary)) open_ = false;
  ui::end_dialog();
}

}  // namespace pairs::gui
