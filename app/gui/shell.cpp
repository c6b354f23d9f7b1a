#include "app/gui/shell.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <optional>
#include <vector>

#include "app/gui/about.h"
#include "app/gui/close_dialog.h"
#include "app/gui/command_palette.h"
#include "app/gui/compare/compare_panel.h"
#include "app/gui/evaluate/evaluate_panel.h"
#include "app/gui/library/sidebar.h"
#include "app/gui/log_drawer.h"
#include "app/gui/notes_panel.h"
#include "app/gui/platform/input.h"
#include "app/gui/posterior/posterior_panel.h"
#include "app/gui/settings/settings_panel.h"
#include "app/gui/shortcuts.h"
#include "app/gui/status_bar.h"
#include "app/gui/task/task_panel.h"
#include "app/gui/tour.h"
#include "app/gui/train/train_panel.h"
#include "app/gui/viewer/viewer_panel.h"
#include "app/gui/widgets/data_banner.h"
#include "app/gui/widgets/file_desk.h"
#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/toasts.h"
#include "app/gui/widgets/ui.h"
#include "app/model/shortcuts.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::gui {
namespace {

constexpr float kHeader = 48, kStatus = 28, kSplitter = 6;
constexpr float kSidebarLeast = 236, kSidebarMost = 420, kDrawerLeast = 100;
constexpr float kRoomForSidebar = 1100;  // a narrower window has its sidebar folded
constexpr double kSplitterStep = 8;      // by an arrow key
constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;

void ignore_report(void*, const char*, ...) {}

// A child window that fills a rectangle, with its surface.
class Area {
 public:
  Area(const char* name, ImVec2 min, ImVec2 size, ImU32 color, ImVec2 padding, bool scrolls = false) : on_(color) {
    ImGui::SetCursorScreenPos(min);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, color);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
    ImGui::BeginChild(name, size, false,
                      ImGuiWindowFlags_AlwaysUseWindowPadding |
                          (scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse));
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
  }
  // After an exception, Shell::frame restores Dear ImGui's stacks.
  ~Area() {
    if (std::uncaught_exceptions() == 0) ImGui::EndChild();
  }
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;

 private:
  ui::Surface on_;
};

// Whether a banner reports that the data differ from those of training.
bool shows_data(const model::Studio& studio) {
  return !model::data_notice(studio).sentence.empty();
}

// Draws the panel of the page that the Posterior tab shows.
class PosteriorTab : public model::PosteriorPageVisitor {
 public:
  explicit PosteriorTab(model::Studio& studio) : studio_(studio) {}
  void draw() {
    saves_ = false;
    studio_.posterior_page().accept(*this);
  }
  // Asks for the path of its picture; false if a plot's own dialog does.
  bool ask_to_save() {
    saves_ = true;
    asked_ = false;
    studio_.posterior_page().accept(*this);
    return asked_;
  }

  void visit(model::Posterior& posterior) override {
    if (!saves_) densities_.draw(posterior, studio_.library, studio_.run(), shows_data(studio_));
  }
  void visit(model::Viewer& viewer) override {
    const model::Evaluation& evaluation = studio_.evaluation;
    const auto scores = evaluation.run() == viewer.run() ? evaluation.scores() : nullptr;
    if (!saves_)
      return viewer_.draw(viewer, scores.get(), evaluation.state() == model::Evaluation::State::unscored,
                          studio_.run());
    viewer_.ask_to_save(viewer);
    asked_ = true;
  }

 private:
  model::Studio& studio_;
  PosteriorPanel densities_;
  ViewerPanel viewer_;
  bool saves_ = false, asked_ = false;
};

}  // namespace

struct Shell::Parts {
  explicit Parts(model::Studio& s) : studio(s), posterior(s) {
    file_desk().tasks = s.hub.tasks;
    file_desk().wake = s.hub.wake;
  }
  ~Parts() { file_desk() = {}; }

