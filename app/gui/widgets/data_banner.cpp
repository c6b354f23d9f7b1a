#include "app/gui/widgets/data_banner.h"

#include <fmt/format.h>

#include "app/gui/widgets/ui.h"
#include "app/model/data_folder.h"

namespace pairs::gui {

void DataBanner::draw(model::Studio& studio) {
  const model::DataNotice notice = model::data_notice(studio);
  if (studio.tab() != model::Tab::train && studio.tab() != model::Tab::compare && !notice.sentence.empty()) {
    if (ui::notice("data/differs", ui::Look::warning, notice.sentence, notice.label)) {
      if (notice.action == model::DataNotice::Action::show_shipped)
        studio.open_run(studio.task());
      else
        studio.data.ask();
    }
    ui::space(4);
  }
  dialog(studio);
}

void offer_data(const model::Hub& hub, model::DataFolder& data, model::Navigation& go, const std::string& task) {
  const std::string name = model::real_data_of(*hub.tasks, task);
  if (name.empty()) return;
  const bool used = !hub.data_folder.empty();
  if (ui::button(
          "data/choose", fmt::format("Use {} of {}…", used ? "another folder" : "a folder", name), ui::Button::normal,
          "",
          fmt::format("Names the folder that holds {}; sets are then drawn from it, now and at later starts", name)))
    data.ask();
  ImGui::SameLine();
  if (used && ui::button("data/none", "Do without", ui::Button::quiet, "", "Back to what the program draws by itself"))
    data.use(task, {});
  if (ui::button("data/settings", "Settings", ui::Button::quiet, "",
                 "What the folder of real data holds, of all tasks"))
    go.open_settings(model::SettingsSection::data);
}

void DataBanner::dialog(model::Studio& studio) {
  if (studio.data.take_asked()) {
    path_.ask();
    waits_ = false;
  }
  if (waits_ && !studio.data.busy()) {
    waits_ = false;
    if (const std::string problem = studio.data.problem(); problem.empty())
      path_.close();
    else
      path_.fail(problem);
  }
  const std::string name = model::real_data_of(*studio.hub.tasks, studio.task());
  const std::string title = fmt::format("Use a folder of {}", name);
  const std::string about = model::real_data_layout_of(*studio.hub.tasks, studio.task());
  const PathDialog::Texts texts = {title.c_str(), about.c_str(), "Path, e.g. ~/data", {}, true};
  if (const auto path = path_.draw("data/folder", texts, waits_ ? "It is being read…" : "")) {
    waits_ = true;
    studio.data.use(studio.task(), *path);
  }
}

}  // namespace pairs::gui
