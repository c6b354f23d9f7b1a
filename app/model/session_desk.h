#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/file_job.h"
#include "app/session/session.h"
#include "core/base/latest.h"

namespace pairs::model {

class Studio;

// The session of the window: what was noted, and the file (app/session) that keeps it with what is open, pinned and
// compared. Notes on a run stand in its about.toml (Library::annotate). All members belong to the window's thread.
class SessionDesk {
 public:
  explicit SessionDesk(Studio& studio);

  // Of the session, and of the file or folder that the Posterior tab shows; plain text. They are kept from start to
  // start, and in the session's file once it is saved.
  const std::string& note() const { return note_; }
  void set_note(const std::string& text);
  // "": a simulated set is shown, of which there is none.
  std::filesystem::path noted_data() const;
  std::string data_note() const;
  void set_data_note(const std::string& text);
  // Those that a report on what is shown tells, of the session and of the data.
  std::vector<std::string> report_notes() const;

  // The file that was saved or opened last; "": none.
  const std::filesystem::path& file() const { return file_; }
  // Whether notes were changed since.
  bool unsaved() const { return unsaved_; }

  // Writes it in the background; why it cannot be yet, a sentence, or "". `pack`: into this new folder with its runs
  // and data.
  std::string save(const std::filesystem::path& file, bool pack = false);
  FileJob& job() { return job_; }

  // Opens a session at once, or asks before it does where notes would be lost. What is wrong becomes a message; the
  // rest is opened.
  void open(const std::filesystem::path& path);
  const std::optional<std::filesystem::path>& asking() const { return asking_; }
  void answer(bool open);

  bool poll();
  bool busy() const { return job_.busy() || checked_.busy() || awaited_.has_value(); }

 private:
  SavedSession gathered() const;
  void open_now(const std::filesystem::path& path);
  void list_runs_of(const SavedSession& session);
  void show_rest();
  void await_rest();

  Studio& studio_;
  std::string note_;
  std::map<std::string, std::string> data_notes_;  // by path
  mutable std::filesystem::path named_, whole_;    // of noted_data(), as it was asked last
  std::filesystem::path file_;
  bool unsaved_ = false;
  std::optional<std::filesystem::path> asking_;
  std::optional<SavedSession> awaited_;  // its task and run are on their way
  FileJob job_;
  Latest<std::vector<std::string>> checked_;  // what is missing or another; last: ends first
};

}  // namespace pairs::model
