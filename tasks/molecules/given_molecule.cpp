#include "tasks/molecules/given_molecule.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/molecule_file.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

// The longest text that is checked as the name of a file.
constexpr std::size_t kLongestPath = 4096;

// Whether a text is plausible SMILES letter by letter: atoms of the organic subset, brackets, bonds, ring numbers.
bool reads_as_smiles(std::string_view text) {
  bool atoms = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[') {
      const std::size_t close = text.find(']', i);
      if (close == text.npos) return i + 1 < text.size();  // an unclosed bracket
      i = close;
      atoms = true;
    } else if ((c == 'C' || c == 'B') && i + 1 < text.size() && text[i + 1] == (c == 'C' ? 'l' : 'r')) {
      ++i;
      atoms = true;
    } else if (std::string_view("BCNOPSFIbcnops*").find(c) != std::string_view::npos) {
      atoms = true;
    } else if (!atoms && c != '(') {
      return false;  // bonds and numbers must follow an atom
    } else if (!std::isdigit(static_cast<unsigned char>(c)) &&
               std::string_view("-=#$:/\\.%()~]").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return atoms;
}

// Whether a text has features of SMILES that are rare in names of files: brackets or double bonds, and no extension.
bool looks_like_smiles(std::string_view text) {
  if (text.find_first_of("()[]=#@") == text.npos) return false;
  const std::size_t dot = text.rfind('.');
  const std::string_view ending = dot == text.npos ? "" : text.substr(dot + 1);
  const bool named = !ending.empty() && ending.size() <= 5 &&
                     std::all_of(ending.begin(), ending.end(), [](unsigned char c) { return std::isalnum(c); }) &&
                     !reads_as_smiles(ending);
  return !named && std::isalpha(static_cast<unsigned char>(text[text.find_first_not_of("([")]));
}

}  // namespace

bool names_molecule(const std::string& text) {
  const std::string_view bare = pasted_text(text);
  if (bare.empty() || bare.find('\0') != bare.npos || bare.find('\n') != bare.npos) return false;
  if (text.size() < kLongestPath) {
    for (const fs::path& path : {fs::path(text), fs::path(bare)}) {
      if (is_molecule_file(path)) return true;
      std::error_code ignored;
      if (fs::exists(path, ignored)) return false;
    }
    if (listed_record(text)) return true;
  }
  if (bare.find_first_of(" \t") != bare.npos) return false;
  return reads_as_smiles(bare) || (bare.find_first_not_of("([") != bare.npos && looks_like_smiles(bare));
}

GivenMolecule given_molecule(const std::string& given_text, const ConformerSettings& settings,
                             const MoleculeEntry* known) {
  GivenMolecule out;
  std::error_code ignored;
  const bool as_given = given_text.size() < kLongestPath && fs::exists(given_text, ignored);
  const std::string text(as_given ? std::string_view(given_text) : pasted_text(given_text));
  const fs::path path(text);
  const bool file = text.size() < kLongestPath && fs::is_regular_file(path, ignored);
  const std::optional<MoleculeRecord> record = file || text.size() >= kLongestPath ? std::nullopt : listed_record(text);
  if (record) {
    MoleculeEntry entry = known ? *known : record_entry(*record, settings.limits);
    const std::string name = entry.name;
    out.of_file = entry.conformers() > 0;
    out.molecule = molecule_of_entry(std::move(entry), settings);
    out.title = name.empty() ? fmt::format("{}, {}", printable(record->file.filename().string()), record->place)
                             : printable(name, 100);
  } else {
    out.molecule = std::move(molecules_given(text, settings, 1).at(0));
    out.of_file = file;
    out.title = file ? printable(path.filename().string()) : printable(out.molecule.canonical, 100);
  }
  if (file) {
    std::int64_t entries = 0;
    read_molecules({.file = path, .columns = {}}, settings.limits, [&](MoleculeEntry&&) { return ++entries < 2; });
    if (entries > 1)
      out.warnings.push_back(fmt::format("{} holds more than one molecule: this is the first that can be used, {}",
                                         printable(path.filename().string()), printable(out.molecule.canonical, 100)));
  }
  const PreparedMolecule& molecule = out.molecule;
  if (molecule.largest_of_many)
    out.warnings.push_back(fmt::format("Of the fragments of {} this is the largest, {}",
                                       file || record ? out.title : printable(text, 100),
                                       printable(molecule.canonical, 100)));
  if (molecule.odd_conformers > 0)
    out.warnings.push_back(fmt::format("{} of {} hold other atoms than the first and are left out",
                                       counted(static_cast<std::size_t>(molecule.odd_conformers), "conformer"),
                                       out.title));
  if (molecule.conformers < settings.conformers)
    out.warnings.push_back(fmt::format("{} has {} and not {}: sets of it end there", out.title,
                                       counted(static_cast<std::size_t>(molecule.conformers), "conformer"),
                                       settings.conformers));
  return out;
}

}  // namespace pairs
