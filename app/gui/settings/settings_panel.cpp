#include "app/gui/settings/settings_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/ui.h"
#include "app/text/counts.h"
#include "core/base/text/text.h"
#include "core/base/threads/threads.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

constexpr float kMostWide = 820, kLabel = 132, kReasons = 5;
// The scales of the interface; 0: the screen's.
constexpr std::array<double, 8> kScales = {0, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5};

std::string scale_text(double scale) {
  return scale == 0 ? "Auto: the screen's" : fmt::format("{:.0f} %", 100 * scale);
}

void hints(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) ui::wrapped(sentence, ui::Look::small_muted);
}

// A text below a field, aligned with it.
class Below {
 public:
  Below() { ImGui::Indent(px(kLabel)); }
  ~Below() { ImGui::Unindent(px(kLabel)); }
  Below(const Below&) = delete;
  Below& operator=(const Below&) = delete;
};

}  // namespace

void SettingsPanel::draw(const SettingsParts& parts) {
  wanted_ = parts.page.take_section();
  const float width = std::min(ImGui::GetContentRegionAvail().x, px(kMostWide));
  const float done = ui::button_width("Done"), pad = px(8);  // between fields and the bar that scrolls
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() - pad);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {pad, 0});
  ImGui::BeginChild("settings", {width + pad, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ui::text("Settings", ui::Look::title);
  ImGui::SameLine(ImGui::GetContentRegionMax().x - done);
  if (ui::button("settings/done", "Done", ui::Button::normal, {}, "Back to where you were (Escape)"))
    parts.page.close();
  ui::wrapped("Changes apply immediately and at later starts.", ui::Look::muted);
  runs(parts);
  data(parts);
  computing(parts);
  looks(parts.settings);
  file();
  ui::space(12);
  ImGui::EndChild();
}

void SettingsPanel::begin_section(model::SettingsSection section, const char* title) {
  ui::space(20);
  if (wanted_ == section) ImGui::SetScrollHereY(0);
  ui::text(title, ui::Look::strong);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + ImGui::GetContentRegionAvail().x, at.y + px(1)},
                                            palette().line);
  ui::space(10);
}

void SettingsPanel::follow(PathField& field, const std::string& used) {
  if (field.of == used && !field.of.empty()) return;
  if (field.of != used || field.text.empty()) field.text = used;
  field.of = used;
}

void SettingsPanel::runs(const SettingsParts& parts) {
  begin_section(model::SettingsSection::runs, "Runs");
  const std::string used = parts.hub.runs_folder.string();
  follow(runs_, used);
  const bool own = !parts.settings.runs_folder.empty();
  const float back = own ? ui::button_width("Use the default") + ImGui::GetStyle().ItemSpacing.x : 0;
  ui::label("Folder of runs", "Where new runs go; those that lie there are listed on the left", kLabel);
  if (ui::input("settings/runs", runs_.text, "A folder, e.g. ~/runs", printable(used, 300),
                ImGui::GetContentRegionAvail().x - back))
    parts.page.name_runs_folder(typed_path(runs_.text.empty() ? used : runs_.text));
  if (own) {
    ImGui::SameLine();
    if (ui::button("settings/runs-default", "Use the default", ui::Button::quiet, {},
                   printable(model::default_runs_folder().string(), 300)))
      parts.page.name_runs_folder({});
  }
  {
    const Below below;
    const auto survey = parts.page.survey();
    if (const std::string problem = parts.page.runs_problem(); !problem.empty())
      ui::wrapped(problem, ui::Look::bad, 0, "settings/runs-problem");
    else if (survey && survey->runs_folder == parts.hub.runs_folder && !survey->runs_problem.empty())
      ui::wrapped(survey->runs_problem, ui::Look::bad, 0, "settings/runs-problem");
    const model::RunFolders::Extent extent = parts.library.folders.extent_of(parts.hub.runs_folder);
    std::string facts = extent.runs == 0 ? "No runs yet"
                                         : fmt::format("{}, {}", counted(static_cast<std::size_t>(extent.runs), "run"),
                                                       byte_text(extent.bytes));
    if (survey && survey->free_bytes) facts += fmt::format("; {} free", byte_text(*survey->free_bytes));
    if (survey && survey->runs_folder == parts.hub.runs_folder && !survey->runs_folder_there)
      facts += "; the folder is made with the first run";
    ui::wrapped(facts, ui::Look::muted, 0, "settings/runs-facts");
    hints(model::overrides("", true, own).runs);
  }
  const auto added = parts.library.folders.added();
  for (std::size_t i = 0; i < added.size(); ++i) {
    ui::space(4);
    if (i == 0)
      ui::label("Also listed", "Folders that were opened: their runs are listed, new ones do not go there", kLabel);
    else
      ImGui::Indent(px(kLabel));
    const float remove = ui::button_width("Remove") + ImGui::GetStyle().ItemSpacing.x;
    const float room = ImGui::GetContentRegionAvail().x - remove;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const model::RunFolders::Extent extent = parts.library.folders.extent_of(added[i]);
    const std::string text =
        fmt::format("{}: {}", printable(added[i].string(), 300), counted(static_cast<std::size_t>(extent.runs), "run"));
    ui::text_at({at.x, at.y + ImGui::GetStyle().FramePadding.y}, text, ui::Look::body, room, true,
                fmt::format("settings/added/{}", i));
    ImGui::Dummy({room, ImGui::GetFrameHeight()});
    ImGui::SameLine();
    if (ui::button(fmt::format("settings/added/{}/remove", i), "Remove", ui::Button::quiet, {},
                   "Removes it from the list; nothing on disk is touched"))
      parts.library.folders.remove(added[i]);
    if (i > 0) ImGui::Unindent(px(kLabel));
  }
}

