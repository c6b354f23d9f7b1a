#include "app/gui/library/sidebar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <set>

#include "app/gui/library/badge_look.h"
#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/ui.h"
#include "core/base/text/text.h"
#include "tasks/file_facts.h"

namespace pairs::gui {
namespace {

// Rows of tasks become lower, down to a minimum, if the runs below them would have too little space.
constexpr float kTaskRow = 52, kLeastTaskRow = 36, kRunsRoom = 160, kRunRow = 44, kNoteLine = 18;
constexpr float kPictureWidth = 54, kPictureHeight = 36;

std::string ago(std::int64_t time) {
  const std::int64_t seconds = std::max<std::int64_t>(0, std::time(nullptr) - time);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return fmt::format("{} min ago", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h ago", seconds / 3600);
  return fmt::format("{} days ago", seconds / (24 * 3600));
}

std::string tip_of(const model::RunEntry& run) {
  if (run.deleted) return fmt::format("The folder {} is missing.", printable(run.folder.string(), 300));
  if (!run.problem.empty()) return run.problem;
  std::string text = fmt::format("{}\n{}, preset {}, seed {}\n{}, changed {}\n{}", run.name, run.strategy_title,
                                 run.preset, run.seed, byte_text(run.bytes), ago(run.changed),
                                 run.shipped ? "Came with the program" : printable(run.folder.string(), 300));
  if (!run.verdict.text.empty()) text += "\n" + run.verdict.text;
  if (run.other_data()) text += fmt::format("\nTrained on {}; in use is {}", run.trained_on, run.data_here);
  if (!run.note.empty()) text += "\n" + run.note;
  return text;
}

ui::Look state_look(const model::RunEntry& run) {
  return run.deleted || !run.problem.empty() ? ui::Look::small_bad : ui::Look::small_muted;
}

}  // namespace

void Sidebar::update(model::Studio& studio) {
  std::vector<std::string> folders;
  for (const auto& folder : studio.library.folders.added()) folders.push_back(folder.string());
  if (folders != studio.settings.run_folders) studio.settings.run_folders = std::move(folders);
}

Sidebar::Asked Sidebar::draw(model::Studio& studio) {
  update(studio);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(4)});
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float right = corner.x + ImGui::GetContentRegionAvail().x, height = px(24), button = px(28);
  ui::text_at({corner.x, corner.y + (height - ui::text_size("X", ui::Look::small_strong).y) / 2}, "Pairs Studio",
              ui::Look::small_strong);
  ImGui::SetCursorScreenPos({right - button, corner.y});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(4), (height - ImGui::GetFontSize()) / 2});
  const Asked asked = ui::button("sidebar/fold", "«", ui::Button::quiet, {}, "Folds tasks and runs away", button)
                          ? Asked::fold
                          : Asked::nothing;
  ImGui::PopStyleVar();
  ui::space(4);
  draw_tasks(studio);
  ui::space(12);
  draw_runs(studio);
  ImGui::PopStyleVar();
  draw_dialogs(studio);
  return asked;
}

void Sidebar::ask(Dialog dialog, const model::RunEntry& run) {
  dialog_ = dialog;
  fresh_ = true;
  about_ = run.run;
  name_ = run.name;
  text_ = dialog == Dialog::rename ? run.name : run.note;
}

// If the runs would still have too little space, the tasks scroll.
void Sidebar::draw_tasks(model::Studio& studio) {
  const float between = ImGui::GetStyle().ItemSpacing.y, room = ImGui::GetContentRegionAvail().y - px(12 + kRunsRoom);
  const float heading = ImGui::GetFrameHeight() + px(kAboveOwn) + 2 * between;
  const auto rows =
      static_cast<float>(std::ranges::count_if(studio.library.tasks(), std::not_fn(&model::TaskEntry::own)) +
                         std::ssize(studio.library.own().all()));
  task_row_ = std::floor(std::clamp((room - heading) / rows - between, px(kLeastTaskRow), px(kTaskRow)));
  const float content = heading + rows * (task_row_ + between);
  const bool scrolls = content > room;
  if (scrolls) ImGui::BeginChild("tasks", {0, std::max(room, px(3 * kLeastTaskRow))});
  for (const model::TaskEntry& task : studio.library.tasks())
    if (!task.own) draw_task(studio, task);
  draw_own(studio);
  if (scrolls) ImGui::EndChild();
}

