#include "app/model/session_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "app/model/studio.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

// A file's name for a session: the absolute path of a file, else the text that names an item.
fs::path placed_path(const fs::path& file) {
  std::error_code error;
  return !file.empty() && fs::exists(file, error) ? fs::absolute(file).lexically_normal() : file;
}

bool missing(const fs::path& file) {
  std::error_code error;
  return file.is_absolute() && !fs::exists(file, error);
}

bool run_there(const Studio& studio, const std::string& run) {
  std::error_code error;
  return studio.library.task(run) != nullptr || fs::exists(fs::path(run) / run_file::config, error);
}

// Notes as stored in the settings: file, note, file, note.
std::vector<std::string> listed(const std::map<std::string, std::string>& notes) {
  std::vector<std::string> all;
  for (const auto& [file, note] : notes)
    if (file == printable(file, file.size())) all.insert(all.end(), {file, note});
  return all;
}

}  // namespace

SessionDesk::SessionDesk(Studio& studio) : studio_(studio), job_(studio.hub), checked_(studio.hub.wake) {
  const Settings& settings = studio.settings;
  note_ = settings.session_note;
  for (std::size_t k = 0; k + 1 < settings.data_notes.size(); k += 2)
    data_notes_[settings.data_notes[k]] = settings.data_notes[k + 1];
  // Notes that no file holds yet are unsaved.
  unsaved_ = settings.session_file.empty() && (!note_.empty() || !data_notes_.empty());
}

void SessionDesk::set_note(const std::string& text) {
  if (std::exchange(note_, tidy_note(text)) == note_) return;
  unsaved_ = true;
  studio_.settings.session_note = note_;
}

fs::path SessionDesk::noted_data() const {
  const fs::path named = std::as_const(studio_).posterior_page().question().set.file;
  if (named != named_) {
    named_ = named;
    whole_ = placed_path(named);
  }
  return whole_;
}

std::string SessionDesk::data_note() const {
  const auto known = data_notes_.find(noted_data().string());
  return known == data_notes_.end() ? "" : known->second;
}

void SessionDesk::set_data_note(const std::string& text) {
  const std::string file = noted_data().string(), note = tidy_note(text);
  if (file.empty() || data_note() == note) return;
  if (note.empty())
    data_notes_.erase(file);
  else
    data_notes_[file] = note;
  unsaved_ = true;
  studio_.settings.data_notes = listed(data_notes_);
}

std::vector<std::string> SessionDesk::report_notes() const {
  std::vector<std::string> all;
  for (const std::string& one : {note_, data_note()})
    if (!one.empty()) all.push_back(one);
  return all;
}

SavedSession SessionDesk::gathered() const {
  SavedSession session;
  session.task = studio_.task();
  session.question.run = studio_.run();
  session.tab = entry(studio_.tab()).name;
  session.note = note_;
  for (const OwnTask& own : studio_.library.own().all())
    if (own.said.name == session.task && (session.question.run.empty() || session.question.run == session.task))
      session.task_file = own.file.string();
  session.question = studio_.question();
  session.question.n = studio_.posterior_page().n();
  change_paths(
      session.question, [](const std::string& run) { return run; },
      [](const std::string& file) { return placed_path(file).string(); });
  session.set_note = data_note();
  for (const ComparedRun& run : studio_.comparison.entries()) session.compared.push_back(run.run);
  return session;
}

std::string SessionDesk::save(const fs::path& file, bool pack) {
  if (awaited_) return "The session is still being opened";
  if (studio_.task().empty()) return "There is nothing open that could be saved";
  if (!pack && file.extension() != kSessionEnding) return fmt::format("The file's name must end in {}", kSessionEnding);
  job_.start(file, [session = gathered(), tasks = studio_.hub.tasks, data = studio_.hub.data_folder.string(), file,
                    pack](const LatestWorker::Stale& stale) mutable {
    if (!pack) check_writable(file);
    stamp_session(session, tasks, data);
    if (stale()) return false;
    if (pack)
      pack_session(session, file, [&] { return !stale(); });
    else
      write_session(file, session);
    return true;
  });
  return "";
}

void SessionDesk::open(const fs::path& path) {
  const bool lost = unsaved_ && (!note_.empty() || !data_note().empty());
  if (!lost) return open_now(path);
  asking_ = path;
}

