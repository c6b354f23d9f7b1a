#include "app/gui/posterior/sample_dialog.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "app/gui/plot/figure_saver.h"
#include "app/gui/widgets/file_desk.h"
#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/typed_count.h"
#include "app/gui/widgets/ui.h"
#include "app/model/posterior/work/sample_saving.h"
#include "app/posterior/files/draws_file.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFewest = 2;

}  // namespace

void SampleDialog::ask(const model::Posterior& posterior) {
  const auto scene = posterior.scene();
  const std::string name = scene ? fmt::format("{} {} n {} samples", scene->task, scene->set_name, posterior.n()) : "";
  browser_.start((file_desk().save_folder() / (file_stem(name.empty() ? "samples" : name) + ".npz")).string());
  failure_.clear();
  look();
  open_ = true;
}

void SampleDialog::look() {
  std::error_code error;
  const fs::path file = browser_.path();
  exists_ = fs::exists(file, error) && !fs::is_directory(file, error);
}

// Closes the dialog once its file is written, or shows in it why it is not.
void SampleDialog::answer(model::Posterior& posterior) {
  const auto outcome = posterior.files.samples().job().take();
  if (!outcome) return;
  drawing_ = false;
  failure_ = outcome->failure;
  if (!failure_.empty()) return;
  open_ = false;
  ui::saved(outcome->file);
}

void SampleDialog::write(model::Posterior& posterior) {
  auto asked = posterior.files.samples_asked();
  const auto count = typed_count(count_, kFewest), seed = typed_count(seed_, 0);
  if (!asked || !count || !seed) return;
  asked->draws = *count;
  asked->question.seed = static_cast<std::uint64_t>(*seed);
  asked->file = browser_.path();
  drawing_ = true;
  posterior.files.samples().save(std::move(*asked));
}

void SampleDialog::draw(model::Posterior& posterior) {
  if (drawing_) answer(posterior);
  const bool shown =
      ui::begin_dialog("posterior/save/dialog", "Save posterior samples", open_, FileBrowser::dialog_width);
  if (std::exchange(shown_, shown) && !shown) browser_.stop();
  if (!shown) {
    if (!open_ && drawing_) {
      posterior.files.samples().job().cancel();
      drawing_ = false;
    }
    return;
  }
  ui::wrapped(
      "Samples of the shown run's posterior at this N, the same that infer draws of these observations. The ending "
      "decides the format: .npz (the array samples) or .csv (a column for each unknown).",
      ui::Look::muted);
  if (const auto scene = posterior.scene(); scene && !scene->set_own.empty())
    ui::wrapped("The seed is of the samples alone: the observations stay those shown, where infer --seed makes others.",
                ui::Look::muted);
  ui::space(4);
  const std::string waiting = drawing_ ? "The samples are being drawn…" : "";
  FileBrowser::Request request;
  request.kind = FileBrowser::Kind::save;
  request.title = "Save posterior samples";
  request.hint = "Path, e.g. ~/samples.npz";
  request.filters = {{"Samples", {".npz", ".csv"}}};
  const FileBrowser::Ended ended = browser_.draw("posterior/save", "posterior/save/path", request, waiting);
  bool enter = ended.done;
  const std::string before = count_ + '\n' + seed_;
  ui::label("Samples", "How many are drawn");
  enter |= ui::input("posterior/save/count", count_, "1,000", "How many are drawn", 160 * scale()) && entered();
  ui::label("Seed", "The same seed draws the same samples");
  enter |=
      ui::input("posterior/save/seed", seed_, "1", "The same seed draws the same samples", 160 * scale()) && entered();
  if (browser_.changed() || count_ + '\n' + seed_ != before) failure_.clear();
  if (browser_.changed()) look();
  const fs::path file = browser_.path();
  std::string blocked;
  if (file.empty())
    blocked = "Type a path first";
  else if (file.extension() != ".npz" && file.extension() != ".csv" && !is_draws_file(file))
    blocked = "The path must end in .npz or .csv, or in .nc or .h5, which ArviZ reads";
  else if (!typed_count(count_, kFewest))
    blocked = "Samples are a whole number of at least 2";
  else if (!typed_count(seed_, 0))
    blocked = "The seed is a whole number of at least 0";
  else if (!drawing_ && !posterior.files.samples_asked())
    blocked = "The set is being loaded";
  if (drawing_)
    ui::wrapped(waiting, ui::Look::muted);
  else if (!failure_.empty())
    ui::wrapped(failure_, ui::Look::bad);
  else if (!blocked.empty() && !file.empty())
    ui::wrapped(blocked + ".", ui::Look::warning);
  else if (exists_)
    ui::wrapped("There is a file of this name already. Replace it?", ui::Look::warning);
  const ui::Choice choice = ui::choose("posterior/save/write", exists_ ? "Replace" : "Save", ui::Button::primary,
                                       "posterior/save/cancel", drawing_ ? waiting : blocked);
  if (choice == ui::Choice::cancel) open_ = false;
  if (open_ && !drawing_ && blocked.empty() && (enter || choice == ui::Choice::confirm)) {
    // Only the button labeled so replaces a file, which may have appeared a moment ago.
    const bool replace = (exists_ && choice == ui::Choice::confirm) || ended.replace;
    look();
    if (!exists_ || replace) write(posterior);
  }
  if (!open_) {
    if (drawing_) posterior.files.samples().job().cancel();
    drawing_ = false;
    ImGui::CloseCurrentPopup();
  }
  ui::end_dialog();
}

}  // namespace pairs::gui