  model::Studio& studio;
  Sidebar sidebar;
  TaskPanel task;
  TrainPanel train;
  PosteriorTab posterior;
  EvaluatePanel evaluate;
  ComparePanel compare;
  SettingsPanel settings;
  LogDrawer log;
  NotesPanel notes;
  AboutDialog about;
  ShortcutsDialog shortcuts;
  StatusBar status;
  CommandPalette palette;
  Tour tour;
  CloseDialog close;
  DataBanner data;
  Toasts toasts;
  std::unique_ptr<model::Portal> portal;  // once the desktop's dialogs are wanted
  bool quit = false;
  // The sidebar of a narrow window: whether it is drawn above the panel, and whether it should be.
  bool sidebar_over = false, sidebar_wanted = false;
  float banners = 0;     // height of everything below the panel, in the last frame
  double again = 0;      // seconds until the last frame is out of date by itself
  double reported = -1;  // time of the newest message already checked for toasts

  void perform(model::Shortcut shortcut);
  void frame(double fps);
  void keys();
  std::vector<Command> commands();
  void header(float width);
  void report_saved();
  void set_desk();
  void panel();
  void draw_banners(float left, float bottom, float width);
  void sidebar_above(bool narrow, float height);
  // A draggable bar between two areas; dragging changes `size` (at scale 1).
  bool splitter(const char* name, ImVec2 min, ImVec2 size, bool upright, double& value, double low, double high,
                double sign);
};

Shell::Shell(model::Studio& studio) : parts_(std::make_unique<Parts>(studio)) {}
Shell::~Shell() = default;

void Shell::ask_to_close() {
  parts_->notes.keep(parts_->studio);
  parts_->close.ask(parts_->studio);
}

double Shell::again_in() const {
  return parts_->again;
}

void Shell::set_window_name(const std::string& name) {
  file_desk().window = name;
}

bool Shell::wants_quit() const {
  return parts_->quit;
}

ThemeKind Shell::wanted_theme() const {
  return parts_->studio.settings.theme == "light" ? ThemeKind::light : ThemeKind::dark;
}

void Shell::Parts::perform(model::Shortcut shortcut) {
  using S = model::Shortcut;
  if (const std::optional<model::Tab> tab = model::tab_of(shortcut)) return studio.set_tab(*tab);
  switch (shortcut) {
    case S::palette:
      palette.open();
      break;
    case S::tab_first:
    case S::tab_last:
      break;
    case S::play:
      studio.posterior_page().toggle_play();
      break;
    case S::n_down:
      studio.posterior_page().step_n(-1);
      break;
    case S::n_up:
      studio.posterior_page().step_n(1);
      break;
    case S::new_set:
      if (studio.tab() == model::Tab::task)
        studio.specimen.new_set();
      else
        studio.posterior_page().new_set();
      break;
    case S::open:
      sidebar.ask_for_path();
      break;
    case S::export_plot:
      if (studio.tab() == model::Tab::posterior && posterior.ask_to_save()) break;
      if (studio.page.shown() || !PlotView::ask_to_save())
        studio.hub.messages.info("plots", "There is no plot on this tab to save");
      break;
    case S::log_drawer:
      studio.settings.log_open = !studio.settings.log_open;
      break;
    case S::theme:
      studio.settings.theme = studio.settings.theme == "light" ? "dark" : "light";
      break;
    case S::settings:
      studio.page.shown() ? studio.page.close() : studio.page.open();
      break;
    case S::quit:
      notes.keep(studio);
      close.ask(studio);
      break;
    case S::help:
      shortcuts.open();
      break;
  }
}

void Shell::Parts::keys() {
  const ImGuiIO& io = ImGui::GetIO();
  const bool dialog = GImGui->OpenPopupStack.Size > 0;
  if (studio.page.shown() && !dialog && !io.WantTextInput && ImGui::IsKeyPressed(key::escape, false))
    studio.page.close();
  for (const model::ShortcutEntry& entry : model::shortcuts()) {
    if (!ImGui::IsKeyPressed(code_of(entry.key), !entry.control)) continue;
    if (entry.control != io.KeyCtrl || io.KeyAlt || io.KeySuper) continue;
    if (dialog || (!entry.control && entry.shortcut != model::Shortcut::help && io.WantTextInput)) continue;
    const bool of_posterior = entry.shortcut == model::Shortcut::play || entry.shortcut == model::Shortcut::n_down ||
                              entry.shortcut == model::Shortcut::n_up;
    if (of_posterior && (studio.page.shown() || studio.tab() != model::Tab::posterior)) continue;
    if (entry.shortcut == model::Shortcut::play ? keyboard::takes_space() : of_posterior && keyboard::takes_arrows())
      continue;
    perform(entry.shortcut);
  }
}

