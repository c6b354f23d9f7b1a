#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/file_job.h"
#include "app/session/session.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

class Studio;

// The session of the window: notes, and the file (app/session) that stores them with what is open, pinned and compared.
// Notes on a run are in its about.toml (Library::annotate). All members belong to the window's thread.
class SessionDesk {
 public:
  explicit SessionDesk(Studio& studio);

  // The notes on the session, and on the file or folder that the Posterior tab shows; plain text. They persist between
  // starts, and in the session's file once it is saved.
  const std::string& note() const { return note_; }
  void set_note(const std::string& text);
  // "": a simulated set is shown, which has no note.
  std::filesystem::path noted_data() const;
  std::string data_note() const;
  void set_data_note(const std::string& text);
  // The notes on the session and the data for a report.
  std::vector<std::string> report_notes() const;

  // The last file saved or opened; "": none.
  const std::filesystem::path& file() const { return file_; }
  // Whether notes have changed since then.
  bool unsaved() const { return unsaved_; }

  // Writes the file in the background; returns why it cannot yet, as a sentence, or "". `pack`: writes to this new
  // folder, with runs and data.
  std::string save(const std::filesystem::path& file, bool pack = false);
  FileJob& job() { return job_; }

  // Opens a session, or first asks if notes would be lost. Problems become messages; the rest is opened.
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
  mutable std::filesystem::path named_, whole_;    // cache of noted_data()
  std::filesystem::path file_;
  bool unsaved_ = false;
  std::optional<std::filesystem::path> asking_;
  std::optional<SavedSession> awaited_;  // the session whose task and run are loading
  FileJob job_;
  Latest<std::vector<std::string>> checked_;  // what is missing or has changed; last: ends first
};

}  // namespace pairs::model