void SettingsPanel::data(const SettingsParts& parts) {
  begin_section(model::SettingsSection::data, "Real data");
  const std::string used = parts.hub.data_folder.string();
  follow(data_, used);
  const float none = used.empty() ? 0 : ui::button_width("Do without") + ImGui::GetStyle().ItemSpacing.x;
  ui::label("Folder of data", "One folder for all data sets; each is looked for in it and in its folders", kLabel);
  if (ui::input("settings/data", data_.text, "None: a folder, e.g. ~/datasets", printable(used, 300),
                ImGui::GetContentRegionAvail().x - none))
    parts.page.name_data_folder(typed_path(data_.text));
  if (!used.empty()) {
    ImGui::SameLine();
    if (ui::button("settings/data-none", "Do without", ui::Button::quiet, {},
                   "Back to what the program draws by itself"))
      parts.page.name_data_folder({});
  }
  const Below below;
  if (const std::string problem = parts.page.data_problem(); !problem.empty())
    ui::wrapped(problem, ui::Look::bad, 0, "settings/data-problem");
  hints(model::overrides(used, !parts.settings.data_folder.empty(), true).data);
  const auto survey = parts.page.survey();
  if (!survey || survey->data_folder != parts.hub.data_folder) {
    ui::wrapped("Looking for data …", ui::Look::muted);
    return;
  }
  for (const model::DataSetLine& line : survey->data) data_set(parts, line);
}

void SettingsPanel::data_set(const SettingsParts& parts, const model::DataSetLine& line) {
  const std::string name = "settings/set/" + line.name;
  ui::space(8);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float high = ui::text_size("X", ui::Look::strong).y;
  ui::swatch(name + "/dot", {at.x + px(5), at.y + high / 2}, px(4),
             line.usable ? palette().good
             : line.some ? palette().warning
                         : palette().muted,
             line.usable || line.some);
  ImGui::Indent(px(18));
  ui::text(fmt::format("{}  ·  {}", line.name, line.task), ui::Look::strong);
  ui::wrapped(line.state, line.some && !line.usable ? ui::Look::warning : ui::Look::body, 0, name);
  if (line.usable) {
    std::string places;
    for (const FoundData::File& file : line.files) {
      const std::string folder = std::filesystem::path(file.at).parent_path().string();
      const std::string& place = line.files.size() > 1 ? folder : file.at;
      if (places.find(place) == std::string::npos) places += (places.empty() ? "" : ", ") + place;
    }
    ui::wrapped("In " + printable(places, 400), ui::Look::small_muted, 0, name + "/place");
  } else {
    if (line.some)
      for (const FoundData::File& file : line.files)
        ui::wrapped(fmt::format("{}: {}", file.name, file.at.empty() ? "missing" : printable(file.at, 300)),
                    file.at.empty() ? ui::Look::small_warning : ui::Look::small_muted);
    ui::wrapped(line.layout, ui::Look::small_muted, 0, name + "/layout");
  }
  if (line.countable) {
    const bool counting = parts.page.counting() == line.name;
    if (const auto account = parts.page.account(line.name)) {
      std::string counts;
      for (const DataAccount::Count& count : account->counts)
        counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count_text(count.number), count.label);
      ui::wrapped(counts, ui::Look::body, 0, name + "/counts");
      const auto aside = static_cast<std::int64_t>(account->set_aside.size());
      ui::wrapped(aside == 0 ? "None set aside" : fmt::format("{} set aside:", count_text(aside)),
                  aside == 0 ? ui::Look::muted : ui::Look::warning, 0, name + "/aside");
      const auto reasons = account->reasons();
      for (std::size_t k = 0; k < std::min(reasons.size(), static_cast<std::size_t>(kReasons)); ++k)
        ui::wrapped(
            fmt::format("{}: {}; the first is {}", count_text(reasons[k].number), printable(reasons[k].reason, 160),
                        printable(account->set_aside[reasons[k].first].label, 80)),
            ui::Look::small_muted);
      if (reasons.size() > static_cast<std::size_t>(kReasons))
        ui::wrapped("pairs --batch data --check --all names each of them", ui::Look::small_muted);
    } else if (counting) {
      ui::wrapped(parts.page.progress().empty() ? "Reading …" : parts.page.progress(), ui::Look::muted, 0,
                  name + "/progress");
      if (ui::button(name + "/stop", "Stop", ui::Button::quiet)) parts.page.stop_counting();
    } else {
      if (const std::string problem = parts.page.count_problem(line.name); !problem.empty())
        ui::wrapped(problem, ui::Look::bad, 0, name + "/problem");
      const std::string other = parts.page.counting();
      if (ui::button(name + "/count", "Count them", ui::Button::normal,
                     other.empty() ? "" : fmt::format("{} are being counted", other),
                     "Reads each one, which may take minutes: how many each part has, what is set aside and why"))
        parts.page.count(line.name);
    }
  }
  ImGui::Unindent(px(18));
}

