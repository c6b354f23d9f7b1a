#include <toml++/toml.h>

#include <sstream>
#include <utility>

#include "app/session/session.h"
#include "core/base/fields/table_reader.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/version.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

// What lies beside the session, or below, by its place there.
PathChange named_from(const fs::path& folder) {
  return [folder](const std::string& path) {
    if (!path.starts_with('/')) return path;
    const fs::path relative = fs::path(path).lexically_normal().lexically_relative(folder);
    const bool below = !relative.empty() && *relative.begin() != "..";
    return below ? "./" + relative.string() : path;
  };
}

std::string session_text(const SavedSession& session, const fs::path& folder) {
  const PathChange named = named_from(folder);
  Question question = session.question;
  change_paths(question, named, named);
  toml::table table = question_table(question);
  const auto add = [](toml::table& to, const char* key, const std::string& text) {
    if (!text.empty()) to.insert_or_assign(key, text);
  };
  table.insert_or_assign("session", kSessionVersion);
  add(table, "program", kVersion);
  add(table, "task", session.task);
  add(table, "task_file", named(session.task_file));
  add(table, "tab", session.tab);
  add(table, "weights", session.weights);
  add(table, "note", session.note);
  toml::array compared;
  for (const std::string& run : session.compared) compared.push_back(named(run));
  if (!compared.empty()) table.insert_or_assign("compared", std::move(compared));
  toml::table& set = *table["set"].as_table();
  add(set, "sha256", session.sha256);
  add(set, "note", session.set_note);
  std::ostringstream out;
  out << "# A session of Pairs Studio, closed by a checksum: pairs --session FILE opens it. What begins with ./ lies "
         "next to this file.\n"
      << table << "\n";
  return out.str();
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
