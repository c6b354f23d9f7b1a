#include "app/gui/posterior/report_dialog.h"

#include <fmt/format.h>

#include "app/gui/plot/figure_saver.h"
#include "app/gui/widgets/ui.h"
#include "app/model/posterior/work/report_saving.h"

namespace pairs::gui {

std::string ReportDialog::blocked(const model::Posterior& posterior) {
  const auto scene = posterior.scene();
  if (posterior.follow.state()) return "A report is about a file that is whole; stop following it first";
  if (!scene || scene->simulated) return "A report is about a set that was observed; open a file first";
  if (!scene->choice.member.empty()) return "A report is about a file that is one set; give this set a file of its own";
  if (!posterior.files.report_asked()) return "The set is being loaded";
  return "";
}

void ReportDialog::ask(const model::Posterior& posterior) {
  const auto scene = posterior.scene();
  if (!scene) return;
  save_.ask(file_stem(fmt::format("{} {} n {} report", scene->task, scene->set_short, posterior.n())) + ".html");
}

void ReportDialog::draw(model::Posterior& posterior) {
  if (!save_.is_drawn()) return;
  const SaveDialog::Texts texts = {
      "Write a report",
      "One page that holds all it shows: posterior, data, checks, calibration on simulated sets of this size, methods "
      "and commands. Measuring calibration may take minutes.",
      "Path, e.g. ~/report.html",
      {{"Page", {".html", ".pdf"}}}};
  const auto file = save_.draw(
      {"posterior/report/browser", "posterior/report/path", "posterior/report/write", "posterior/report/cancel"},
      texts);
  if (!file) return;
  auto asked = posterior.files.report_asked();
  if (!asked) return save_.fail("The set is being loaded; try again");
  asked->file = *file;
  asked->question.ending = file->extension().string();
  if (asked->question.ending != ".html" && asked->question.ending != ".pdf")
    return save_.fail("The file's name must end in .html or .pdf");
  posterior.files.reports().save(*std::move(asked));
  save_.close();
}

void ReportDialog::draw_progress(model::Posterior& posterior) {
  const std::string doing = posterior.files.reports().doing();
  if (doing.empty()) return;
  ui::wrapped("Report: " + doing, ui::Look::small_muted, 0, "posterior/report/doing");
  if (ui::button("posterior/report/stop", "Stop report", ui::Button::quiet, "", "Writes no report"))
    posterior.files.reports().job().cancel();
}

}  // namespace pairs::gui