void SettingsPanel::computing(const SettingsParts& parts) {
  begin_section(model::SettingsSection::computing, "Computing");
  const std::string blocked = parts.machine.machine_blocked();
  const auto survey = parts.page.survey();
  ui::label("Device", "Where posteriors, evaluations and new runs are computed; a run can have one of its own", kLabel);
  if (!survey) {
    ui::text("Asking the drivers which devices there are …", ui::Look::muted);
  } else {
    const model::DeviceChoice* chosen = nullptr;
    bool first = true;
    for (const model::DeviceChoice& choice : survey->devices) {
      const bool is = choice.name == parts.settings.device;
      if (is) chosen = &choice;
      if (!first) ImGui::SameLine(0, px(4));
      first = false;
      if (ui::segment("settings/device/" + choice.name, choice.title, is, choice.description,
                      is                        ? ""
                      : !choice.blocked.empty() ? choice.blocked
                                                : blocked) &&
          !is)
        device_problem_ = parts.machine.use_device(choice.name);
    }
    const Below below;
    if (!device_problem_.empty()) ui::wrapped(device_problem_, ui::Look::bad, 0, "settings/device-problem");
    if (chosen)
      ui::wrapped(chosen->blocked.empty() ? chosen->description : chosen->blocked,
                  chosen->blocked.empty() ? ui::Look::muted : ui::Look::warning, 0, "settings/device-facts");
    else
      ui::wrapped(fmt::format("The settings name {}, which is not here; {} is used.", parts.settings.device,
                              parts.machine.device_name()),
                  ui::Look::warning, 0, "settings/device-facts");
    for (const model::DeviceChoice& choice : survey->devices)
      if (&choice != chosen && !choice.blocked.empty() &&
          (!chosen || chosen->description.find(choice.blocked) == std::string::npos))
        ui::wrapped(fmt::format("{}: {}", choice.title, choice.blocked), ui::Look::small_muted, 0,
                    "settings/why-not/" + choice.name);
    hints(model::overrides("", true, true).device);
  }
  gpu_libraries(parts.page.gpu());
  ui::space(6);
  const std::string used = std::to_string(parts.settings.threads);
  if (threads_of_ != used) threads_ = threads_of_ = used;
  ui::label("Threads", "Of the processor: what posteriors, evaluations and new runs take", kLabel);
  if (ui::input("settings/threads", threads_, "0", "", px(72), blocked)) {
    threads_problem_ = parts.machine.use_threads(threads_);
    if (threads_problem_.empty()) threads_ = std::to_string(parts.settings.threads);
  }
  ImGui::SameLine();
  const int cores = usable_cores();
  ImGui::AlignTextToFramePadding();
  ui::text(fmt::format("of {}{}", counted(static_cast<std::size_t>(cores), "core"),
                       parts.settings.threads == 0 ? "; 0: all of them" : ""),
           ui::Look::muted);
  const Below below;
  if (!threads_problem_.empty()) ui::wrapped(threads_problem_, ui::Look::bad, 0, "settings/threads-problem");
  if (!blocked.empty()) ui::wrapped(blocked, ui::Look::small_muted, 0, "settings/machine-blocked");
  hints(model::overrides("", true, true).threads);
}

