#include "tasks/molecules/formats/other_formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/chemistry/chemistry.h"

namespace pairs {
namespace {

constexpr std::size_t kJudgedLines = 200;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0;;) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == line.npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

std::vector<std::string_view> first_lines(std::string_view head) {
  std::vector<std::string_view> lines;
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  while (!head.empty() && lines.size() < kJudgedLines) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    lines.push_back(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return lines;
}

bool is_number(std::string_view word, bool whole = false) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return !word.empty() && error == std::errc() && end == word.data() + word.size() &&
         (!whole || word.find_first_not_of("0123456789") == word.npos);
}

bool is_element(std::string_view word) {
  if (word.empty() || word.size() > 2 || !std::isalpha(static_cast<unsigned char>(word[0]))) return false;
  std::string symbol(1, static_cast<char>(std::toupper(static_cast<unsigned char>(word[0]))));
  if (word.size() == 2) symbol += static_cast<char>(std::tolower(static_cast<unsigned char>(word[1])));
  for (int z = 1; z <= 118; ++z)
    if (element_symbol(z) == symbol) return true;
  return false;
}

// Whether a row looks like "C 0.0 1.2 0.3", or has the element's number instead of its symbol, possibly followed by
// more.
bool is_atom_row(const std::vector<std::string_view>& words) {
  return words.size() >= 4 && (is_element(words[0]) || is_number(words[0], true)) && is_number(words[1]) &&
         is_number(words[2]) && is_number(words[3]);
}

bool is_xyz(const std::vector<std::string_view>& lines) {
  std::size_t rows = 0, atoms = 0, first = lines.size();
  bool counted = false;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::vector<std::string_view> words = words_of(lines[k]);
    if (words.empty()) continue;
    if (rows++ == 0) counted = words.size() == 1 && is_number(words[0], true), first = k;
    const bool atom = is_atom_row(words) && is_element(words[0]);
    atoms += atom ? 1 : 0;
    // The first line is an atom count only if other lines are not numbers alone; a list of SMILES does not begin with a
    // number.
    if (counted && k > first && (!is_number(words[0]) || (k <= first + 2 && is_atom_row(words)))) return true;
  }
  return atoms > 0 && 2 * atoms >= rows;
}

bool is_pdb(const std::vector<std::string_view>& lines) {
  std::size_t atoms = 0, known = 0;
  for (const std::string_view line : lines) {
    atoms += line.starts_with("ATOM  ") || line.starts_with("HETATM") ? 1 : 0;
    for (const std::string_view word : {"HEADER", "COMPND", "CRYST1", "REMARK", "CONECT", "SEQRES", "MODEL "})
      known += line.starts_with(word) ? 1 : 0;
  }
  return atoms > 0 && atoms + known >= std::min<std::size_t>(2, lines.size());
}

bool is_gro(const std::vector<std::string_view>& lines) {
  if (lines.size() < 3) return false;
  const auto count = words_of(lines[1]), row = words_of(lines[2]);
  if (count.size() != 1 || !is_number(count[0], true) || row.size() < 5) return false;
  return std::isdigit(static_cast<unsigned char>(row[0][0])) && !is_number(row[0]) && is_number(row[row.size() - 1]) &&
         is_number(row[row.size() - 2]) && is_number(row[row.size() - 3]);
}

bool any_begins(const std::vector<std::string_view>& lines, std::string_view word) {
  return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) { return line.starts_with(word); });
}

}  // namespace

std::string unread_molecule_name(const std::filesystem::path& file) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 27> endings = {
      {{".xyz", "an XYZ file"},       {".pdb", "a PDB file"},           {".ent", "a PDB file"},
       {".pdbqt", "a PDBQT file"},    {".pqr", "a PQR file"},           {".mol2", "a MOL2 file"},
       {".ml2", "a MOL2 file"},       {".cif", "a CIF file"},           {".mcif", "a CIF file"},
       {".mmcif", "a CIF file"},      {".gro", "a GRO file"},           {".cml", "a CML file"},
       {".mrv", "a Marvin file"},     {".mae", "a Maestro file"},       {".maegz", "a Maestro file"},
       {".cdx", "a ChemDraw file"},   {".cdxml", "a ChemDraw file"},    {".rxn", "a reaction"},
       {".rdf", "an RD file"},        {".gjf", "an input of Gaussian"}, {".com", "an input of Gaussian"},
       {".inchi", "a list of InChI"}, {".smarts", "a list of SMARTS"},  {".sma", "a list of SMARTS"},
       {".poscar", "a POSCAR file"},  {".extxyz", "an XYZ file"},       {".tdt", "a TDT file"}}};
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  for (const auto& [ending, format] : endings)
    if (name.ends_with(ending)) return std::string(format);
  return "";
}

std::string unread_molecule_text(std::string_view head) {
  if (head.find('\0') != head.npos) return "";
  const std::vector<std::string_view> lines = first_lines(head);
  if (any_begins(lines, "@<TRIPOS>")) return "a MOL2 file";
  if (is_pdb(lines)) return "a PDB file";
  if (any_begins(lines, "data_") && (any_begins(lines, "_") || any_begins(lines, "loop_"))) return "a CIF file";
  if (is_gro(lines)) return "a GRO file";
  if (is_xyz(lines)) return "an XYZ file";
  if (any_begins(lines, "InChI=")) return "a list of InChI";
  const std::string_view first = pasted_text(lines.empty() ? std::string_view() : lines.front());
  if (first.starts_with("<?xml") || first.starts_with("<cml") || first.starts_with("<molecule")) return "a CML file";
  if (first.starts_with("$RXN")) return "a reaction";
  return "";
}

void refuse_molecule_format(const std::string& format, const std::string& where) {
  if (format.empty()) return;
  fail_usage(
      "{} is {}, which is not read as molecules: give SMILES (.smi, .csv), or an SDF or MOL file, which Open Babel "
      "makes of it (obabel)",
      where, format);
}

void refuse_wide_text(std::string_view head, const std::string& where) {
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    fail_usage("{} is text in UTF-16; save it as UTF-8 or plain ASCII", where);
}

bool holds_molblock(std::string_view head) {
  const std::vector<std::string_view> lines = first_lines(head);
  return lines.size() > 3 && (lines[3].find(" V2000") != head.npos || lines[3].find(" V3000") != head.npos);
}

}  // namespace pairs
