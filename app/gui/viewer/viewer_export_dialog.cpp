#include "app/gui/viewer/viewer_export_dialog.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/gui/widgets/file_desk.h"
#include "app/gui/widgets/ui.h"
#include "app/model/files/typed_path.h"
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
  browser_.start((file_desk().save_folder() / "").string());
  choose(viewer, kind_);
  open_ = true;
}

// In the folder that is shown.
void ViewerExportDialog::choose(const model::Viewer& viewer, ViewerExport kind) {
  kind_ = kind;
  const bool of_n = kind == ViewerExport::grid;
  browser_.set_text(model::typed_parts(browser_.text()).folder +
                    fmt::format("{}{}{}", choice_of(kind).stem, of_n ? fmt::format("-n{}", viewer.n()) : "",
                                model::export_ending(kind)));
  browser_.focus();
  failure_.clear();
  look();
}

void ViewerExportDialog::look() {
  std::error_code error;
  const std::filesystem::path file = browser_.path();
  exists_ = std::filesystem::exists(file, error) && !std::filesystem::is_directory(file, error);
}

void ViewerExportDialog::draw(model::Viewer& viewer) {
  if (writing_ && !viewer.exports.busy()) {
    writing_ = false;
    failure_ = viewer.exports.failure();
    if (const std::filesystem::path file = viewer.exports.take_written(); !file.empty()) {
      open_ = false;  // a toast shows the path
    }
  }
  const bool shown = ui::begin_dialog("viewer/save", "Export", open_, FileBrowser::dialog_width);
  if (std::exchange(shown_, shown) && !shown) browser_.stop();
  if (!shown) return;
  const std::string_view busy = writing_ ? "It is being written" : "";
  for (const ExportChoice& one : kChoices) {
    if (ui::segment(one.name, one.label, kind_ == one.kind, one.about, busy)) choose(viewer, one.kind);
    ImGui::SameLine(0, px(4));
  }
  ImGui::NewLine();
  ui::wrapped(choice_of(kind_).about, ui::Look::muted);
  ui::space(4);
  const std::string ending = model::export_ending(kind_);
  FileBrowser::Request request;
  request.kind = FileBrowser::Kind::save;
  request.title = "Export";
  request.hint = "Path";
  request.filters = {{choice_of(kind_).label, {ending}}};
  const FileBrowser::Ended ended = browser_.draw("viewer/save", "viewer/save/path", request, busy);
  if (browser_.changed()) {
    failure_.clear();
    look();
  }
  std::string blocked = viewer.exports.busy() ? "It is being written" : viewer.exports.blocked(kind_);
  if (blocked.empty() && browser_.path().extension() != ending)
    blocked = fmt::format("The name must end in {}", ending);
  if (writing_) ui::again_in(0.5);
  if (writing_)
    ui::progress(static_cast<float>(viewer.exports.share()),
                 fmt::format("Writing, {}", percent_text(viewer.exports.share())));
  else if (!failure_.empty())
    ui::wrapped(failure_, ui::Look::bad);
  else if (!blocked.empty())
    ui::wrapped(blocked, ui::Look::warning);
  else if (exists_)
    ui::wrapped("There is a file of this name already. Replace it?", ui::Look::warning);
  ui::space(8);
  if (writing_) {
    if (ui::button("viewer/save/stop", "Stop", ui::Button::normal, "", "Nothing is written then"))
      viewer.exports.cancel();
    ImGui::SameLine();
    if (ui::button("viewer/save/cancel", "Continue behind", ui::Button::quiet, "",
                   "Closes this; the writing continues")) {
      open_ = false;
    }
  } else {
    const ui::Choice choice = ui::choose("viewer/save/write", exists_ ? "Replace" : "Save", ui::Button::primary,
                                         "viewer/save/cancel", blocked);
    if (choice == ui::Choice::cancel) open_ = false;
    if (open_ && blocked.empty() && (ended.done || choice == ui::Choice::confirm)) {
      const bool replace = (exists_ && choice == ui::Choice::confirm) || ended.replace;
      look();
      if (!exists_ || replace) {
        viewer.exports.start(kind_, browser_.path());
        writing_ = true;
      }
    }
  }
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

}  // namespace pairs::gui
