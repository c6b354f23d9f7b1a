#include "app/gui/viewer/viewer_export_dialog.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/ui.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

using model::ViewerExport;

struct ExportChoice {
  ViewerExport kind;
  const char *name, *label, *about, *stem;
};
constexpr ExportChoice kChoices[] = {
    {ViewerExport::grid, "viewer/save/grid", "Picture",
     "Views, truth, samples, mean, spread and error of this N side by side, as a PNG.", "picture"},
    {ViewerExport::animation, "viewer/save/animation", "Animation",
     "The same while N grows from one view to all of them, as an animated WebP. Samples are drawn for every frame, "
     "which takes a while; the window stays free.",
     "picture-by-n"},
    {ViewerExport::views, "viewer/save/views", "Views",
     "The observed views and the target camera as an NPZ file, which the command infer reads.", "views"},
    {ViewerExport::scene, "viewer/save/scene", "Scene file",
     "Spheres, light and background as a TOML file to edit, which the command render reads.", "scene"},
};

const ExportChoice& choice_of(ViewerExport kind) {
  return kChoices[static_cast<std::size_t>(kind)];
}

}  // namespace

void ViewerExportDialog::ask(const model::Viewer& viewer) {
  choose(viewer, kind_);
  open_ = fresh_ = true;
}

void ViewerExportDialog::choose(const model::Viewer& viewer, ViewerExport kind) {
  kind_ = kind;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  const bool of_n = kind == ViewerExport::grid;
  path_ = (folder / fmt::format("{}{}{}", choice_of(kind).stem, of_n ? fmt::format("-n{}", viewer.n()) : "",
                                model::export_ending(kind)))
              .string();
  failure_.clear();
  look();
}

void ViewerExportDialog::look() {
  std::error_code error;
  const std::filesystem::path file = typed_path(path_);
  exists_ = std::filesystem::exists(file, error) && !std::filesystem::is_directory(file, error);
}

void ViewerExportDialog::draw(model::Viewer& viewer) {
  if (writing_ && !viewer.exporting()) {
    writing_ = false;
    failure_ = viewer.export_failure();
    if (const std::filesystem::path file = viewer.take_exported(); !file.empty()) {
      open_ = false;  // the log says where it is
    }
  }
  if (!ui::begin_dialog("viewer/save", "Export", open_, 560)) return;
  for (const ExportChoice& one : kChoices) {
    if (ui::segment(one.name, one.label, kind_ == one.kind, one.about, writing_ ? "It is being written" : ""))
      choose(viewer, one.kind);
    ImGui::SameLine(0, px(4));
  }
  ImGui::NewLine();
  ui::wrapped(choice_of(kind_).about, ui::Look::muted);
  ui::space(4);
  if (fresh_) ImGui::SetKeyboardFocusHere();
  fresh_ = false;
  const std::string before = path_;
  const bool enter =
      ui::input("viewer/save/path", path_, "Path", "", 0, writing_ ? "It is being written" : "") && entered();
  if (path_ != before) {
    failure_.clear();
    look();
  }
  const std::string ending = model::export_ending(kind_);
  std::string blocked = viewer.exporting() ? "It is being written" : viewer.export_blocked(kind_);
  if (blocked.empty() && typed_path(path_).extension() != ending)
    blocked = fmt::format("The name must end in {}", ending);
  if (writing_)
    ui::progress(static_cast<float>(viewer.export_share()),
                 fmt::format("Writing, {}", percent_text(viewer.export_share())));
  else if (!failure_.empty())
    ui::wrapped(failure_, ui::Look::bad);
  else if (!blocked.empty())
    ui::wrapped(blocked, ui::Look::warning);
  else if (exists_)
    ui::wrapped("There is a file of this name already. Replace it?", ui::Look::warning);
  ui::space(8);
  if (writing_) {
    if (ui::button("viewer/save/stop", "Stop", ui::Button::normal, "", "Nothing is written then"))
      viewer.cancel_export();
    ImGui::SameLine();
    if (ui::button("viewer/save/cancel", "Go on behind", ui::Button::quiet, "", "Closes this; the writing goes on")) {
      open_ = false;
    }
  } else {
    const ui::Choice choice = ui::choose("viewer/save/write", exists_ ? "Replace" : "Save", ui::Button::primary,
                                         "viewer/save/cancel", blocked);
    if (choice == ui::Choice::cancel) open_ = false;
    if (open_ && blocked.empty() && (enter || choice == ui::Choice::confirm)) {
      const bool replace = exists_ && choice == ui::Choice::confirm;
      look();
      if (!exists_ || replace) {
        viewer.start_export(kind_, typed_path(path_));
        writing_ = true;
      }
    }
  }
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

}  // namespace pairs::gui
