#include "app/gui/library/new_task_dialog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/ui.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::gui {
namespace {

using Sketch = model::TaskSketch;

constexpr float kColumn = 96, kWide = 940, kForm = 470, kRoomForBoth = 780;
constexpr float kHigh = 560, kAround = 170;  // heights of the form, and of everything above and below it

void field(const char* name, const char* label, std::string& value, const char* hint, const char* tip) {
  ui::label(label, tip, kColumn);
  ui::input(name, value, hint, tip);
}

}  // namespace

void NewTaskDialog::ask() {
  open_ = true;
  written_.clear();
  failure_.clear();
}

void NewTaskDialog::quantities(const Quantities& kind, std::vector<Sketch::Quantity>& all) {
  ui::space(8);
  ui::text(kind.title, ui::Look::small_strong);
  const float room = ImGui::GetContentRegionAvail().x, gap = px(4), remove = px(24);
  const float word = (room - remove - 5 * gap) * 0.28f, small = (room - remove - 5 * gap - word) / 4;
  const ImVec2 head = ImGui::GetCursorScreenPos();
  float x = head.x + px(6);
  for (const char* column : {"name", "label", "unit", "from", "to"}) {
    const bool end = column == std::string_view("from") || column == std::string_view("to");
    if (!all.empty() && (kind.ends || !end)) ui::text_at({x, head.y}, column, ui::Look::small_muted);
    x += (column == std::string_view("name") ? word : small) + gap;
  }
  if (!all.empty()) ImGui::Dummy({room, ui::text_size("X", ui::Look::small_muted).y});
  std::size_t gone = all.size();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string base = fmt::format("{}/{}", kind.name, k + 1);
    const auto cell = [&](const char* part, std::string& value, const char* hint, float width, const char* tip) {
      ui::input(base + "/" + part, value, hint, tip, width);
      ImGui::SameLine(0, gap);
    };
    cell("name", all[k].name, "name", word, "Letters, digits, _ and -");
    cell("label", all[k].label, "label", small, "In figures, e.g. θ₁");
    cell("unit", all[k].unit, "unit", small, "Behind the label, e.g. GeV");
    if (kind.ends) {
      cell("low", all[k].low, "from", small, kind.low_tip);
      cell("high", all[k].high, "to", small, kind.high_tip);
    }
    const bool last = kind.needed && all.size() == 1;
    if (ui::button(base + "/remove", "×", ui::Button::quiet, last ? "At least one parameter is inferred" : "",
                   "Take it out", remove))
      gone = k;
  }
  if (gone < all.size()) all.erase(all.begin() + static_cast<std::ptrdiff_t>(gone));
  if (ui::button(std::string(kind.name) + "/add", "Add one", ui::Button::quiet,
                 all.size() >= 12 ? "Twelve are all that fit here; "
                                    "more are added in the file"
                                  : ""))
    all.push_back({fmt::format("{}{}", kind.added, all.size() + 1), "", ""});
}

void NewTaskDialog::source() {
  ui::space(8);
  ui::text("Simulations come from", ui::Look::small_strong);
  const auto choose = [&](const char* name, const char* label, Sketch::Source source, const char* tip) {
    if (ui::segment(name, label, sketch_.source == source, tip)) sketch_.source = source;
    ImGui::SameLine(0, px(4));
  };
  choose("new-task/python", "Python", Sketch::Source::python,
         "A file simulate.py with two functions is written to start from; it needs numpy");
  choose("new-task/program", "Another program", Sketch::Source::program,
         "A program in any language that speaks the protocol of docs/reference/simulators.md");
  choose("new-task/stored", "Stored files", Sketch::Source::stored, "NPZ, NPY or HDF5 files with theta, psi and x");
  ImGui::NewLine();
  if (sketch_.source == Sketch::Source::python)
    field("new-task/interpreter", "Interpreter", sketch_.python, "python3",
          "Must have numpy; that of an environment by its path, e.g. /home/me/env/bin/python3");
  if (sketch_.source == Sketch::Source::program)
    field("new-task/command", "Command", sketch_.command, "./simulate --fast", "Run in the folder of the task");
  if (sketch_.source == Sketch::Source::stored)
    field("new-task/files", "Files", sketch_.files, "pairs-*.npz, large.h5",
          "Next to task.toml or with a path, separated by commas");
}

