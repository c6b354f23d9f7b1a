#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/posterior/question.h"

namespace pairs::model {

// What is remembered between starts.
struct Settings {
  std::string theme = "dark";                // or "light"
  double scale = 0;                          // of the interface; 0 = the screen's
  std::string task, run, tab = "posterior";  // task "": the first
  std::string unfinished;                // the run that was trained last, until it is finished or given up; "": none
  std::string runs_folder, data_folder;  // "" = default_runs_folder(), no real data
  std::vector<std::string> run_folders;  // opened from elsewhere
  std::vector<std::string> own_tasks;    // task.toml files of a person's own
  std::string device = "auto";           // or "cpu", "cuda", "cuda:N"
  int threads = 0;                       // of the CPU, 0 to 4096; 0 = one a core
  int width = 1440, height = 900;        // of the window
  bool maximised = false;
  double sidebar = 248, drawer = 200;  // their sizes at scale 1
  bool sidebar_open = true, log_open = false, notes_open = false;
  bool keep_training = false;             // the queue goes on when the window is closed
  bool notifications = true;              // the desktop tells of ends while nobody looks at the window
  std::vector<std::string> dismissed;     // notices that are not shown again, by name
  std::string file_dialogs = "desktop";   // where it has some, or "own"
  std::vector<std::string> recent_files;  // opened, and folders saved to: newest first
  std::string save_folder;                // of the last file that was saved; "": none yet
  std::vector<std::string> save_folders;  // that a person chose for a task's files: "TASK=FOLDER"
  Question question;                  // what the Posterior tab shows of the task
  std::vector<std::string> compared;  // runs on the Compare tab
  // Of the session (app/model/session_desk.h): its file, "": none; its note; and notes on data: file, note, file, note.
  std::string session_file, session_note;
  std::vector<std::string> data_notes;

  // Of the table of runs on the Compare tab: columns put in ("+gap") and taken out ("-note"), the column by which it is
  // sorted ("-gap": the largest first; "": newest first), and whether seeds share a row.
  std::vector<std::string> table_columns;
  std::string table_sort;
  bool table_folded = false;

  bool dismissed_before(const std::string& notice) const;
  void dismiss(const std::string& notice);
  // A file or folder that was opened becomes the newest of recent_files.
  void remember_file(const std::filesystem::path& file);
  // One that was written while this task and the run in this folder ("": none) were shown: its folder becomes the
  // newest, and is the task's unless it is the run's own.
  void remember_saved(const std::filesystem::path& file, const std::string& task = "",
                      const std::filesystem::path& run = "");
  // The folder that was chosen for a task's files; "": none.
  std::string chosen_save_folder(const std::string& task) const;
  friend bool operator==(const Settings&, const Settings&) = default;
};

// The settings on disk: a TOML file that people may edit. Nothing here throws.
class SettingsFile {
 public:
  explicit SettingsFile(std::filesystem::path file = settings_path());

  // Reads them; what the file does not hold keeps its default. When something in it cannot be read, problem() says so,
  // the file is kept beside as NAME.bad, and everything that can be read counts.
  Settings load();
  // Writes what differs from the last load or save into the file as it stands now: what it does not know stays, and so
  // does what another window has written. On failure problem() says why and the next call tries again.
  void save(const Settings& settings);
  // The sentence of the last load or save; empty when all went well.
  const std::string& problem() const { return problem_; }

  // $XDG_CONFIG_HOME/pairs-studio/settings.toml.
  static std::filesystem::path settings_path();

 private:
  std::filesystem::path file_;
  Settings known_;        // as on disk
  bool damaged_ = false;  // so that the next save writes every setting
  std::string problem_;
};

// Where new runs go when the settings do not say: ./runs of someone who works on a terminal in a folder of their own,
// else $XDG_DATA_HOME/pairs-studio/runs. Absolute; need not exist.
std::filesystem::path default_runs_folder();
// The same for a given current folder.
std::filesystem::path default_runs_folder(const std::filesystem::path& current, bool terminal);

}  // namespace pairs::model
