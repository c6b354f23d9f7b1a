#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/posterior/question.h"
#include "tasks/catalogue.h"

namespace pairs {

// The ending of a session's file.
inline constexpr const char* kSessionEnding = ".pairs";
inline constexpr std::int64_t kSessionVersion = 1;  // of the files that are written and read

// What somebody works on: what is open, what stands beside it, and what was noted of it. Paths are absolute here; a run
// is a folder, or a task's name for its shipped weights. Of a set that is read from a file `sha256` is the file's hash,
// "" of a folder and of the words that name a thing.
struct SavedSession {
  std::string task;       // its name
  std::string task_file;  // of a person's own task that has no run open; else ""
  std::string tab = "posterior";
  std::string run;               // "": none
  std::string weights;           // checksum of the run's weights when the session was saved; "": unknown
  std::string note;              // of a person, plain text
  Question question;             // on the Posterior tab
  std::string sha256, set_note;  // of the set's file
  std::vector<std::string> compared;  // runs on the Compare tab
};

// Whether a path is meant for a session: a file of this ending, or a folder that pack_session has made.
bool is_session(const std::filesystem::path& path);
// The file of a session: itself, or the one in the folder.
std::filesystem::path session_file(const std::filesystem::path& path);

// Reads a session. Paths in it that begin with "./" or "../" are relative to its folder. Throws Error that names file
// and line where it is damaged, holds a key that there is none of, or is of a later version.
SavedSession read_session(const std::filesystem::path& path);
// Writes it beside and renames it; what lies in the file's folder or below is named relative to it.
void write_session(const std::filesystem::path& file, const SavedSession& session);
// The last line of a session that the program wrote: a comment with a checksum of what stands above it.
std::string session_seal(std::string_view text);

// Notes are told in reports and lists: at most so many bytes are kept of one.
inline constexpr std::size_t kLongestNote = 20000;
std::string tidy_note(std::string text);

// Fills in the checksums of the weights and of the file that is shown, as far as these are there.
void stamp_session(SavedSession& session, const Tasks& tasks, const std::string& data);

// What is not as it was when the session was saved: runs and files that are missing or others. Each a sentence without
// its full stop. `data`: the folder of real data.
std::vector<std::string> session_problems(const SavedSession& session, const Tasks& tasks, const std::string& data);

// The same of its runs that are there, have weights and cannot be opened all the same. All of them are loaded for it.
std::vector<std::string> session_run_problems(const SavedSession& session, const Tasks& tasks, const std::string& data);

// Writes the session with its runs and files into a new folder, which can be moved and sent: session.pairs, runs, data.
// Of a run goes along what answers need, not what only its training does. Throws Error where something is missing or
// the folder holds anything, and Stopped; then nothing is left.
void pack_session(
    const SavedSession& session, const std::filesystem::path& folder,
    const std::function<bool()>& keep_going = [] { return true; });

}  // namespace pairs