void NewTaskDialog::form(model::Studio& studio) {
  field("new-task/name", "Name", sketch_.name, "my-task", "Lower-case letters, digits and hyphens");
  field("new-task/title", "Title", sketch_.title, "left out: the name", "For people");
  field("new-task/max-n", "Largest N", sketch_.max_n, "1000", "The largest number of observations in a set");
  const char* const begins = "Where the support of its prior begins; -inf where it does not";
  const char* const stops = "Where the support of its prior ends; inf where it does not";
  quantities({"new-task/targets", "Targets θ: parameters to infer", "theta", true, true, begins, stops},
             sketch_.targets);
  quantities({"new-task/nuisances", "Nuisances ψ: unknown, shared by a set", "psi", false, true, begins, stops},
             sketch_.nuisances);
  quantities({"new-task/given", "Conditions: known of a set, such as an exposure", "given", false,
              sketch_.source != Sketch::Source::stored, "The smallest value that is drawn for training, uniformly",
              "The largest value that is drawn for training, uniformly"},
             sketch_.given);
  ui::space(8);
  ui::text("An observation x is", ui::Look::small_strong);
  const auto choose = [&](const char* name, const char* label, Sketch::X x, const char* text, const char* tip) {
    if (ui::segment(name, label, sketch_.x == x, tip) && sketch_.x != x) {
      sketch_.x = x;
      sketch_.x_text = text;
    }
    ImGui::SameLine(0, px(4));
  };
  choose("new-task/columns", "Columns", Sketch::X::columns, "x", "A point: a number for each name");
  choose("new-task/shape", "Image", Sketch::X::shape, "1, 32, 32", "Channels, height and width");
  choose("new-task/rows", "Rows", Sketch::X::rows, "energy, time",
         "Any number of rows, such as the hits of an event, each with these columns");
  ImGui::NewLine();
  const bool shape = sketch_.x == Sketch::X::shape;
  field("new-task/x", shape ? "Shape" : "Names", sketch_.x_text, shape ? "channels, height, width" : "u, v",
        "Separated by commas");
  if (sketch_.x == Sketch::X::rows)
    field("new-task/typical", "Rows", sketch_.typical, "10", "How many a typical observation has");
  source();
  ui::space(8);
  if (!placed_) sketch_.folder = model::default_task_folder(studio.hub.runs_folder, sketch_.name).string();
  const std::string before = sketch_.folder;
  field("new-task/folder", "Folder", sketch_.folder, "~/my-task", "It is made, and holds task.toml");
  placed_ = placed_ || sketch_.folder != before;
}

void NewTaskDialog::preview() {
  const bool python = sketch_.source == Sketch::Source::python;
  if (ui::segment("new-task/preview/task", "task.toml", !simulator_shown_ || !python)) simulator_shown_ = false;
  if (python) {
    ImGui::SameLine(0, px(4));
    if (ui::segment("new-task/preview/simulator", "simulate.py", simulator_shown_)) simulator_shown_ = true;
  }
  ui::space(4);
  const std::string text = python && simulator_shown_ ? sketch_.simulator() : sketch_.text();
  ui::wrapped(text, ui::Look::small, 0, "new-task/preview");
}

void NewTaskDialog::describe(model::Studio& studio) {
  const float room = ImGui::GetContentRegionAvail().x;
  const bool both = room >= px(kRoomForBoth);
  const float high = std::min(px(kHigh), ImGui::GetIO().DisplaySize.y * 0.9f - px(kAround));
  ImGui::BeginChild("form", {both ? px(kForm) : room, high}, false);
  form(studio);
  if (!both) {
    ui::space(12);
    preview();
  }
  ImGui::EndChild();
  if (both) {
    ImGui::SameLine(0, px(24));
    ImGui::BeginChild("preview", {0, high}, false);
    preview();
    ImGui::EndChild();
  }
  Sketch wanted = sketch_;
  wanted.folder = typed_path(sketch_.folder).string();
  // Checked again only after a change, since it reads the disk.
  if (std::string now = wanted.folder + "\n" + wanted.text(); now != checked_) {
    problem_ = wanted.problem(*studio.hub.tasks);
    checked_ = std::move(now);
    failure_.clear();
  }
  if (!failure_.empty())
    ui::wrapped(failure_, ui::Look::bad, 0, "new-task/failure");
  else if (!problem_.empty())
    ui::wrapped(problem_, ui::Look::warning, 0, "new-task/problem");
  const bool python = sketch_.source == Sketch::Source::python;
  const ui::Choice choice = ui::choose("new-task/write", python ? "Write" : "Write and open", ui::Button::primary,
                                       "new-task/cancel", problem_);
  if (choice == ui::Choice::confirm) {
    try {
      const std::filesystem::path file = wanted.write(*studio.hub.tasks);
      studio.hub.messages.saved(file, false);
      checked_.clear();
      // Asks at once about the user's own program; one that only draws noise is not worth running.
      studio.library.own().open(file, !python);
      if (python)
        written_ = file;
      else
        open_ = false;
    } catch (const std::exception& error) {
      failure_ = sentence(error);
    }
  }
  if (choice == ui::Choice::cancel) open_ = false;
}

void NewTaskDialog::next_step(model::Studio& studio) {
  const std::filesystem::path program = written_.parent_path() / "simulate.py";
  ui::wrapped(
      "The folder is written. Its simulator draws noise only: put yours into its two functions, then open the "
      "task, which asks once whether to run it. Nothing of it was run yet.");
  ui::space(4);
  ui::wrapped(printable(program.string(), 1000), ui::Look::strong, 0, "new-task/program");
  ui::space(4);
  if (ui::button("new-task/reveal", "Show in file manager")) studio.library.reveal_file(program);
  ImGui::SameLine();
  if (ui::button("new-task/copy-path", "Copy path")) ui::copy(program.string());
  ui::space(12);
  ui::wrapped("Listed under Yours on the left.", ui::Look::muted);
  const ui::Choice choice =
      ui::choose("new-task/open", "Open the task", ui::Button::primary, "new-task/later", "", "Later");
  if (choice == ui::Choice::none) return;
  open_ = false;
  if (choice == ui::Choice::confirm) studio.library.own().open(written_, true);
}

void NewTaskDialog::draw(model::Studio& studio) {
  const bool written = !written_.empty();
  if (!ui::begin_dialog("new-task/dialog", written ? "Edit the simulator" : "New task", open_, written ? 560 : kWide))
    return;
  written ? next_step(studio) : describe(studio);
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

}  // namespace pairs::gui
