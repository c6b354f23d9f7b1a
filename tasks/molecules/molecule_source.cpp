#include "tasks/molecules/molecule_source.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>

#include "core/base/caches.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "tasks/molecules/chemistry.h"
#include "tasks/molecules/conformer_store.h"
#include "tasks/molecules/molecule_parts.h"

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

// Files of molecules by their names, in the order in which they are preferred. Archives must be named as GEOM's are:
// whether another one holds molecules cannot be told without reading it.
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

FoundMolecules named(const fs::path& file) {
  std::error_code ignored;
  return {{.file = file, .columns = {}},
          fmt::format("{} ({}, {})", printable(file.filename().string()), format_text(file),
                      byte_text(fs::file_size(file, ignored))),
          false,
          ""};
}

FoundMolecules rdkit_molecules() {
  FoundMolecules out;
  out.bundled = true;
  out.name = "RDKit's molecules (WEHI)";
  try {
    out.source.file = bundled_molecules();
  } catch (const Error& error) {
    out.name = "no molecules";
    out.problem = error.what();
  }
  return out;
}

// The file of a folder that is taken, "" where none holds molecules.
fs::path file_in(const fs::path& folder) {
  for (const fs::path& place : {folder / "molecules", folder})
    for (const FileState& file : candidates(place))
      if (holds_molecules(file)) return file.path;
  return {};
}

// The stores of a file that are in the folder of caches, whatever the conformers' settings, the largest first.
std::vector<std::shared_ptr<const ConformerStore>> stores_of(const fs::path& file) {
  const std::string wanted = fmt::format("source {}\n", file_identity(file));
  std::vector<std::shared_ptr<const ConformerStore>> out;
  std::error_code error;
  for (fs::directory_iterator at(molecule_caches(), error), end; !error && at != end; at.increment(error)) {
    try {
      auto store = std::make_shared<const ConformerStore>(at->path());
      if (store->settings().find(wanted) != std::string::npos) out.push_back(std::move(store));
    } catch (const Error&) {
      // No store, or one that is being made.
    }
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a->molecules() != b->molecules() ? a->molecules() > b->molecules() : a->file() < b->file();
  });
  return out;
}

struct PartCounts {
  std::int64_t pretrain = 0, finetune = 0, test = 0;
};

PartCounts parts_of(const ConformerStore& store) {
  PartCounts out;
  for (std::int64_t m = 0; m < store.molecules(); ++m) {
    const MoleculeSplit split = molecule_split(store.molecule(m).flat_hash);
    ++(split == MoleculeSplit::pretrain ? out.pretrain : split == MoleculeSplit::finetune ? out.finetune : out.test);
  }
  return out;
}

}  // namespace

FoundMolecules molecules_in(const std::string& data) {
  if (data.empty()) return rdkit_molecules();
  const fs::path path(data);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const fs::path file = file_in(path);
    return file.empty() ? rdkit_molecules() : named(file);
  }
  if (!fs::exists(path, error))
    fail_usage("There is no file or folder {}; name a folder or file of molecules", printable(data, 300));
  if (!fs::is_regular_file(path, error) || !is_molecule_file(path))
    fail_usage("{} is no file of molecules: those are .csv, .tsv, .txt, .smi, .sdf, .mol and GEOM's .msgpack",
               printable(data, 300));
  return named(path);
}

FoundData find_molecules(const std::string& folder) {
  FoundData out;
  out.files.push_back({"a file of molecules", ""});
  std::error_code error;
  if (folder.empty() || !fs::exists(folder, error)) {
    out.problem = "no folder of molecules is named";
    return out;
  }
  try {
    const FoundMolecules found = molecules_in(folder);
    if (found.bundled) {
      out.problem = "no file in it or in molecules/ below it holds molecules";
      return out;
    }
    out.files[0].at = found.source.file.string();
    out.source = found.name;
    for (const auto& store : stores_of(found.source.file)) {
      const PartCounts parts = parts_of(*store);
      out.training = parts.pretrain + parts.finetune;
      out.test = parts.test;
      break;
    }
  } catch (const Error& failure) {
    out.problem = failure.what();
  }
  return out;
}

std::vector<std::string> molecule_store_lines(const std::string& folder) {
  constexpr std::int64_t shown = 3;
  const FoundMolecules found = molecules_in(folder);
  if (!found.problem.empty()) return {found.problem};
  std::vector<std::string> lines;
  for (const auto& store : stores_of(found.source.file)) {
    const PartCounts parts = parts_of(*store);
    std::string line = fmt::format(
        "{}: {} of {}, {} for stage 1, {} for stages 2 and 3, {} for tests; {}", store->file().parent_path().string(),
        counted(static_cast<std::size_t>(store->molecules()), "molecule"), found.name, parts.pretrain, parts.finetune,
        parts.test, set_aside_summary(store->set_aside_counts()));
    for (std::int64_t k = 0; k < std::min(shown, store->set_aside()); ++k)
      line += (k == 0 ? ": " : "; ") + set_aside_line(store->set_aside(k));
    lines.push_back(line + (store->damage().empty() ? "" : "; " + store->damage()));
  }
  if (lines.empty()) lines.push_back(fmt::format("No conformers of {} are made yet", found.name));
  return lines;
}

}  // namespace pairs
