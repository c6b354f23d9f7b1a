#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/posterior/question/question.h"

namespace pairs::model {

// The settings that persist between starts.
struct Settings {
  std::string theme = "dark";                // or "light"
  double scale = 0;                          // of the interface; 0 = as the screen
  std::string task, run, tab = "posterior";  // task "": the first
  std::string unfinished;                    // the last trained run, until it is finished or abandoned
  std::string runs_folder, data_folder;      // "" = default_runs_folder(), no real data
  std::vector<std::string> run_folders;      // runs opened from other folders
  std::vector<std::string> own_tasks;        // task.toml files of custom tasks
  std::string device = "auto";               // or "cpu", "cuda", "cuda:N"
  int threads = 0;                           // CPU threads, 0 to 4096; 0 = one per core
  int width = 1440, height = 900;            // of the window
  bool maximized = false;
  double sidebar = 248, drawer = 200;  // sizes at scale 1
  bool sidebar_open = true, log_open = false, notes_open = false;
  bool keep_training = false;             // the queue goes on when the window is closed
  bool notifications = true;              // the desktop tells of ends while nobody looks at the window
  std::vector<std::string> dismissed;     // notices that are not shown again, by name
  std::string file_dialogs = "desktop";   // where it has some, or "own"
  std::vector<std::string> recent_files;  // opened, and folders saved to: newest first
  std::string save_folder;                // of the last file that was saved; "": none yet
  std::vector<std::string> save_folders;  // that a person chose for a task's files: "TASK=FOLDER"
  Question question;                      // what the Posterior tab shows of the task
  std::vector<std::string> compared;      // runs on the Compare tab
  // The session (app/model/session_desk.h): its file ("": none), its note, and notes on data (file, note, file, note).
  std::string session_file, session_note;
  std::vector<std::string> data_notes;

  // The table of runs on the Compare tab: columns added ("+gap") and removed ("-note"), the column that sorts it
  // ("-gap": in descending order; "": newest first), and whether seeds share a row.
  std::vector<std::string> table_columns;
  std::string table_sort;
  bool table_folded = false;

  bool dismissed_before(const std::string& notice) const;
  void dismiss(const std::string& notice);
  // Makes an opened file or folder the newest of recent_files.
  void remember_file(const std::filesystem::path& file);
  // Remembers the folder of a file written while this task and the run in this folder ("": none) were shown, as the
  // newest, and as the task's folder unless it is the run's own.
  void remember_saved(const std::filesystem::path& file, const std::string& task = "",
                      const std::filesystem::path& run = "");
  // The folder chosen for a task's files; "": none.
  std::string chosen_save_folder(const std::string& task) const;
  friend bool operator==(const Settings&, const Settings&) = default;
};

// The settings on disk: a TOML file that the user may edit. Nothing here throws.
class SettingsFile {
 public:
  explicit SettingsFile(std::filesystem::path file = settings_path());

  // Reads the settings; missing ones keep their defaults. If the file has errors, problem() reports them, a copy is
  // kept as NAME.bad, and all valid settings are used.
  Settings load();
  // Writes only changes since the last load or save, and so preserves unknown keys and what another window has written.
  // On failure, problem() gives the reason and the next call tries again.
  void save(const Settings& settings);
  // The problem of the last load or save; empty if there was none.
  const std::string& problem() const { return problem_; }

  // $XDG_CONFIG_HOME/pairs-studio/settings.toml.
  static std::filesystem::path settings_path();

 private:
  std::filesystem::path file_;
  Settings known_;        // the settings on disk
  bool damaged_ = false;  // then the next save writes every setting
  std::string problem_;
};

// Returns the default folder of new runs: ./runs if the program was started from a terminal in a writable folder other
// than / and the home folder, else $XDG_DATA_HOME/pairs-studio/runs. The path is absolute and need not exist.
std::filesystem::path default_runs_folder();
// The default for a given current folder.
std::filesystem::path default_runs_folder(const std::filesystem::path& current, bool terminal);

}  // namespace pairs::model