std::vector<Command> Shell::Parts::commands() {
  std::vector<Command> all;
  for (const model::ShortcutEntry& entry : model::shortcuts()) {
    if (entry.shortcut == model::Shortcut::palette) continue;
    all.push_back({fmt::format("shortcut/{}", static_cast<int>(entry.shortcut)), entry.description, entry.keys, "",
                   [this, shortcut = entry.shortcut] { perform(shortcut); }});
  }
  all.push_back({"new-task", "Describe a task of your own", "", "", [this] { sidebar.ask_for_task(); }});
  for (const model::TaskEntry& task : studio.library.tasks())
    all.push_back({"task/" + task.name, "Go to the task " + task.title, "", "",
                   [this, name = task.name] { studio.open_task(name); }});
  for (const model::RunEntry& run : studio.library.runs())
    if (!run.shipped)
      all.push_back({"run/" + run.name, "Open the run " + run.name, "", run.problem,
                     [this, id = run.run] { studio.open_run(id); }});
  for (const std::string& file : studio.settings.recent_files) {
    const std::filesystem::path path = file;
    const std::string title = fmt::format("Open recent {} in {}", printable(path.filename().string(), 100),
                                          printable(path.parent_path().filename().string(), 60));
    all.push_back({"recent/" + file, title, "", "", [this, path] { studio.look_and_open(path); }});
  }
  const auto training = [&](const char* name, const char* title, model::Action action, auto&& run) {
    all.push_back({name, title, "", studio.training.blocked(action), run});
  };
  training("train/start", "Start or continue training", model::Action::start, [this] { studio.training.start(); });
  training("train/pause", "Pause training", model::Action::pause, [this] { studio.training.pause(); });
  training("train/resume", "Resume training", model::Action::resume, [this] { studio.training.resume(); });
  training("train/stop", "Stop training, saved", model::Action::stop, [this] { studio.training.stop(); });
  all.push_back({"notes", "Notes on the session, the run and the data", "", "",
                 [this] { studio.settings.notes_open = !studio.settings.notes_open; }});
  all.push_back({"session/open", "Open a session", "", "", [this] { notes.ask_to_open(); }});
  all.push_back({"session/save", "Save the session", "", "", [this] { notes.ask_to_save(studio); }});
  all.push_back({"session/pack", "Pack the session to send it", "", "", [this] { notes.ask_to_pack(studio); }});
  all.push_back({"tour", "Show the tour again", "", "", [this] { tour.restart(studio); }});
  all.push_back({"about", "About Pairs Studio: versions and licenses", "", "", [this] { about.open(); }});
  return all;
}

