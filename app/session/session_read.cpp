#include <fmt/format.h>

#include <utility>

#include "app/posterior/set_fields.h"
#include "app/session/session.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/table_reader.h"
#include "core/base/text.h"
#include "core/eval/interval.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kLargestWhole = std::int64_t{1} << 53;
constexpr const char* kPackedSession = "session.pairs";

// One table of a session, whose paths become absolute.
class SessionTable {
 public:
  SessionTable(const toml::table& table, std::string name, const fs::path& file)
      : where_(file.string()), folder_(file.parent_path()), reader_(table, std::move(name), where_) {}

  TableReader& reader() { return reader_; }
  std::string run(const char* key) { return placed(reader_.text_or(key, ""), false); }
  std::string file(const char* key) { return placed(reader_.text_or(key, ""), true); }
  std::vector<std::string> runs(const char* key) {
    std::vector<std::string> all = reader_.texts(key).value_or(std::vector<std::string>());
    for (std::string& one : all) one = placed(one, false);
    return all;
  }
  SetChoice set() {
    SetChoice set = read_set_toml(reader_);
    set.file = placed(set.file.string(), true);
    return set;
  }

 private:
  // Paths that begin with "./" or "../" are relative to the session. Otherwise, a file is the one next to the session
  // if it exists, and a run without "/" is a task's name.
  std::string placed(const std::string& path, bool file) const {
    const fs::path there = (folder_ / path).lexically_normal();
    std::error_code error;
    const bool relative = path.starts_with("./") || path.starts_with("../");
    const bool named = !path.empty() && !path.starts_with('/') && (file || path.find('/') != path.npos);
    return relative || (named && fs::exists(there, error)) ? there.string() : path;
  }

  std::string where_;
  fs::path folder_;
  TableReader reader_;
};

void read_shown(const toml::table& table, const fs::path& file, SavedSession& session) {
  SessionTable shown(table, "set", file);
  TableReader& reader = shown.reader();
  session.set = shown.set();
  session.many = reader.flag("many").value_or(false);
  session.n = reader.whole("n", 1, kLargestWhole).value_or(0);
  session.sha256 = reader.text_or("sha256", "");
  session.set_note = tidy_note(reader.text_or("note", ""));
  reader.finish();
  if (session.many && session.set.file.empty())
    reader.refuse_table("many = true says that a file holds many sets, and 'set.file' is missing; name it");
}

SessionPin read_pin(const toml::table& table, const fs::path& file) {
  SessionTable pinned(table, "pinned", file);
  TableReader& reader = pinned.reader();
  SessionPin pin;
  pin.name = reader.text_or("name", "pinned");
  pin.run = pinned.run("run");
  pin.set = pinned.set();
  pin.n = reader.whole("n", 1, kLargestWhole).value_or(1);
  pin.weights = reader.text_or("weights", "");
  pin.sha256 = reader.text_or("sha256", "");
  reader.finish();
  if (pin.run.empty()) reader.refuse_table("'pinned.run' is missing; name the run that answers");
  return pin;
}

void check_version(TableReader& reader) {
  const auto version = reader.whole("session", 1, kLargestWhole);
  if (!version)
    reader.refuse_missing("session", fmt::format("this is no session of Pairs Studio, which would say 'session = {}'; "
                                                 "check that it is the right file",
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
  PAIRS_CHECK(sealed || !text.starts_with(kHead),
              "The session {} was cut short: its checksum is gone; if you changed it yourself, remove its first line, too",
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
  SessionTable top(table, "", file);
  TableReader& reader = top.reader();
  check_version(reader);
  SavedSession session;
  (void)reader.text("program");  // for the user
  session.task = reader.needed_text("task");
  session.task_file = top.file("task_file");
  session.tab = reader.text_or("tab", session.tab);
  session.run = top.run("run");
  session.weights = reader.text_or("weights", "");
  session.interval = interval_kind(reader.text_or("interval", interval_word(session.interval)), "'interval'");
  session.learned_product = reader.flag("learned_product").value_or(false);
  session.derived = reader.texts("derived").value_or(std::vector<std::string>());
  session.beside = top.runs("beside");
  session.compared = top.runs("compared");
  session.note = tidy_note(reader.text_or("note", ""));
  if (const toml::table* const shown = reader.table("set")) read_shown(*shown, file, session);
  for (const toml::table* const one : reader.tables("pinned")) session.pinned.push_back(read_pin(*one, file));
  reader.finish();
  return session;
}

}  // namespace

std::string session_seal(std::string_view text) {
  return fmt::format("{}{:08x}; remove this line and the first where you change the file yourself\n", kSeal, checksum(text));
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
