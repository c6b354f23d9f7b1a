#include <fmt/format.h>

#include <utility>

#include "app/session/session.h"
#include "core/base/fields/table_reader.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kLargestWhole = std::int64_t{1} << 53;
constexpr const char* kPackedSession = "session.pairs";

// What begins with "./" or "../" lies there from the session. Without, a file is one beside the session where it is
// there, and a name without "/" a task's where a run is meant.
PathChange placed_from(const fs::path& folder, bool file) {
  return [folder, file](const std::string& path) {
    const fs::path there = (folder / path).lexically_normal();
    std::error_code error;
    const bool relative = path.starts_with("./") || path.starts_with("../");
    const bool named = !path.empty() && !path.starts_with('/') && (file || path.find('/') != path.npos);
    return relative || (named && fs::exists(there, error)) ? there.string() : path;
  };
}

void check_version(TableReader& reader) {
  const auto version = reader.whole("session", 1, kLargestWhole);
  if (!version)
    reader.refuse_missing(
        "session",
        fmt::format(
            "this is no session of Pairs Studio, which would hold 'session = {}'; check that it is the right file",
            kSessionVersion));
  if (*version != kSessionVersion)
    reader.refuse_table(
        fmt::format("this session is of version {}, and this program reads version {}; open it with "
                    "the program that wrote it",
                    *version, kSessionVersion));
}

constexpr std::string_view kSeal = "# checksum ", kHead = "# A session of Pairs Studio, closed by a checksum";

// The last line of a session written by the program has a checksum of the lines above; a session written by the user
// needs none.
void check_seal(const std::string& text, const fs::path& file) {
  const std::size_t at = text.rfind(kSeal);
  const bool sealed = at != text.npos && (at == 0 || text[at - 1] == '\n');
  PAIRS_CHECK(
      sealed || !text.starts_with(kHead),
      "The session {} was cut short: its checksum is missing; if you changed it yourself, remove its first line, too",
      printable(file.string(), 300));
  if (!sealed) return;
  const std::string_view before = std::string_view(text).substr(0, at);
  PAIRS_CHECK(text.substr(at) == session_seal(before),
              "The session {} does not fit its checksum: it was changed or damaged; if you changed it yourself, remove "
              "its first and its last line",
              printable(file.string(), 300));
}

SavedSession read(const fs::path& file) {
  const std::string text = read_file(file, kMostTomlBytes);
  check_seal(text, file);
  const toml::table table = parse_toml(text, file.string());
  const std::string where = file.string();
  const PathChange run = placed_from(file.parent_path(), false), data = placed_from(file.parent_path(), true);
  TableReader reader(table, "", where);
  check_version(reader);
  SavedSession session;
  (void)reader.text("program");  // for the user
  session.task = reader.needed_text("task");
  session.task_file = data(reader.text_or("task_file", ""));
  session.tab = reader.text_or("tab", session.tab);
  session.weights = reader.text_or("weights", "");
  session.note = tidy_note(reader.text_or("note", ""));
  session.compared = reader.texts("compared").value_or(std::vector<std::string>());
  for (std::string& one : session.compared) one = run(one);
  session.question = read_question(reader, where, [&](TableReader& set) {
    session.sha256 = set.text_or("sha256", "");
    session.set_note = tidy_note(set.text_or("note", ""));
  });
  change_paths(session.question, run, data);
  reader.finish();
  return session;
}

}  // namespace

std::string changed_session(const std::string& text, const fs::path& file,
                            const std::function<std::string(const std::string&)>& change) {
  check_seal(text, file);
  const std::size_t at = text.rfind(kSeal);
  if (at == text.npos || (at > 0 && text[at - 1] != '\n')) return change(text);
  const std::string body = change(text.substr(0, at));
  return body + session_seal(body);
}

std::string session_seal(std::string_view text) {
  return fmt::format("{}{:08x}; remove this line and the first where you change the file yourself\n", kSeal,
                     checksum(text));
}

bool is_session(const fs::path& path) {
  std::error_code error;
  return path.extension() == kSessionEnding || fs::is_regular_file(path / kPackedSession, error);
}

fs::path session_file(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? path / kPackedSession : path;
}

std::string tidy_note(std::string text) {
  if (text.size() > kLongestNote) {
    std::size_t end = kLongestNote;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
  }
  std::string out;
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t') out += c;
  const auto first = out.find_first_not_of(" \t\n"), last = out.find_last_not_of(" \t\n");
  return first == out.npos ? "" : out.substr(first, last - first + 1);
}

SavedSession read_session(const fs::path& path) {
  const fs::path file = fs::absolute(session_file(path)).lexically_normal();
  std::error_code error;
  PAIRS_CHECK(fs::exists(file, error), "There is no session {}", printable(file.string(), 300));
  try {
    return read(file);
  } catch (const Error& wrong) {
    // An error in a file is not a usage error.
    throw Error(wrong.text(), ErrorKind::failed, {}, wrong.place());
  }
}

}  // namespace pairs