void SettingsPanel::gpu_libraries(model::GpuSetup& gpu) {
  const auto found = gpu.found();
  if (!found || (!found->wanted && !found->there && !gpu.busy() && gpu.outcome().empty())) return;
  ui::space(6);
  ui::label("GPU libraries", "CUDA's, which this program came without and can fetch", kLabel);
  if (gpu.busy()) {
    ui::text(gpu.progress().empty() ? "Beginning …" : gpu.progress(), ui::Look::muted);
    const Below below;
    if (ui::button("settings/gpu/stop", "Stop", ui::Button::quiet, {}, "What has come is kept")) gpu.stop();
    return;
  }
  bool same = false;
  if (found->wanted) {
    if (found->index.empty())
      ui::input("settings/gpu/index", gpu_index_, "Package index: https://…",
                "The address of a Python package index's simple pages", px(300));
    else
      ui::text("From " + found->index, ui::Look::muted);
    const Below below;
    ui::wrapped(found->needs + ".", ui::Look::muted, 0, "settings/gpu/needs");
    if (ui::button("settings/gpu/add", found->there ? "Fetch the rest" : "Fetch them", ui::Button::normal,
                   found->index.empty() && gpu_index_.empty() ? "Name the package index first" : ""))
      gpu.add(gpu_index_);
    same = true;
  }
  const Below below;
  if (found->there) {
    if (same) ImGui::SameLine();
    if (ui::button("settings/gpu/remove", "Remove", ui::Button::quiet, {}, "What was fetched, from the disk"))
      gpu.remove();
  }
  if (!gpu.outcome().empty())
    ui::wrapped(gpu.outcome(), gpu.failed() ? ui::Look::bad : ui::Look::muted, 0, "settings/gpu/outcome");
}

void SettingsPanel::looks(model::Settings& settings) {
  begin_section(model::SettingsSection::looks, "Appearance");
  ui::label("Theme", "Ctrl+T changes it, too", kLabel);
  if (ui::segment("settings/theme/dark", "Dark", settings.theme != "light")) settings.theme = "dark";
  ImGui::SameLine(0, px(4));
  if (ui::segment("settings/theme/light", "Light", settings.theme == "light")) settings.theme = "light";
  ui::space(6);
  ui::label("Scale", "Of the whole interface", kLabel);
  std::vector<std::string> items;
  int at = -1;
  for (const double scale : kScales) {
    if (std::abs(scale - settings.scale) < 1e-6) at = static_cast<int>(items.size());
    items.push_back(scale_text(scale));
  }
  if (at < 0) {
    at = static_cast<int>(items.size());
    items.push_back(scale_text(settings.scale));
  }
  if (ui::combo("settings/scale", at, items, "", px(180)) && at < static_cast<int>(kScales.size()))
    settings.scale = kScales[static_cast<std::size_t>(at)];
  ui::space(6);
  ui::label("File dialogs", "Which dialog selects files to open and to save", kLabel);
  if (ui::segment("settings/dialogs/desktop", "The desktop's", settings.file_dialogs == "desktop",
                  "Through the desktop's portal; where there is none, the window's own"))
    settings.file_dialogs = "desktop";
  ImGui::SameLine(0, px(4));
  if (ui::segment("settings/dialogs/own", "The window's own", settings.file_dialogs == "own",
                  "Folders, a filter, and what a file holds, in this window"))
    settings.file_dialogs = "own";
  ui::space(6);
  ui::label("Notifications", "The desktop's, which decides how long they are shown", kLabel);
  ui::toggle("settings/notifications", "Notify when background work ends", settings.notifications,
             "When a run, a study or the queue has ended and another window is in use, or this one is closed");
}

void SettingsPanel::file() {
  begin_section(model::SettingsSection::file, "Kept in");
  const std::string path = model::SettingsFile::settings_path().string();
  const float copy = ui::button_width("Copy path") + ImGui::GetStyle().ItemSpacing.x;
  const float room = ImGui::GetContentRegionAvail().x - copy;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::text_at({at.x, at.y + ImGui::GetStyle().FramePadding.y}, path, ui::Look::body, room, true, "settings/file");
  ImGui::Dummy({room, ImGui::GetFrameHeight()});
  ImGui::SameLine();
  if (ui::button("settings/copy-path", "Copy path", ui::Button::normal)) ui::copy(path);
  ui::wrapped(
      "A text file that can be edited while the window is closed: what is removed from it has its default again.",
      ui::Look::small_muted);
  hints(model::overrides("", true, true).file);
}

}  // namespace pairs::gui