void Shell::Parts::header(float width) {
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const Palette& p = palette_of(theme());
  float x = start.x + px(16);
  const float middle = start.y + px(kHeader) / 2;
  for (int i = 0; i < model::tab_count; ++i) {
    const auto tab = static_cast<model::Tab>(i);
    const bool chosen = studio.tab() == tab && !studio.page.shown();
    const ui::Look look = chosen ? ui::Look::strong : ui::Look::muted;
    const ImVec2 size = ui::text_size(model::entry(tab).title, ui::Look::strong);
    const ImVec2 min = {x, start.y}, max = {x + size.x + px(24), start.y + px(kHeader)};
    ImGui::SetCursorScreenPos(min);
    const std::string name = fmt::format("tab/{}", model::entry(tab).name);
    if (ImGui::InvisibleButton(name.c_str(), {max.x - min.x, max.y - min.y})) studio.set_tab(tab);
    if (ImGui::IsItemHovered())
      ImGui::GetWindowDrawList()->AddRectFilled({min.x + px(2), middle - px(15)}, {max.x - px(2), middle + px(15)},
                                                p.hovered, px(6));
    keyboard::offer(name, ItemKind::tab, min, max, model::entry(tab).title);
    ui::text_at({x + px(12), middle - size.y / 2}, model::entry(tab).title, look);
    if (chosen)
      ImGui::GetWindowDrawList()->AddRectFilled({x + px(12), max.y - px(3)}, {max.x - px(12), max.y}, p.accent, px(1));
    x = max.x;
  }
  // On the right: what is shown, and the palette. A narrow window omits, from the end on, what the palette also offers.
  struct Right {
    const char *name, *label, *tip;
    ui::Button kind;
    float gap;  // before it
  };
  constexpr std::array<Right, 5> kRight = {
      {{"header/commands", "Commands", "Everything that can be done, by name (Ctrl+K)", ui::Button::normal, 0},
       {"header/notes", "Notes", "Notes on this session, its run and its data; saves and opens sessions",
        ui::Button::quiet, 4},
       {"header/settings", "Settings", "Folders of runs and data, device, threads, theme and scale (Ctrl+,)",
        ui::Button::quiet, 4},
       {"header/help", "?", "What keys and the mouse do (F1)", ui::Button::quiet, 4},
       {"header/about", "About", "Versions and licenses", ui::Button::quiet, 4}}};
  const float right = start.x + width - px(16);
  std::size_t count = kRight.size();
  const auto left_of = [&](std::size_t shown_count) {
    float wide = 0;
    for (std::size_t k = 0; k < shown_count; ++k) wide += px(kRight[k].gap) + ui::button_width(kRight[k].label);
    return right - wide;
  };
  while (count > 1 && left_of(count) < x + px(8)) --count;
  const float find_x = left_of(count);
  float at_x = find_x;
  for (std::size_t k = 0; k < count; ++k) {
    const Right& one = kRight[k];
    at_x += px(one.gap);
    ImGui::SetCursorScreenPos({at_x, middle - ImGui::GetFrameHeight() / 2});
    const bool pressed = ui::button(one.name, one.label, one.kind, {}, one.tip);
    at_x += ui::button_width(one.label);
    if (k == 2 && studio.page.shown())
      ImGui::GetWindowDrawList()->AddRectFilled({ImGui::GetItemRectMin().x + px(10), start.y + px(kHeader) - px(3)},
                                                {ImGui::GetItemRectMax().x - px(10), start.y + px(kHeader)}, p.accent,
                                                px(1));
    if (!pressed) continue;
    if (k == 0) palette.open();
    if (k == 1) studio.settings.notes_open = !studio.settings.notes_open;
    if (k == 2) perform(model::Shortcut::settings);
    if (k == 3) shortcuts.open();
    if (k == 4) about.open();
  }
  const std::string shown = studio.shown_title();
  const float room = find_x - x - px(32);
  if (room > px(60) && !studio.page.shown()) {
    const ui::Look look = ui::Look::small_muted;
    const float wide = std::min(room, ui::text_size(shown, look).x);
    std::vector<std::string> others;
    if (wide >= room) {
      const std::string name = studio.library.name_of(studio.shown_run());
      const std::string before = shown.ends_with(name) ? shown.substr(0, shown.size() - name.size()) : "";
      for (const model::RunEntry& run : studio.library.runs()) others.push_back(before + run.name);
    }
    const ImVec2 size = ui::text_size("X", look), at = {find_x - px(12) - wide, middle - size.y / 2};
    const bool cut = ui::name_at(at, shown, others, look, room, "header/shown");
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({wide, size.y});
    if (cut) ui::tip(shown);
  }
}

// Reports written files in the log with their complete paths, and as toasts.
void Shell::Parts::report_saved() {
  model::Messages& messages = studio.hub.messages;
  for (const std::filesystem::path& file : ui::take_saved()) messages.saved(file);
  for (const model::Message& message : messages.all()) {
    if (message.time <= reported || message.file.empty()) continue;
    toasts.add(message.file);
    const std::string run = studio.shown_run();  // for shipped weights, the task's name
    if (message.exported) studio.settings.remember_saved(message.file, studio.task(), run == studio.task() ? "" : run);
  }
  if (!messages.all().empty()) reported = std::max(reported, messages.all().back().time);
  const float below = px(kStatus) + (studio.settings.log_open ? px(static_cast<float>(studio.settings.drawer)) : 0);
  if (const auto file = toasts.draw(below)) studio.library.reveal_file(*file);
}

// Updates the window's state for file dialogs.
void Shell::Parts::set_desk() {
  FileDesk& desk = file_desk();
  desk.settings = &studio.settings;
  desk.runs_folder = studio.hub.runs_folder;
  desk.data_folder = studio.hub.data_folder;
  desk.task = studio.task();
  if (studio.shown_run() == studio.task())
    desk.run.clear();
  else
    desk.run = studio.shown_run();
  const bool wanted = studio.settings.file_dialogs == "desktop";
  if (wanted && !portal) portal = std::make_unique<model::Portal>(studio.hub.wake);
  if (wanted) portal->look();
  desk.portal = wanted ? portal.get() : nullptr;
}