void Sidebar::draw_task(model::Studio& studio, const model::TaskEntry& task) {
  const bool chosen = task.name == studio.task();
  ImVec2 min, max;
  const std::string tip =
      task.badge == model::Badge::other_data
          ? task.summary + "\nIts weights were trained on other data than those in use; the tabs show which."
          : task.summary;
  if (ui::row("sidebar/task/" + task.name, chosen, task_row_, min, max, tip)) studio.open_task(task.name);
  const ui::Surface on(chosen ? palette().hovered : ui::surface());
  const float high = std::floor(std::min(px(kPictureHeight), task_row_ - px(4)));
  const float top = std::floor(min.y + (task_row_ - high) / 2);
  const ImVec2 corner = {min.x + px(8), top};
  // Texts have priority over pictures if there is no space for both.
  float longest = 0;
  for (const model::TaskEntry& one : studio.library.tasks())
    longest = std::max(longest, ui::text_size(one.title, ui::Look::strong).x);
  const bool pictured = max.x - min.x >= px(8 + kPictureWidth + 12 + 4) + longest;
  if (pictured)
    draw_picture(task, corner, {corner.x + std::floor(high * kPictureWidth / kPictureHeight), corner.y + high});
  const float left = min.x + (pictured ? px(8 + kPictureWidth + 12) : px(8)), width = max.x - left - px(4);
  const ImVec2 title = ui::text_size(task.title), badge = ui::text_size("X", ui::Look::small_muted);
  const float first = min.y + (max.y - min.y - title.y - badge.y - px(2)) / 2, second = first + title.y + px(2);
  ui::text_at({left, first}, task.title, chosen ? ui::Look::strong : ui::Look::body, width);
  ui::swatch("sidebar/task/" + task.name + "/badge", {left + px(4), second + badge.y / 2}, px(4),
             badge_color(task.badge), is_filled(task.badge));
  ui::text_at({left + px(14), second}, model::badge_name(task.badge), ui::Look::small_muted, width - px(14));
}

void Sidebar::draw_picture(const model::TaskEntry& task, ImVec2 min, ImVec2 max) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, palette().plot, px(4));
  if (task.thumbnail && has_texture_store()) {
    Picture& picture = pictures_[task.name];
    const int width = static_cast<int>(max.x - min.x), height = static_cast<int>(max.y - min.y);
    if (picture.of != task.thumbnail || picture.generation != texture_generation() || picture.width != width) {
      const Thumbnail fitted = resized(*task.thumbnail, width, height);
      picture = {task.thumbnail, texture_generation(), width, Texture(width, height, fitted.rgba.data())};
    }
    const ImU32 tint = task.thumbnail->mask ? series_color(SeriesRole::pairs) : IM_COL32_WHITE;
    list.AddImageRounded(picture.texture.id(), min, max, {0, 0}, {1, 1}, tint, px(4));
  }
  list.AddRect(min, max, palette().line, px(4));
}

// Skips the rows of a long list that are far from the visible part; their space remains.
bool Sidebar::leave_out(const model::RunEntry& run) {
  constexpr std::size_t kLongList = 60;
  if (names_.size() < kLongList) return false;
  const auto known = run_heights_.find(run.run);
  const float height = known != run_heights_.end() ? known->second : px(kRunRow + (run.note.empty() ? 0 : kNoteLine));
  const float top = ImGui::GetCursorScreenPos().y, window = ImGui::GetWindowPos().y, room = ImGui::GetWindowHeight();
  if (top + height > window - room && top < window + 2 * room) return false;
  ImGui::Dummy({1, height});
  return true;
}

