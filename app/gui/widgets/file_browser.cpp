#include "app/gui/widgets/file_browser.h"

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "app/gui/platform/input.h"
#include "app/gui/widgets/file_desk.h"
#include "app/gui/widgets/ui.h"
#include "app/gui/widgets/ui_parts.h"
#include "app/model/files/typed_path.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;

constexpr float kRow = 26, kGapBetween = 12, kPlacesWidth = 132, kPreviewWidth = 228, kSizeWidth = 84, kTimeWidth = 128;
constexpr float kLeastList = 260;                                     // its width next to places and preview
constexpr float kBelow = 128, kLeastHeight = 104, kMostHeight = 340;  // of the rest of a dialog; of the list
constexpr std::size_t kRecentShort = 5;

std::string time_text(std::int64_t time) {
  if (time == 0) return "";
  const std::time_t then = time;
  std::tm local{};
  localtime_r(&then, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  return text;
}

// A name that others chose, printable on one line.
std::string one_line(const std::string& name) {
  return printable(name, 300);
}

void folder_mark(ImVec2 at, float size, ImU32 color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({at.x, at.y}, {at.x + size * 0.45f, at.y + size * 0.4f}, color, px(1.5f));
  list.AddRectFilled({at.x, at.y + size * 0.18f}, {at.x + size, at.y + size * 0.82f}, color, px(1.5f));
}

struct NamedPlace {
  const char *name, *title;
  fs::path folder;
};

std::vector<NamedPlace> named_places() {
  std::vector<NamedPlace> all;
  if (const char* home = std::getenv("HOME"); home && *home == '/') all.push_back({"home", "Home", home});
  std::error_code error;
  all.push_back({"here", "Current folder", fs::current_path(error)});
  const FileDesk& desk = file_desk();
  if (!desk.runs_folder.empty()) all.push_back({"runs", "Runs", desk.runs_folder});
  if (!desk.data_folder.empty()) all.push_back({"data", "Data", desk.data_folder});
  if (desk.settings && !desk.settings->save_folder.empty())
    all.push_back({"saved", "Last saved to", desk.settings->save_folder});
  return all;
}

// A folder's path for the field, ready for a name to follow.
std::string with_slash(const fs::path& folder) {
  const std::string text = folder.string();
  return text.ends_with('/') ? text : text + "/";
}

}  // namespace

// Programmatic edits of a field that has the keyboard focus.
int FileBrowser::edit(ImGuiInputTextCallbackData* data) {
  auto& self = *static_cast<FileBrowser*>(data->UserData);
  if (self.put_) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, self.put_->c_str());
    self.put_.reset();
  }
  // Dear ImGui keeps the caret's position from another text.
  if (std::exchange(self.caret_to_end_, false) && !data->HasSelection()) data->CursorPos = data->BufTextLen;
  return 0;
}

void FileBrowser::start(std::string text) {
  if (!disk_) disk_ = std::make_unique<model::FileBrowsing>(file_desk().tasks, file_desk().wake);
  text_ = before_ = offered_ = std::move(text);
  put_.reset();
  chosen_.clear();
  problem_.clear();
  start_ = file_desk().open_folder();
  view_ = {};
  filter_ = 0;
  listing_.reset();
  shown_.clear();
  own_ = asked_once_ = active_ = completes_ = false;
  fresh_ = true;
}

void FileBrowser::stop() {
  if (disk_) disk_->cancel();
  if (asked_ != 0 && file_desk().portal) file_desk().portal->withdraw(asked_);
  asked_ = 0;
}

void FileBrowser::set_text(std::string text) {
  chosen_.clear();
  text_ = text;
  put_ = std::move(text);
}

fs::path FileBrowser::path() const {
  return model::typed_path(text_);
}

fs::path FileBrowser::place() const {
  const model::TypedParts parts = model::typed_parts(text_);
  return parts.folder.empty() && kind_ != Kind::save ? start_ : parts.place();
}

std::string FileBrowser::in_place(const std::string& entry) const {
  const std::string folder = model::typed_parts(text_).folder;
  return (folder.empty() ? with_slash(place()) : folder) + entry;
}