namespace {

// A strip above the panel: the run that the last start trained and did not finish, with "Resume" and "Not now".
void draw_resume_offer(model::Studio& studio) {
  const model::RunEntry* run = studio.unfinished_run();
  if (!run) return;
  const ui::Choice choice = ui::offer(
      "resume", fmt::format("{} is not finished: {}. It resumes from where it was saved.", run->name, run->state()),
      "Resume training", "Not now");
  if (choice == ui::Choice::confirm)
    studio.resume_run(run->run);
  else if (choice == ui::Choice::cancel)
    studio.forget_unfinished();
}

}  // namespace

// Notices that appear and disappear are below the panel, so that nothing in it moves.
void Shell::Parts::draw_banners(float left, float bottom, float width) {
  if (studio.page.shown()) {
    banners = 0;
    return;
  }
  const float high = std::max(banners, px(1));
  const Area area("banners", {left, bottom - high}, {width, high}, gui::palette().window, {px(16), 0});
  const float top = ImGui::GetCursorPosY();
  draw_resume_offer(studio);
  data.draw(studio);
  banners = std::ceil(ImGui::GetCursorPosY() - top);
}

void Shell::Parts::panel() {
  if (studio.page.shown()) return settings.draw({studio.page, studio.settings, studio.hub, studio.library, studio});
  tour.draw(studio);
  switch (studio.tab()) {
    case model::Tab::task:
      return task.draw(studio.specimen, studio.hub, studio.data, studio, studio.task());
    case model::Tab::train:
      return train.draw(studio.training, studio.library, studio.studies, studio.queue, studio);
    case model::Tab::posterior:
      return posterior.draw();
    case model::Tab::evaluate:
      return evaluate.draw(studio.evaluation, studio.run(), shows_data(studio));
    case model::Tab::compare:
      return compare.draw({studio.board, studio.comparison, studio.library, studio}, studio.task());
  }
}