void Sidebar::draw_runs(model::Studio& studio) {
  model::Library& library = studio.library;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float below = ImGui::GetCursorPosY();
  ImGui::AlignTextToFramePadding();
  ui::text("Runs", ui::Look::strong);
  const float open_width = ui::button_width("Open…");
  ImGui::SetCursorPos({right - open_width, below});
  if (ui::button("sidebar/open", "Open…", ui::Button::quiet, {}, "Show a run, or a file of data, from elsewhere"))
    ask_for_path();
  if (ui::segment("sidebar/this-task", "This task", !all_tasks_)) all_tasks_ = false;
  ImGui::SameLine(0, px(4));
  if (ui::segment("sidebar/all-tasks", "All tasks", all_tasks_)) all_tasks_ = true;
  ui::space(8);
  const bool curable = library.folder_problem();
  if (!library.problem().empty() &&
      ui::notice("sidebar/problem", ui::Look::bad, library.problem(), curable ? "Settings" : "OK")) {
    if (curable)
      studio.page.open(model::SettingsSection::runs);
    else
      library.dismiss_problem();
  }

  ImGui::BeginChild("runs", {0, 0}, false, ImGuiWindowFlags_None);
  bool any = false;
  std::size_t archived = 0;
  names_.clear();
  for (const model::RunEntry& run : library.runs()) names_.push_back(run.name);
  std::map<std::string, int> times;
  for (const model::RunEntry& run : library.runs()) {
    const bool here = run.task == studio.task() || (run.task.empty() && !run.problem.empty());
    if (!all_tasks_ && !here && run.run != studio.run()) continue;
    any = any || !run.shipped;
    if (run.archived && run.run != studio.run()) {
      ++archived;
      continue;
    }
    const std::string base = run.run == run.task ? run.task : run.name;
    const int time = ++times[base];
    if (leave_out(run)) continue;
    const float top = ImGui::GetCursorPosY();
    ImGui::PushID(run.run.c_str());
    draw_run(studio, run, "sidebar/run/" + (time == 1 ? base : fmt::format("{} ({})", base, time)));
    ImGui::PopID();
    run_heights_[run.run] = ImGui::GetCursorPosY() - top - ImGui::GetStyle().ItemSpacing.y;
  }
  if (archived > 0) {
    ui::space(4);
    ui::wrapped(fmt::format("{} archived: the Compare tab lists them.", counted(archived, "run")),
                ui::Look::small_muted);
  }
  if (!any) {
    ui::space(8);
    ui::wrapped(library.listed() ? "No runs yet: start one on the Train tab." : "Looking for runs…",
                ui::Look::small_muted);
  }
  ImGui::EndChild();
}

// The text below a run's name; for a finished run, its scores.
Sidebar::Status Sidebar::reported(model::Studio& studio, const model::RunEntry& run) const {
  const auto going = run.problem.empty() ? studio.training.session.going(run.folder) : std::nullopt;
  std::string state = going ? model::RunEntry::live_state(going->word, going->stage, going->share) : run.state();
  if (all_tasks_ && !run.task.empty()) {
    const model::TaskEntry* task = studio.library.task(run.task);
    state = fmt::format("{} · {}", state, task ? task->title : run.task);
  }
  const EvaluationVerdict* fresh = studio.evaluation.fresh_verdict(run.run);
  const EvaluationVerdict& verdict = fresh ? *fresh : run.verdict;
  const bool judged = !going && !all_tasks_ && run.finished && state == "finished" && !verdict.brief.empty();
  if (judged) state = (verdict.bad ? "▲ " : "") + verdict.brief;
  const bool doubtful = verdict.bad || verdict.level >= CalibrationLevel::borderline;
  return {std::move(state), (judged && doubtful) || (run.finished && run.other_data())};
}