void FileBrowser::choose(const model::FileEntry& entry) {
  const std::string name = entry.name;
  // Saved files go into folders, which are not selected themselves.
  if (kind_ == Kind::save && entry.folder) return go(place() / name);
  set_text(in_place(name));
  chosen_ = name;
}

// Shows another folder; keeps the name of a file to save.
void FileBrowser::go(const fs::path& folder) {
  const std::string name = kind_ == Kind::save ? model::typed_parts(text_).name : "";
  set_text(with_slash(folder) + name);
  view_.begins.clear();
}

bool FileBrowser::enter_plain() {
  const auto reported = disk_->preview();
  if (kind_ != Kind::open || !reported || !reported->plain || model::typed_parts(text_).name.empty()) return false;
  go(path());
  fresh_ = true;
  return true;
}

// The text after Tab: enters a selected folder, or completes a name as far as it is unique.
std::string FileBrowser::completion() const {
  if (!listing_) return text_;
  if (!chosen_.empty()) {
    const auto at =
        std::find_if(shown_.begin(), shown_.end(), [&](const auto* entry) { return entry->name == chosen_; });
    return at != shown_.end() && (*at)->folder ? in_place(chosen_) + "/" : text_;
  }
  const std::string typed = model::typed_parts(text_).name;
  if (typed == "~") return "~/";
  if (typed.empty()) return text_;
  model::ListingView view = view_;
  view.begins = typed;
  std::vector<std::string> names;
  for (const model::FileEntry* entry : model::shown_entries(*listing_, view))
    names.push_back(entry->folder ? entry->name + "/" : entry->name);
  const std::string name = model::completed(typed, names);
  return name == typed ? text_ : in_place(name);
}

// Call before the field takes its keys: Tab completes, up and down select.
void FileBrowser::take_keys() {
  if (!active_) {
    completes_ = false;
    return;
  }
  if (completes_ && ImGui::IsKeyPressed(key::tab, false) && !ImGui::GetIO().KeyShift) {
    set_text(completion());
    view_.begins = kind_ == Kind::save ? "" : model::typed_parts(text_).name;
  }
  completes_ = completion() != text_;
  if (completes_) keyboard::keep_tab();
  const int step = ImGui::IsKeyPressed(key::down, true) ? 1 : ImGui::IsKeyPressed(key::up, true) ? -1 : 0;
  if (step == 0 || shown_.empty() || (file_desk().uses_desktop() && !own_)) return;
  const auto at = std::find_if(shown_.begin(), shown_.end(), [&](const auto* entry) { return entry->name == chosen_; });
  const auto count = static_cast<std::ptrdiff_t>(shown_.size());
  std::ptrdiff_t next = at == shown_.end() ? (step > 0 ? 0 : count - 1) : at - shown_.begin() + step;
  next = std::clamp<std::ptrdiff_t>(next, 0, count - 1);
  const model::FileEntry& entry = *shown_[static_cast<std::size_t>(next)];
  set_text(in_place(entry.name));
  chosen_ = entry.name;
  scroll_ = true;
}

// The input; returns true when Enter ended it.
bool FileBrowser::field(const std::string& name, const Request& request, std::string_view blocked, float width) {
  ImGui::SetNextItemWidth(width);
  ImGui::BeginDisabled(!blocked.empty());
  if (fresh_) ImGui::SetKeyboardFocusHere();
  caret_to_end_ = caret_to_end_ || fresh_;
  fresh_ = false;
  if (!active_) put_.reset();  // the text already contains it
  const bool put = put_.has_value();
  const std::string before = text_;
  bool entered = false;
  {
    const ui::Edge edge;
    entered =
        ImGui::InputTextWithHint(ui::id_of("", name).c_str(), request.hint.c_str(), &text_,
                                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways, edit, this);
  }
  active_ = ImGui::IsItemActive();
  ImGui::EndDisabled();
  // A path may be longer than its space: the part at the caret is visible.
  ui::record(name, ItemKind::input, ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), blocked.empty(), text_, false, 0,
             0, palette().edge);
  if (!active_) ui::show_tip(text_, blocked);
  if (!put && text_ != before) {
    chosen_.clear();
    view_.begins = kind_ == Kind::save ? "" : model::typed_parts(text_).name;
  }
  return entered && (ImGui::IsKeyPressed(key::enter, false) || ImGui::IsKeyPressed(key::keypad_enter, false));
}

