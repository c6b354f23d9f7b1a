#include "app/gui/library/permission_dialog.h"

#include <fmt/format.h>

#include "app/gui/widgets/ui.h"
#include "core/base/text/text.h"

namespace pairs::gui {

void PermissionDialog::draw(model::Studio& studio) {
  const model::OwnTask* task = studio.library.own().asking();
  bool open = task != nullptr;
  if (!ui::begin_dialog("permission/dialog", "Run this program?", open, 560)) return;
  if (!task) {
    ImGui::CloseCurrentPopup();
    return ui::end_dialog();
  }
  const std::filesystem::path file = task->file, folder = task->said.origin.parent_path();
  ui::wrapped(
      fmt::format("The task “{}” is simulated by a program on this computer, which runs with your rights. Nothing "
                  "of it was run yet.",
                  task->title()));
  ui::space(4);
  ui::wrapped("Command", ui::Look::small_muted);
  ui::wrapped(printable(task->said.command, 2000), ui::Look::strong, 0, "permission/command");
  ui::wrapped("in the folder", ui::Look::small_muted);
  ui::wrapped(printable(folder.string(), 1000), ui::Look::body, 0, "permission/folder");
  if (!task->said.owner.empty())
    ui::wrapped(
        fmt::format("The file belongs to another user, {}: agree only if you trust them.", printable(task->said.owner)),
        ui::Look::warning, 0, "permission/owner");
  ui::space(4);
  ui::wrapped(
      "Permission holds for task.toml and for the program's own file next to it as they are now: when one of them "
      "changes, you are asked again. What else the program imports or reads is not checked.",
      ui::Look::muted);
  const ui::Choice choice = ui::choose("permission/agree", "Agree and open", ui::Button::primary, "permission/decline");
  if (choice != ui::Choice::none) ImGui::CloseCurrentPopup();
  ui::end_dialog();
  if (choice == ui::Choice::confirm)
    studio.library.own().agree(file);
  else if (choice == ui::Choice::cancel || !open)
    studio.library.own().decline(file);
}

}  // namespace pairs::gui
