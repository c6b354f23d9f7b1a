#include "tasks/molecules/given_molecule.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "tasks/molecules/molecule_file.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

// Longest texts that are looked at as the name of a file.
constexpr std::size_t kLongestPath = 4096;

// Whether a text reads as SMILES letter by letter: atoms of the organic subset, brackets, bonds, ring numbers.
bool reads_as_smiles(std::string_view text) {
  bool atoms = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[') {
      const std::size_t close = text.find(']', i);
      if (close == text.npos) return i + 1 < text.size();  // a bracket that was left open
      i = close;
      atoms = true;
    } else if ((c == 'C' || c == 'B') && i + 1 < text.size() && text[i + 1] == (c == 'C' ? 'l' : 'r')) {
      ++i;
      atoms = true;
    } else if (std::string_view("BCNOPSFIbcnops*").find(c) != std::string_view::npos) {
      atoms = true;
    } else if (!atoms && c != '(') {
      return false;  // bonds and numbers stand behind an atom
    } else if (!std::isdigit(static_cast<unsigned char>(c)) &&
               std::string_view("-=#$:/\\.%()~]").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return atoms;
}

// Whether a text has what SMILES have and names of files rarely: brackets or double bonds, and no ending.
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
  const std::string_view bare(text);
  if (bare.empty() || bare.find('\0') != bare.npos || bare.find('\n') != bare.npos) return false;
  if (text.size() < kLongestPath) {
    const fs::path path(text);
    if (is_molecule_file(path)) return true;
    std::error_code ignored;
    if (fs::exists(path, ignored)) return false;
  }
  if (bare.find_first_of(" \t") != bare.npos) return false;
  return reads_as_smiles(bare) || (bare.find_first_not_of("([") != bare.npos && looks_like_smiles(bare));
}

GivenMolecule given_molecule(const std::string& text, const ConformerSettings& settings) {
  GivenMolecule out;
  const fs::path path(text);
  std::error_code ignored;
  const bool file = text.size() < kLongestPath && fs::is_regular_file(path, ignored);
  std::vector<PreparedMolecule> given = molecules_given(text, settings, 1);
  out.molecule = std::move(given.at(0));
  if (file) {
    std::int64_t entries = 0;
    read_molecules({.file = path, .columns = {}}, settings.limits, [&](MoleculeEntry&&) { return ++entries < 2; });
    if (entries > 1)
      out.warnings.push_back(fmt::format("{} holds more than one molecule: this is the first that can be used, {}",
                                         printable(path.filename().string()), printable(out.molecule.canonical, 100)));
  }
  const PreparedMolecule& molecule = out.molecule;
  out.of_file = file;
  out.title = file ? printable(path.filename().string()) : printable(molecule.canonical, 100);
  if (molecule.largest_of_many)
    out.warnings.push_back(fmt::format("Of the fragments of {} this is the largest, {}",
                                       file ? out.title : printable(text, 100), printable(molecule.canonical, 100)));
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