// Follows the text: sets the listed folder and the preview.
void FileBrowser::update() {
  disk_->look(place());
  ui::again_in(std::max(disk_->until_next_look(), 0.1));
  const auto listing = disk_->listing();
  if (listing != listing_ || !(view_ == shown_view_)) {
    listing_ = listing;
    shown_view_ = view_;
    shown_ = listing_ ? model::shown_entries(*listing_, view_) : std::vector<const model::FileEntry*>();
  }
  const std::string name = chosen_.empty() ? model::typed_parts(text_).name : chosen_;
  const bool there = listing_ && !name.empty() &&
                     std::any_of(listing_->entries.begin(), listing_->entries.end(),
                                 [&](const model::FileEntry& entry) { return entry.name == name; });
  disk_->report(there ? place() / name : fs::path());
}

// The choice of listed files.
void FileBrowser::options(const std::string& name, const Request& request) {
  if (!request.filters.empty()) {
    std::vector<std::string> titles;
    for (const model::FileFilter& filter : request.filters)
      titles.push_back(fmt::format("{} ({})", filter.title, fmt::join(filter.endings, ", ")));
    titles.emplace_back("All files");
    float width = 0;
    for (const std::string& title : titles) width = std::max(width, ui::text_size(title).x);
    width += ImGui::GetFrameHeight() + 4 * ImGui::GetStyle().FramePadding.x;
    ui::combo(name + "/filter", filter_, titles, "Which files are listed", width);
    ImGui::SameLine(0, px(kGapBetween));
  }
  const auto chosen = static_cast<std::size_t>(filter_);
  view_.filter = chosen < request.filters.size() ? request.filters[chosen] : model::FileFilter();
  ui::toggle(name + "/hidden", "Hidden files", view_.hidden, "Files whose names begin with a dot");
  if (!listing_ || !listing_->problem.empty()) return;
  const std::string count = fmt::format("{} listed{}", count_text(static_cast<std::int64_t>(shown_.size())),
                                        listing_->cut ? " of the first 20,000" : "");
  ImGui::SameLine(0, px(kGapBetween));
  if (ui::text_size(count, ui::Look::small_muted).x > ui::text_room()) return ImGui::NewLine();
  ImGui::AlignTextToFramePadding();
  ui::right(count, ui::Look::small_muted);
}

// The recent files.
void FileBrowser::recent(const std::string& name, std::size_t most) {
  const FileDesk& desk = file_desk();
  if (!desk.settings || desk.settings->recent_files.empty()) return;
  const std::vector<std::string> files = desk.settings->recent_files;
  ui::space(4);
  ui::text("Recent", ui::Look::small_muted);
  for (std::size_t i = 0; i < std::min(files.size(), most); ++i) {
    const fs::path file = files[i];
    ImVec2 min, max;
    if (ui::row(fmt::format("{}/recent/{}", name, i), false, px(kRow), min, max, files[i])) {
      if (kind_ == Kind::save) {
        std::error_code error;
        go(fs::is_directory(file, error) ? file : file.parent_path());
      } else {
        set_text(file.string());
        view_.begins.clear();
      }
    }
    ui::text_at({min.x + px(8), min.y + (max.y - min.y - ui::text_size("X").y) / 2}, one_line(file.filename().string()),
                ui::Look::body, max.x - min.x - px(12), true);
  }
}

void FileBrowser::places(const std::string& name, ImVec2 size) {
  ImGui::BeginChild((name + "/places").c_str(), size);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), 0});
  const fs::path here = place().lexically_normal() / "";
  for (const NamedPlace& one : named_places()) {
    ImVec2 min, max;
    const bool shown = (one.folder / "").lexically_normal() == here;
    if (ui::row(fmt::format("{}/place/{}", name, one.name), shown, px(kRow), min, max, one.folder.string()))
      go(one.folder);
    ui::text_at({min.x + px(8), min.y + (max.y - min.y - ui::text_size("X").y) / 2}, one.title, ui::Look::body);
  }
  recent(name, 100);
  ImGui::PopStyleVar();
  ImGui::EndChild();
}

