#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/posterior/question/question.h"
#include "tasks/catalog.h"

namespace pairs {

// The extension of session files.
inline constexpr const char* kSessionEnding = ".pairs";
inline constexpr std::int64_t kSessionVersion = 1;  // of the files that are written and read

// What somebody works on: what is open, what stands beside it, and what was noted of it. Paths are absolute here; a run
// is a folder, or a task's name for its shipped weights. Of a set that is read from a file `sha256` is the file's hash,
// "" of a folder and of the words that name a thing.
struct SavedSession {
  std::string task;       // its name
  std::string task_file;  // of a custom task without an open run; else ""
  std::string tab = "posterior";
  std::string note;                   // of a person, plain text
  Question question;                  // on the Posterior tab; its run is the open one, "": none
  std::string weights;                // checksum of the run's weights when the session was saved; "": unknown
  std::string sha256, set_note;       // of the set's file
  std::vector<std::string> compared;  // runs on the Compare tab
};

// Whether a path names a session: a file with this extension, or a folder made by pack_session.
bool is_session(const std::filesystem::path& path);
// The file of a session: itself, or the one in the folder.
std::filesystem::path session_file(const std::filesystem::path& path);

// Reads a session. Paths in it that begin with "./" or "../" are relative to its folder. Throws Error with file and
// line if it is damaged, has an unknown key, or is of a later version.
SavedSession read_session(const std::filesystem::path& path);
// Writes a temporary file and renames it; paths in the file's folder or below become relative to it.
void write_session(const std::filesystem::path& file, const SavedSession& session);
// The last line of a session written by the program: a comment with a checksum of the lines above.
std::string session_seal(std::string_view text);
// A session's text as `change` returns it, with a checksum that fits if it had one. Throws Error if it did not fit.
std::string changed_session(const std::string& text, const std::filesystem::path& file,
                            const std::function<std::string(const std::string&)>& change);

// The maximum length of a note in bytes, since reports and lists include notes.
inline constexpr std::size_t kLongestNote = 20000;
std::string tidy_note(std::string text);

// Fills in the checksums of the weights and of the shown file, as far as they exist.
void stamp_session(SavedSession& session, const Tasks& tasks, const std::string& data);

// Changes since the session was saved: runs and files that are missing or differ, one sentence each without its full
// stop. `data`: the folder of real data.
std::vector<std::string> session_problems(const SavedSession& session, const Tasks& tasks, const std::string& data);

// Problems of runs that have weights but fail to load, as by session_problems. Loads all of them.
std::vector<std::string> session_run_problems(const SavedSession& session, const Tasks& tasks, const std::string& data);

// Writes the session with its runs and files to a new folder that can be moved and sent: session.pairs, runs, data.
// Copies only the files of a run that inference needs, not those of its training. Throws Error if something is missing
// or the folder is not empty, and Stopped; then it leaves nothing.
void pack_session(
    const SavedSession& session, const std::filesystem::path& folder,
    const std::function<bool()>& keep_going = [] { return true; });

}  // namespace pairs
