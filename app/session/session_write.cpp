#include <fmt/format.h>
#include <toml++/toml.h>

#include <sstream>
#include <utility>

#include "app/posterior/set_fields.h"
#include "app/session/session.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/table_reader.h"
#include "core/eval/interval.h"
#include "core/version.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

// A value as TOML.
template <class Value>
std::string toml_text(const Value& value) {
  std::ostringstream out;
  out << toml::value<Value>(value);
  return out.str();
}
std::string toml_text(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& one : values) text += (text.empty() ? "" : ", ") + toml_text(one);
  return "[" + text + "]";
}

// Lines "key = value" of non-empty values.
class SessionLines {
 public:
  explicit SessionLines(fs::path folder) : folder_(std::move(folder)) {}

  void heading(const std::string& title) { text_ += "\n" + title + "\n"; }
  template <class Value>
  void add(const char* key, const Value& value) {
    if (value != Value()) put(key, toml_text(value));
  }
  void whole(const char* key, std::int64_t value) { put(key, toml_text(value)); }
  void run(const char* key, const std::string& run) { add(key, named(run)); }
  void runs(const char* key, std::vector<std::string> runs) {
    for (std::string& one : runs) one = named(one);
    add(key, runs);
  }
  void set(const SetChoice& set) {
    SetChoice placed = set;
    placed.file = named(set.file.string());
    text_ += set_toml(placed);
  }
  const std::string& text() const { return text_; }

 private:
  // Paths next to or below the session become relative to it.
  std::string named(const std::string& path) const {
    if (!path.starts_with('/')) return path;
    const fs::path relative = fs::path(path).lexically_normal().lexically_relative(folder_);
    const bool below = !relative.empty() && *relative.begin() != "..";
    return below ? "./" + relative.string() : path;
  }
  void put(const char* key, const std::string& value) { text_ += fmt::format("{} = {}\n", key, value); }

  fs::path folder_;
  std::string text_;
};

std::string session_text(const SavedSession& session, const fs::path& folder) {
  SessionLines lines(folder);
  lines.whole("session", kSessionVersion);
  lines.add("program", std::string(kVersion));
  lines.add("task", session.task);
  lines.run("task_file", session.task_file);
  lines.add("tab", session.tab);
  lines.run("run", session.run);
  lines.add("weights", session.weights);
  if (session.interval != IntervalKind::central) lines.add("interval", std::string(interval_word(session.interval)));
  lines.add("learned_product", session.learned_product);
  lines.add("derived", session.derived);
  lines.runs("beside", session.beside);
  lines.runs("compared", session.compared);
  lines.add("note", session.note);
  lines.heading("[set]");
  lines.set(session.set);
  lines.add("many", session.many);
  if (session.n > 0) lines.whole("n", session.n);
  lines.add("sha256", session.sha256);
  lines.add("note", session.set_note);
  for (const SessionPin& pin : session.pinned) {
    lines.heading("[[pinned]]");
    lines.add("name", pin.name);
    lines.run("run", pin.run);
    lines.set(pin.set);
    lines.whole("n", pin.n);
    lines.add("weights", pin.weights);
    lines.add("sha256", pin.sha256);
  }
  return "# A session of Pairs Studio, closed by a checksum: pairs --session FILE opens it. What begins with ./ lies beside this file.\n" +
         lines.text();
}

}  // namespace

void write_session(const fs::path& path, const SavedSession& session) {
  const fs::path file = fs::absolute(path).lexically_normal();
  const std::string text = session_text(session, file.parent_path());
  try {
    parse_toml(text, file.string());
  } catch (const Error&) {
    fail("The session cannot be saved: a name or note in it is not UTF-8; change it");
  }
  write_file(file, text + session_seal(text));
}

}  // namespace pairs