// The headings of the columns; a press sorts by one, a second press reverses.
void FileBrowser::titles(const std::string& name, float width, float size_at, float time_at) {
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float height = px(24);
  struct Title {
    const char *name, *title;
    model::FileOrder order;
    float from, to;
  };
  const float end = width, first = size_at > 0 ? size_at : time_at > 0 ? time_at : end;
  for (const Title& one : {Title{"name", "Name", model::FileOrder::name, 0, first},
                           Title{"size", "Size", model::FileOrder::size, size_at, time_at > 0 ? time_at : end},
                           Title{"changed", "Changed", model::FileOrder::changed, time_at, end}}) {
    if (one.to <= one.from || (one.from <= 0 && one.order != model::FileOrder::name)) continue;
    ImGui::SetCursorScreenPos({start.x + one.from, start.y});
    const std::string id = fmt::format("{}/sort/{}", name, one.name);
    const bool sorted = view_.order == one.order;
    if (ImGui::InvisibleButton(id.c_str(), {one.to - one.from, height})) {
      view_.descending = sorted ? !view_.descending : one.order != model::FileOrder::name;
      view_.order = one.order;
    }
    const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
    if (ImGui::IsItemHovered()) ImGui::GetWindowDrawList()->AddRectFilled(min, max, palette().hovered, px(4));
    ui::record(id, ItemKind::tab, min, max, true, one.title);
    const std::string title = sorted ? fmt::format("{} {}", one.title, view_.descending ? "↓" : "↑") : one.title;
    const ImVec2 text = ui::text_size(title, ui::Look::small_muted);
    const bool left = one.order == model::FileOrder::name;
    ui::text_at({left ? min.x + px(8) : max.x - text.x - px(8), min.y + (height - text.y) / 2}, title,
                ui::Look::small_muted);
  }
  ImGui::SetCursorScreenPos({start.x, start.y + height});
}

