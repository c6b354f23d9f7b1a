#include "tasks/molecules/molecule_source.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/chemistry/chemistry.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

std::string lower_name(const fs::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

bool is_geom_file(const fs::path& file) {
  return lower_name(file).find(".msgpack") != std::string::npos;
}

std::string format_text(const fs::path& file) {
  std::string name = lower_name(file);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (is_geom_file(file) || name.ends_with(".tar") || name.ends_with(".tgz")) return "GEOM";
  if (name.ends_with(".sdf") || name.ends_with(".sd") || name.ends_with(".mol")) return "SDF";
  return "SMILES";
}

struct FileState {
  std::string path;
  std::uintmax_t size = 0;
  fs::file_time_type time;
  auto operator<=>(const FileState&) const = default;
};

// Files of molecules by their names, in order of preference. Archives must be named like GEOM's, because it takes
// reading another one to know whether it holds molecules.
std::vector<FileState> candidates(const fs::path& folder) {
  std::vector<FileState> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path file = at->path();
    if (!is_molecule_file(file) || (format_text(file) == "GEOM" && !is_geom_file(file))) continue;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) continue;
    const std::uintmax_t size = fs::file_size(file, ignored);
    if (!ignored && size > 0) out.push_back({file.string(), size, fs::last_write_time(file, ignored)});
  }
  std::sort(out.begin(), out.end(), [](const FileState& a, const FileState& b) {
    if (is_geom_file(a.path) != is_geom_file(b.path)) return is_geom_file(a.path);
    return a.size != b.size ? a.size > b.size : a.path < b.path;
  });
  return out;
}

// Whether at least half of a file's first rows are molecules: a table or text may be anything.
bool begins_with_molecules(const fs::path& file) {
  constexpr std::int64_t most = 10;
  std::int64_t read = 0, good = 0;
  try {
    read_molecules({.file = file, .columns = {}}, {}, [&](MoleculeEntry&& entry) {
      good += !entry.bad && std::holds_alternative<Molecule>(parse_molecule(entry.smiles));
      return ++read < most;
    });
  } catch (const Error&) {
    return false;
  }
  return good > 0 && 2 * good >= read;
}

bool holds_molecules(const FileState& file) {
  static std::mutex mutex;
  static std::map<FileState, bool> known;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(file); found != known.end()) return found->second;
  }
  const bool holds = begins_with_molecules(file.path);
  const std::lock_guard lock(mutex);
  known[file] = holds;
  return holds;
}

// A checksum of a file's content, cached as long as the file does not change.
std::uint32_t content_of(const fs::path& file) {
  static std::mutex mutex;
  static std::map<FileState, std::uint32_t> known;
  std::error_code ignored;
  const FileState state{file.string(), fs::file_size(file, ignored), fs::last_write_time(file, ignored)};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(state); found != known.end()) return found->second;
  }
  const std::uint32_t content = checksum(file_content(file));
  const std::lock_guard lock(mutex);
  return known[state] = content;
}

FoundMolecules named(const fs::path& file) {
  std::error_code ignored;
  return {{.file = file, .columns = {}},
          fmt::format("{} ({}, {}, content {:08x})", printable(file.filename().string()), format_text(file),
                      byte_text(fs::file_size(file, ignored)), content_of(file)),
          false,
          ""};
}

FoundMolecules rdkit_molecules(bool charged, std::int64_t variants) {
  FoundMolecules out;
  out.bundled = true;
  out.name = "RDKit's molecules (WEHI)";
  if (charged && variants > 0)
    out.name += ", their charged forms and edited variants";
  else if (charged || variants > 0)
    out.name += charged ? " and their charged forms" : " and edited variants";
  out.source.charged = charged;
  out.source.variants = variants;
  try {
    out.source.file = bundled_molecules();
  } catch (const Error& error) {
    out.name = "no molecules";
    out.problem = error.what();
  }
  return out;
}

// The file that is used of a folder, "" if none holds molecules.
fs::path file_in(const fs::path& folder) {
  for (const fs::path& place : {folder / "molecules", folder})
    for (const FileState& file : candidates(place))
      if (holds_molecules(file)) return file.path;
  return {};
}

}  // namespace

FoundMolecules molecules_in(const std::string& data, bool charged, std::int64_t variants) {
  if (data.empty()) return rdkit_molecules(charged, variants);
  const fs::path path(data);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const fs::path file = file_in(path);
    return file.empty() ? rdkit_molecules(charged, variants) : named(file);
  }
  if (!fs::exists(path, error))
    fail_usage("There is no file or folder {}; name a folder or file of molecules", printable(data, 300));
  if (!fs::is_regular_file(path, error) || !is_molecule_file(path))
    fail_usage("{} is no file of molecules: those are .csv, .tsv, .txt, .smi, .sdf, .mol and GEOM's .msgpack",
               printable(data, 300));
  return named(path);
}

}  // namespace pairs
