#include "app/gui/notes_panel.h"

#include <fmt/format.h>

#include <utility>

#include "app/gui/plot/figure_saver.h"
#include "app/gui/widgets/text_box.h"
#include "app/gui/widgets/ui.h"
#include "core/base/text/text.h"

namespace pairs::gui {
namespace {

constexpr float kWidth = 300, kSessionHigh = 180, kOtherHigh = 110;

std::string file_name(const std::filesystem::path& file) {
  return printable(file.filename().string(), 200);
}

}  // namespace

float NotesPanel::width() {
  return px(kWidth);
}

void NotesPanel::draw(model::Studio& studio) {
  ImGui::AlignTextToFramePadding();
  ui::text("Notes", ui::Look::strong);
  ImGui::SameLine(ImGui::GetContentRegionMax().x - ui::button_width("Close"));
  if (ui::button("notes/close", "Close", ui::Button::quiet)) studio.settings.notes_open = false;
  draw_file(studio);
  ui::space(8);
  ui::text("On this session", ui::Look::small_strong);
  std::string note = studio.session.note();
  if (ui::text_box("notes/session", note, "What is this work about, and what was found?",
                   "Kept with the session; a report on your data shows it", px(kSessionHigh))
          .changed)
    studio.session.set_note(note);
  draw_run(studio);
  draw_data(studio);
  ui::space(8);
  ui::wrapped("\"Report…\" on the Posterior tab prints these notes.", ui::Look::small_muted);
}

void NotesPanel::draw_file(model::Studio& studio) {
  const model::SessionDesk& session = studio.session;
  if (ui::button("notes/open", "Open session…", ui::Button::normal, "",
                 "Shows again what a session was saved with: task, run, data, N, pins, runs compared, notes"))
    open_.ask();
  ImGui::SameLine();
  if (ui::button("notes/save", "Save session…", ui::Button::normal, "",
                 "Writes what is open, pinned, compared and noted into a file that this program opens"))
    ask_to_save(studio);
  if (ui::button("notes/pack", "Pack to send…", ui::Button::quiet, "",
                 "Writes the session with its runs and data into a new folder that can be sent"))
    ask_to_pack(studio);
  const std::string named = session.file().empty() ? "Not saved in a file yet" : file_name(session.file());
  ui::wrapped(session.unsaved() && !session.file().empty() ? named + ", notes changed since" : named,
              ui::Look::small_muted, 0, "notes/file");
}

void NotesPanel::keep(model::Studio& studio) {
  if (std::exchange(typed_, false) && !run_.empty()) studio.library.annotate(run_, run_note_);
}

void NotesPanel::draw_run(model::Studio& studio) {
  const model::RunEntry* const run = studio.library.find(studio.shown_run());
  if (run == nullptr) return;
  if (run_ != run->run) {
    keep(studio);
    run_ = run->run;
  }
  ui::space(8);
  ui::text("On the run " + run->name, ui::Look::small_strong);
  std::string note = typed_ ? run_note_ : run->note;
  const ui::TextBox box = ui::text_box("notes/run", note, "What is special about it?",
                                       "Kept in the run's about.toml, as pairs --batch tag --note writes it",
                                       px(kOtherHigh), studio.library.blocked(*run, model::RunAction::note));
  if (box.changed) {
    run_note_ = note;
    typed_ = true;
  }
  if (box.ended) keep(studio);
}

void NotesPanel::draw_data(model::Studio& studio) {
  const std::filesystem::path file = studio.session.noted_data();
  if (file.empty()) return;
  ui::space(8);
  ui::text("On the data " + file_name(file), ui::Look::small_strong);
  std::string note = studio.session.data_note();
  if (ui::text_box("notes/data", note, "Where do they come from, and what was left out?",
                   "Kept with the session; a report on these data shows it", px(kOtherHigh))
          .changed)
    studio.session.set_data_note(note);
}

void NotesPanel::ask_to_save(const model::Studio& studio) {
  const std::filesystem::path& file = studio.session.file();
  save_.ask(file.empty() ? file_stem(studio.task() + " session") + kSessionEnding : file.filename().string());
}

void NotesPanel::ask_to_pack(const model::Studio& studio) {
  pack_.ask(file_stem(studio.task() + " session"));
}

void NotesPanel::dialogs(model::Studio& studio) {
  const SaveDialog::Texts saved = {"Save the session",
                                   "What is open, pinned, compared and noted. Runs and data stay where they are; those "
                                   "in the session's folder or below are found again wherever it is moved.",
                                   "Path, e.g. ~/work.pairs",
                                   {{"Sessions", {kSessionEnding}}},
                                   kSessionEnding};
  const auto file =
      save_.is_drawn()
          ? save_.draw({"notes/save/browser", "notes/save/path", "notes/save/confirm", "notes/save/cancel"}, saved)
          : std::nullopt;
  if (file) {
    keep(studio);
    const std::string why = studio.session.save(*file);
    why.empty() ? save_.close() : save_.fail(why);
  }
  const SaveDialog::Texts packed = {"Pack the session to send it",
                                    "A new folder with the session, its runs and its data. Its recipient opens "
                                    "session.pairs in it with this program.",
                                    "Path of a new folder"};
  const auto folder =
      pack_.is_drawn()
          ? pack_.draw({"notes/pack/browser", "notes/pack/path", "notes/pack/confirm", "notes/pack/cancel"}, packed)
          : std::nullopt;
  if (folder) {
    keep(studio);
    const std::string why = studio.session.save(*folder, true);
    why.empty() ? pack_.close() : pack_.fail(why);
  }
  const PathDialog::Texts opened = {"Open a session",
                                    "A file that ends in .pairs, or the folder of a packed session. Dropping it on the "
                                    "window does the same.",
                                    "Path, e.g. ~/work.pairs",
                                    {{"Sessions", {kSessionEnding}}}};
  if (const auto path = open_.draw("notes/opened", opened)) {
    if (is_session(*path)) {
      open_.close();
      studio.session.open(*path);
    } else {
      open_.fail("This is no session: its name must end in .pairs");
    }
  }
  draw_question(studio);
}

void NotesPanel::draw_question(model::Studio& studio) {
  bool open = studio.session.asking().has_value();
  if (!open) return;
  const std::string name = file_name(*studio.session.asking());
  if (!ui::begin_dialog("notes/question", "Open another session?", open)) {
    if (!open) studio.session.answer(false);
    return;
  }
  const std::filesystem::path& file = studio.session.file();
  ui::wrapped(fmt::format("The notes of this session are {}; those of {} take their place.",
                          file.empty() ? "in no file yet" : "not those in " + file_name(file) + " any more", name));
  const ui::Choice choice =
      ui::choose("notes/question/confirm", "Open it", ui::Button::primary, "notes/question/cancel");
  if (choice != ui::Choice::none || !open) {
    studio.session.answer(choice == ui::Choice::confirm);
    ImGui::CloseCurrentPopup();
  }
  ui::end_dialog();
}

}  // namespace pairs::gui