void FileBrowser::entries(const std::string& name, ImVec2 size, Ended& ended) {
  const ImU32 back = palette().window;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, back);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), 0});
  ImGui::BeginChild((name + "/entries").c_str(), size);
  {
    const ui::Surface on(back);
    const ImVec2 corner = ImGui::GetWindowPos();
    ImGui::GetWindowDrawList()->AddRect(corner, {corner.x + size.x, corner.y + size.y}, palette().line, px(4));
    const float width =
        ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;  // whether the bar is visible or not
    const float time_at = width > px(400) ? width - px(kTimeWidth) : 0;
    const float size_at = width > px(240) ? (time_at > 0 ? time_at : width) - px(kSizeWidth) : 0;
    titles(name, width, size_at, time_at);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);  // or it would cover the edge
    ImGui::BeginChild((name + "/rows").c_str(), {0, 0});
    ImGui::PopStyleColor();
    const std::string said = !listing_                    ? "Looking…"
                             : !listing_->problem.empty() ? listing_->problem
                             : !shown_.empty()            ? ""
                             : listing_->entries.empty()  ? "This folder is empty"
                             : !view_.begins.empty()
                                 ? "Nothing here begins with " + one_line(view_.begins)
                                 : "Nothing here that is listed; see “All files” and “Hidden files”";
    if (!said.empty()) {
      ImGui::SetCursorPos({px(8), px(8)});
      ui::wrapped(said, ui::Look::muted, ImGui::GetContentRegionAvail().x - px(8));
    }
    const auto chosen =
        std::find_if(shown_.begin(), shown_.end(), [&](const auto* entry) { return entry->name == chosen_; });
    if (std::exchange(scroll_, false) && chosen != shown_.end()) {
      const float top = px(kRow) * static_cast<float>(chosen - shown_.begin()), room = ImGui::GetWindowHeight();
      if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
      if (top + px(kRow) > ImGui::GetScrollY() + room) ImGui::SetScrollY(top + px(kRow) - room);
    }
    // A press may change the list.
    const model::FileEntry* pressed = nullptr;
    bool twice = false;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(shown_.size()), px(kRow));
    while (clipper.Step())
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const model::FileEntry& entry = *shown_[static_cast<std::size_t>(i)];
        const bool is_chosen = entry.name == chosen_;
        ImVec2 min, max;
        if (ui::row(name + "/entry/" + entry.name, is_chosen, px(kRow), min, max)) {
          pressed = &entry;
          twice = is_chosen && !ImGui::IsMouseReleased(0);  // by the keyboard
        }
        if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) {
          pressed = &entry;
          twice = true;
        }
        const float y = min.y + (max.y - min.y - ui::text_size("X").y) / 2, mark = px(14);
        const bool fits = entry.folder || (entry.regular && kind_ != Kind::open_folder);
        if (entry.folder) folder_mark({min.x + px(8), min.y + (max.y - min.y - mark) / 2}, mark, palette().link);
        const float to = min.x + (size_at > 0 ? size_at : time_at > 0 ? time_at : width);
        ui::text_at({min.x + px(30), y}, one_line(entry.name), fits ? ui::Look::body : ui::Look::muted,
                    to - min.x - px(38), true);
        const float small = min.y + (max.y - min.y - ui::text_size("X", ui::Look::small).y) / 2;
        const auto at_right = [&](const std::string& text, float edge) {
          ui::text_at({edge - ui::text_size(text, ui::Look::small_muted).x - px(8), small}, text,
                      ui::Look::small_muted);
        };
        if (size_at > 0 && entry.regular) at_right(byte_text(entry.bytes), min.x + (time_at > 0 ? time_at : width));
        if (time_at > 0) at_right(time_text(entry.changed), min.x + width);
      }
    clipper.End();
    ImGui::EndChild();
    if (pressed && twice && pressed->folder) {
      go(place() / pressed->name);
    } else if (pressed && (pressed->folder || (pressed->regular && kind_ != Kind::open_folder))) {
      choose(*pressed);
      ended.done = twice && kind_ == Kind::open;
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

// The preview of the selected file.
void FileBrowser::preview(const std::string& name, ImVec2 size) {
  ImGui::BeginChild((name + "/told").c_str(), size);
  const auto reported = disk_->preview();
  const fs::path path = reported ? reported->path : fs::path();
  if (!reported) {
    ui::wrapped("Select a file or folder to preview it.", ui::Look::small_muted);
  } else {
    ui::wrapped(one_line(path.filename().string()), ui::Look::strong);
    if (!reported->title.empty()) ui::wrapped(reported->title, ui::Look::body, 0, name + "/preview");
    if (!reported->problem.empty()) ui::wrapped(reported->problem, ui::Look::small_bad, 0, name + "/preview/problem");
    const float width = ImGui::GetContentRegionAvail().x;
    for (const auto& [key, value] : reported->facts) {
      const ImVec2 at = ImGui::GetCursorPos(), label = ui::text_size(key, ui::Look::small_muted);
      const bool at_side = label.x < px(72);
      ui::text(key, ui::Look::small_muted);
      if (at_side) ImGui::SetCursorPos({at.x + px(80), at.y});
      ui::wrapped(value, ui::Look::small, width - (at_side ? px(80) : 0), name + "/preview/" + key);
      ImGui::SetCursorPosX(at.x);
    }
    if (reported->picture) {
      const auto wide = static_cast<float>(reported->picture->width),
                 high = static_cast<float>(reported->picture->height);
      const float factor = std::min({width / wide, px(200) / high, std::max(px(4), 1.0f)});
      const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + factor * wide, min.y + factor * high};
      pictures_.draw(reported->picture, min, max);
      ImGui::Dummy({max.x - min.x, max.y - min.y});
    }
    if (!reported->lines.empty()) ui::space(4);
    for (const std::string& line : reported->lines) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ui::text_at(at, line.empty() ? " " : line, ui::Look::small_muted, width, true);
      ImGui::Dummy({width, ui::text_size("X", ui::Look::small_muted).y});
    }
  }
  pictures_.end_frame();
  ImGui::EndChild();
}

void FileBrowser::list(const std::string& name, const Request& request, Ended& ended) {
  options(name, request);
  const float room = ui::wish(0), gap = px(kGapBetween);
  const float below = 0.9f * ImGui::GetIO().DisplaySize.y - ImGui::GetCursorPosY() - px(kBelow);
  const float height = std::clamp(below, px(kLeastHeight), px(kMostHeight));
  float wide = room;
  const bool sides = room >= px(kPlacesWidth + kLeastList) + gap;
  const bool tells = room >= px(kPlacesWidth + kLeastList + kPreviewWidth) + 2 * gap;
  if (sides) wide -= px(kPlacesWidth) + gap;
  if (tells) wide -= px(kPreviewWidth) + gap;
  if (sides) {
    places(name, {px(kPlacesWidth), height});
    ImGui::SameLine(0, gap);
  }
  entries(name, {wide, height}, ended);
  if (tells) {
    ImGui::SameLine(0, gap);
    preview(name, {px(kPreviewWidth), height});
  }
}