void Sidebar::draw_run(model::Studio& studio, const model::RunEntry& run, const std::string& name) {
  const Status line = reported(studio, run);
  const ui::Look status_look = line.amber ? ui::Look::small_warning : state_look(run);
  const float room_for = ImGui::GetContentRegionAvail().x - px(6 + 21 + 8 + 14 + 24 + 6);
  const float stated_high = ui::font(status_look)
                                ->CalcTextSizeA(ui::font(status_look)->FontSize, FLT_MAX, room_for, line.text.data(),
                                                line.text.data() + line.text.size())
                                .y;
  const float more = std::max(0.0f, stated_high - ui::text_size("X", status_look).y);
  const float height = px(kRunRow + (run.note.empty() ? 0 : kNoteLine)) + more;
  const std::string shown = studio.shown_run();
  const bool chosen = run.run == (shown.empty() ? studio.run() : shown);
  ImVec2 min, max;
  const std::string tip = tip_of(run);
  const bool pressed = ui::row(name, chosen, height, min, max, tip);
  ImGui::SetItemAllowOverlap();
  const bool asked = ImGui::IsItemClicked(ImGuiMouseButton_Right);
  const ImVec2 after = ImGui::GetCursorScreenPos();
  {
    const ui::Surface on(chosen ? palette().hovered : ui::surface());
    // The checkbox for comparisons.
    const std::string blocked = studio.library.blocked(run, model::RunAction::open);
    bool compared = studio.comparison.holds(run.run);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(2), px(3)});
    ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
    const float box = ImGui::GetFrameHeight();
    ImGui::SetCursorScreenPos({min.x + px(6), min.y + std::floor((px(kRunRow) - box) / 2)});
    if (ui::toggle(name + "/compare", "", compared, "Show it on the Compare tab", blocked))
      studio.comparison.toggle(run.run);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();

    const float menu = px(24);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(4), px(3)});
    ImGui::SetCursorScreenPos({max.x - menu - px(2), min.y + std::floor((px(kRunRow) - ImGui::GetFrameHeight()) / 2)});
    if (ui::button(name + "/menu", "⋯", ui::Button::quiet, {}, "What can be done with it", menu) || asked)
      ImGui::OpenPopup("menu");
    ImGui::PopStyleVar();

    const float left = min.x + px(6) + box + px(8), right = max.x - menu - px(6);
    const ImVec2 title = ui::text_size("X"), small = ui::text_size("X", ui::Look::small);
    const float first = min.y + (px(kRunRow) - title.y - small.y - px(2)) / 2, second = first + title.y + px(2);
    const bool readable = run.problem.empty() && !run.strategy.empty();
    ui::swatch(name + "/color", {left + px(4), first + title.y / 2}, px(4),
               readable ? series_color(run.role) : palette().muted, readable);
    const ui::Look look = chosen ? ui::Look::strong : ui::Look::body;
    ui::text_at({left + px(14), first}, ui::fitted_name(run.name, names_, look, right - left - px(14)), look);
    ImGui::SetCursorScreenPos({left + px(14), second});
    ui::wrapped(line.text, status_look, room_for);
    if (!run.note.empty())
      ui::text_at({left + px(14), second + small.y + more + px(1)}, run.note.substr(0, run.note.find('\n')),
                  ui::Look::small_muted, max.x - left - px(22), true);
  }
  ImGui::SetCursorScreenPos(after);
  draw_menu(studio, run);
  if (pressed && !run.deleted) studio.open_run(run.run);
}

void Sidebar::draw_menu(model::Studio& studio, const model::RunEntry& run) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  const bool shown = ImGui::BeginPopup("menu");
  ImGui::PopStyleVar();
  if (!shown) return;
  const ui::Surface on(palette().raised);
  const model::Library& library = studio.library;
  using model::RunAction;
  const bool compared = studio.comparison.holds(run.run);
  const std::string compare = compared ? "Remove from comparison" : "Compare";
  const std::string closed = library.blocked(run, RunAction::open), command = model::Library::batch_command(run);
  float wide = 0;
  for (const std::string& label :
       {std::string("Show in file manager"), std::string("Remove from comparison"), std::string("Copy batch command"),
        run.aggregates > 0 ? fmt::format("Drop {} of aggregates…", byte_text(run.aggregates)) : std::string()})
    wide = std::max(wide, ui::button_width(label));
  const auto item = [&](const char* name, const std::string& label, const std::string& blocked,
                        const std::string& tip = "") {
    const bool pressed = ui::button(std::string("sidebar/menu/") + name, label, ui::Button::quiet, blocked, tip, wide);
    if (pressed) ImGui::CloseCurrentPopup();
    return pressed;
  };
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (item("open", "Open", closed)) studio.open_run(run.run);
  if (item("resume", "Resume training", library.blocked(run, RunAction::resume))) studio.resume_run(run.run);
  if (item("compare", compare, compared ? "" : closed)) studio.comparison.toggle(run.run);
  if (item("rename", "Rename…", library.blocked(run, RunAction::rename))) ask(Dialog::rename, run);
  if (item("note", run.note.empty() ? "Add a note…" : "Edit the note…", library.blocked(run, RunAction::note)))
    ask(Dialog::note, run);
  if (item("reveal", "Show in file manager", library.blocked(run, RunAction::reveal))) studio.library.reveal(run.run);
  if (item("copy", "Copy batch command", closed, command)) ui::copy(command);
  if (run.aggregates > 0 && item("aggregates", fmt::format("Drop {} of aggregates…", byte_text(run.aggregates)),
                                 library.blocked(run, RunAction::drop_aggregates), "What stage 2 has left for stage 3"))
    aggregates_.ask(run);
  if (item("delete", "Delete…", library.blocked(run, RunAction::remove))) ask(Dialog::remove, run);
  ImGui::PopStyleVar(2);
  ImGui::EndPopup();
}