void SessionDesk::answer(bool open) {
  const auto path = std::exchange(asking_, std::nullopt);
  if (path && open) open_now(*path);
}

// Lists its runs on the left, wherever they are stored.
void SessionDesk::list_runs_of(const SavedSession& session) {
  std::vector<std::string> runs = session.compared;
  runs.insert(runs.end(), session.question.others.begin(), session.question.others.end());
  runs.insert(runs.begin(), session.question.run);
  for (const std::string& run : runs) {
    if (!run.starts_with('/') || !run_there(studio_, run) || studio_.library.find(run) != nullptr) continue;
    const std::string problem = studio_.library.folders.add(run);
    if (!problem.empty()) studio_.hub.messages.warning("session", problem);
  }
}

void SessionDesk::open_now(const fs::path& path) {
  SavedSession session;
  try {
    session = read_session(path);
    parse_tab(session.tab);
  } catch (const std::exception& error) {
    studio_.hub.messages.error("session", sentence(error));
    studio_.settings.log_open = true;
    return;
  }
  file_ = placed_path(session_file(path));
  studio_.settings.session_file = file_.string();
  studio_.settings.remember_file(file_);
  checked_.ask([session, tasks = studio_.hub.tasks, data = studio_.hub.data_folder.string()](const auto&) {
    return std::make_shared<std::vector<std::string>>(session_problems(session, tasks, data));
  });
  note_ = studio_.settings.session_note = session.note;
  if (!session.set_note.empty()) data_notes_[session.question.set.file.string()] = session.set_note;
  studio_.settings.data_notes = listed(data_notes_);
  unsaved_ = false;
  list_runs_of(session);
  awaited_ = std::move(session);
  const SavedSession& asked = *awaited_;
  if (!asked.question.run.empty() && run_there(studio_, asked.question.run))
    studio_.open_run(asked.question.run);
  else if (!asked.task_file.empty() && !missing(asked.task_file))
    studio_.library.own().open(asked.task_file, true);
  else if (studio_.library.task(asked.task) != nullptr)
    studio_.open_task(asked.task);
  await_rest();
}

// The rest is shown once the session's task is ready; checked_ reports what was impossible.
void SessionDesk::await_rest() {
  if (!awaited_) return;
  if (studio_.task() == awaited_->task) return show_rest();
  const OwnTasks& own = studio_.library.own();
  if (own.busy() || own.asking() != nullptr) return;
  studio_.hub.messages.warning(
      "session",
      fmt::format("The session's task {} is not open, so that nothing else of it is", printable(awaited_->task)));
  awaited_.reset();
}

void SessionDesk::show_rest() {
  const SavedSession session = *std::exchange(awaited_, std::nullopt);
  Question question = session.question;
  if (missing(question.set.file)) {
    question.set = {.index = question.set.index};
    question.many = false;
  }
  studio_.restore(std::move(question));
  studio_.comparison.clear();
  for (const std::string& run : session.compared)
    if (run_there(studio_, run) && !studio_.comparison.holds(run)) studio_.comparison.toggle(run);
  studio_.set_tab(parse_tab(session.tab));
}

bool SessionDesk::poll() {
  bool changed = false;
  await_rest();
  studio_.posterior.files.reports().set_notes(report_notes());
  if (const auto checked = checked_.take()) {
    if (checked->value)
      for (const std::string& problem : *checked->value) studio_.hub.messages.warning("session", problem);
    if (!checked->failure.empty()) studio_.hub.messages.warning("session", checked->failure);
    if (!checked->failure.empty() || !checked->value->empty()) studio_.settings.log_open = true;
    changed = true;
  }
  if (const auto written = job_.take()) {
    changed = true;
    if (!written->failure.empty()) {
      studio_.hub.messages.error("session", written->failure);
      studio_.settings.log_open = true;
      return true;
    }
    studio_.hub.messages.saved(written->file);
    if (written->file.extension() != kSessionEnding) return true;  // a packed one is a copy
    file_ = written->file;
    studio_.settings.session_file = file_.string();
    studio_.settings.remember_file(file_);
    unsaved_ = false;
  }
  return changed;
}

}  // namespace pairs::model