void FileBrowser::ask_desktop(const Request& request, bool folder) {
  FileDesk& desk = file_desk();
  model::Portal::Question question;
  question.save = request.kind == Kind::save;
  question.folder = folder;
  question.title = request.title;
  question.accept = question.save ? "Save" : folder ? "Choose" : "Open";
  std::error_code error;
  question.start = fs::absolute(place(), error).lexically_normal();
  question.name = question.save ? model::typed_parts(text_).name : "";
  question.filters = request.filters;
  if (!request.filters.empty()) question.filters.push_back({"All files", {}});
  question.window = desk.window;
  problem_.clear();
  asked_ = desk.portal->ask(std::move(question));
}

// The desktop's answer counts as if it had been typed.
void FileBrowser::take_desktop(const Request& request, Ended& ended) {
  model::Portal* portal = file_desk().portal;
  if (asked_ == 0 || !portal) return;
  const auto answer = portal->take(asked_);
  if (!answer) return;
  asked_ = 0;
  if (answer->end == model::Portal::End::chosen) {
    set_text(answer->path.string());
    ended.done = true;
    ended.replace = request.kind == Kind::save;
  } else if (answer->end == model::Portal::End::canceled) {
    ended.canceled = request.direct;
  } else {
    problem_ = answer->problem + "; choose here instead";
    own_ = true;
  }
}

// The buttons of the desktop's dialogs, and the recent files.
void FileBrowser::desktop(const std::string& name, const Request& request, std::string_view blocked) {
  const std::string_view open = asked_ != 0 ? "The desktop's dialog is open" : blocked;
  const bool files = request.kind != Kind::open_folder, folders = request.kind != Kind::save;
  if (files && ui::button(name + "/browse", request.kind == Kind::save ? "Browse…" : "Choose a file…",
                          ui::Button::normal, open, "Shows the desktop's file dialog"))
    ask_desktop(request, false);
  if (files && folders) ImGui::SameLine();
  if (folders && ui::button(name + "/browse-folder", "Choose a folder…", ui::Button::normal, open,
                            "Shows the desktop's file dialog"))
    ask_desktop(request, true);
  if (asked_ != 0) {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    ui::text("The desktop's dialog is open", ui::Look::small_muted);
  }
  if (request.kind == Kind::save) return;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), 0});
  recent(name, kRecentShort);
  ImGui::PopStyleVar();
}

FileBrowser::Ended FileBrowser::draw(const std::string& name, const std::string& field_name, const Request& request,
                                     std::string_view blocked) {
  kind_ = request.kind;
  Ended ended;
  take_desktop(request, ended);
  take_keys();
  const bool desk = file_desk().uses_desktop() && !own_;
  const float up = ui::button_width("Up") + px(8), width = ui::wish(0);
  if (!desk) {
    if (ui::button(name + "/up", "Up", ui::Button::normal, blocked, "Shows the folder that this one is in")) {
      std::error_code error;
      go((fs::absolute(place(), error) / "").lexically_normal().parent_path().parent_path());
    }
    ImGui::SameLine(0, px(8));
  }
  bool entered = field(field_name, request, blocked, desk ? width : width - up);
  std::error_code error;
  if (entered && kind_ == Kind::save && !model::typed_parts(text_).name.empty() && fs::is_directory(path(), error)) {
    const std::string kept = fs::path(offered_).filename().string();
    set_text(with_slash(path()) + kept);
    entered = false;
    fresh_ = true;
  }
  ended.done = ended.done || entered;
  if (desk && request.direct && !std::exchange(asked_once_, true))
    ask_desktop(request, request.kind == Kind::open_folder);
  if (desk)
    desktop(name, request, blocked);
  else
    list(name, request, ended);
  if (!problem_.empty()) ui::wrapped(problem_, ui::Look::warning, 0, name + "/desktop");
  update();
  changed_ = text_ != before_;
  before_ = text_;
  return ended;
}

}  // namespace pairs::gui