void Sidebar::draw_dialogs(model::Studio& studio) {
  const Dialog now = dialog_;
  bool open = now != Dialog::none;
  draw_open(studio);
  permission_.draw(studio);
  new_task_.draw(studio);
  aggregates_.draw(studio.library);
  if (now == Dialog::rename || now == Dialog::note)
    draw_text_dialog(studio, open);
  else if (now == Dialog::remove)
    draw_remove(studio, open);
  if (!open && dialog_ == now) dialog_ = Dialog::none;
}

void Sidebar::draw_open(model::Studio& studio) {
  const PathDialog::Texts texts = {"Open",
                                   "A run folder, a folder of runs, the task.toml of a task of yours, or observations: "
                                   "a CSV or NPZ file, or a folder "
                                   "of images.",
                                   "Path, e.g. ~/runs/first"};
  if (const auto path = path_.draw("sidebar/open", texts)) open_typed(studio, *path);
}

void Sidebar::open_typed(model::Studio& studio, const std::filesystem::path& path) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error) && !is_task_file(path);
  if (!folder && std::filesystem::exists(path, error)) {
    studio.look_and_open(path);
    return path_.close();
  }
  std::string problem = studio.library.folders.add(path);
  if (!problem.empty() && folder) {
    // Not runs: observations perhaps.
    problem.clear();
    studio.look_and_open(path);
  } else if (problem.empty()) {
    if (std::filesystem::exists(path / "run.toml", error)) studio.look_and_open(path);
    all_tasks_ = true;
  }
  if (problem.empty())
    path_.close();
  else
    path_.fail(problem);
}

void Sidebar::draw_text_dialog(model::Studio& studio, bool& open) {
  const bool rename = dialog_ == Dialog::rename;
  if (!ui::begin_dialog("sidebar/text/dialog", rename ? "Rename the run" : "Note on the run", open)) return;
  ui::wrapped(rename ? "What it is called here; its folder keeps its name." : name_, ui::Look::muted);
  if (fresh_) ImGui::SetKeyboardFocusHere();
  fresh_ = false;
  bool done = ui::input(rename ? "sidebar/rename/name" : "sidebar/note/text", text_,
                        rename ? "The folder's name" : "What is special about it?") &&
              entered();
  const std::string name = rename ? "sidebar/rename" : "sidebar/note";
  const ui::Choice choice =
      ui::choose(name + "/confirm", rename ? "Rename" : "Save", ui::Button::primary, name + "/cancel");
  if (open && (done || choice == ui::Choice::confirm)) {
    rename ? studio.library.rename(about_, text_) : studio.library.annotate(about_, text_);
    open = false;
  }
  if (choice == ui::Choice::cancel) open = false;
  if (!open) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

void Sidebar::draw_remove(model::Studio& studio, bool& open) {
  if (!ui::begin_dialog("sidebar/delete/dialog", "Delete the run?", open)) return;
  const model::RunEntry* run = studio.library.find(about_);
  const std::string blocked =
      run ? studio.library.blocked(*run, model::RunAction::remove) : "The folder of this run is missing";
  ui::wrapped(fmt::format("{}{} goes to the trash with its weights, logs and figures. It can be restored from there.",
                          name_, run ? fmt::format(" ({})", byte_text(run->bytes)) : ""));
  const ui::Choice choice =
      ui::choose("sidebar/delete/confirm", "Move to the trash", ui::Button::danger, "sidebar/delete/cancel", blocked);
  if (choice == ui::Choice::confirm) {
    if (studio.comparison.holds(about_)) studio.comparison.toggle(about_);
    studio.library.remove(about_);
  }
  if (choice != ui::Choice::none) open = false;
  if (!open) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

}  // namespace pairs::gui