// The complete sidebar above the panel of a narrow window, until something is selected in it, or a click or Escape
// closes it.
void Shell::Parts::sidebar_above(bool narrow, float height) {
  constexpr const char* kName = "sidebar above";
  if (sidebar_wanted && narrow) ImGui::OpenPopup(kName);
  sidebar_wanted = false;
  sidebar_over = narrow && ImGui::IsPopupOpen(kName);
  if (!sidebar_over) return;
  const float width = px(static_cast<float>(studio.settings.sidebar));
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, gui::palette().panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(12), px(12)});
  ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, 0);
  const bool shown = ImGui::BeginPopup(kName, kFixed & ~ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  sidebar_over = shown;
  if (!shown) return;
  const ui::Surface on(gui::palette().panel);
  const std::string before = studio.task() + studio.run();
  const bool fold = sidebar.draw(studio) == Sidebar::Asked::fold;
  if (fold || studio.task() + studio.run() != before) {
    sidebar_over = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

bool Shell::Parts::splitter(const char* name, ImVec2 min, ImVec2 size, bool upright, double& value, double low,
                            double high, double sign) {
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton(name, size);
  const int steps = keyboard::offer(name, ItemKind::slider, min, {min.x + size.x, min.y + size.y}).steps;
  value += kSplitterStep * sign * (upright ? steps : -steps);
  const bool active = ImGui::IsItemActive();
  if (ImGui::IsItemHovered() || active) {
    ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    const float thick = px(2);
    const ImVec2 middle = {min.x + size.x / 2, min.y + size.y / 2};
    ImGui::GetWindowDrawList()->AddRectFilled(
        upright ? ImVec2{middle.x - thick / 2, min.y} : ImVec2{min.x, middle.y - thick / 2},
        upright ? ImVec2{middle.x + thick / 2, min.y + size.y} : ImVec2{min.x + size.x, middle.y + thick / 2},
        gui::palette().accent);
  }
  if (active) {
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    value += sign * static_cast<double>(upright ? moved.x : moved.y) / static_cast<double>(scale());
  }
  value = std::clamp(value, low, std::max(low, high));
  return active;
}

void Shell::frame(double fps) {
  try {
    parts_->frame(fps);
  } catch (const std::exception& error) {
    // Resets open widgets and continues: an error in one panel must not end a training.
    ImGui::ErrorCheckEndFrameRecover(ignore_report);
    ui::recover();
    parts_->studio.hub.messages.error("window", sentence(error));
    parts_->studio.settings.log_open = true;
  }
  parts_->again = ui::take_again();
}

void Shell::Parts::frame(double fps) {
  Parts& p = *this;
  model::Settings& settings = p.studio.settings;
  p.set_desk();
  keyboard::begin_frame();
  p.keys();
  PlotView::set_subject(studio.task());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(display);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::Begin("studio", nullptr, kFixed | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);
  const Palette& colors = gui::palette();
  const float status = px(kStatus), body = display.y - status, bar = px(kSplitter);
  const double most = std::min<double>(kSidebarMost, static_cast<double>(display.x / scale()) * 0.4);
  settings.sidebar = std::clamp(settings.sidebar, static_cast<double>(kSidebarLeast), most);
  const bool narrow = display.x < px(kRoomForSidebar), folded = narrow || !settings.sidebar_open;
  const float side = folded ? Sidebar::strip_width() : px(static_cast<float>(settings.sidebar));
  {
    const float pad = folded ? px(8) : px(12);
    const Area area("sidebar", {0, 0}, {side, body}, colors.panel, {pad, px(12)});
    const Sidebar::Asked asked = folded ? p.sidebar.draw_strip(p.studio, sidebar_over) : p.sidebar.draw(p.studio);
    if (asked == Sidebar::Asked::fold) settings.sidebar_open = false;
    if (asked == Sidebar::Asked::unfold) narrow ? sidebar_wanted = true : settings.sidebar_open = true;
  }
  const double drawer_most = static_cast<double>(body / scale()) * 0.6;
  settings.drawer = std::clamp(settings.drawer, static_cast<double>(kDrawerLeast), drawer_most);
  const float drawer = settings.log_open ? px(static_cast<float>(settings.drawer)) : 0;
  const float left = side, width = display.x - left;
  const float noted = settings.notes_open ? NotesPanel::width() : 0;
  {
    const Area area("header", {left, 0}, {width, px(kHeader)}, colors.window, {0, 0});
    p.header(width);
  }
  ImGui::GetWindowDrawList()->AddRectFilled({left, px(kHeader) - px(1)}, {display.x, px(kHeader)}, colors.line);
  {
    const Area area("panel", {left, px(kHeader)}, {width - noted, body - px(kHeader) - drawer - p.banners},
                    colors.window, {px(16), px(16)}, true);
    ImGui::PushID(p.studio.task().c_str());
    p.panel();
    ImGui::PopID();
  }
  p.draw_banners(left, body - drawer, width - noted);
  if (noted > 0) {
    const Area area("notes", {display.x - noted, px(kHeader)}, {noted, body - px(kHeader) - drawer}, colors.panel,
                    {px(16), px(12)}, true);
    p.notes.draw(p.studio);
  }
  if (settings.log_open) {
    const Area area("log", {left, body - drawer}, {width, drawer}, colors.panel, {px(16), px(8)});
    p.log.draw(p.studio);
  }
  {
    const Area area("status", {0, body}, {display.x, status}, colors.raised, {px(12), px(4)});
    p.status.draw(p.studio, fps);
  }
  sidebar_above(narrow, body);
  if (!folded) {
    // Drawn above everything else in this window, or the areas would take the mouse.
    const Area area("splitters", {side - bar / 2, 0}, {bar, body}, 0, {0, 0});
    p.splitter("shell/sidebar", {side - bar / 2, 0}, {bar, body}, true, settings.sidebar, kSidebarLeast, most, 1);
  }
  if (settings.log_open) {
    const Area area("drawer splitter", {left, body - drawer - bar / 2}, {width, bar}, 0, {0, 0});
    p.splitter("shell/drawer", {left, body - drawer - bar / 2}, {width, bar}, false, settings.drawer, kDrawerLeast,
               drawer_most, -1);
  }
  ImGui::End();
  if (p.palette.is_open()) p.palette.draw(p.commands());
  if (p.shortcuts.draw()) p.tour.restart(p.studio);
  p.about.draw(p.studio);
  p.notes.dialogs(p.studio);
  p.tour.follow(p.studio);
  p.tour.draw_mark(p.studio);
  p.quit = p.quit || p.close.draw(p.studio);
  p.report_saved();
  ui::draw_toast();
}

}  // namespace pairs::gui
