#include "tasks/molecules/formats/table_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/chemistry/chemistry.h"

namespace pairs {
namespace {

constexpr std::size_t kLongestRow = 1 << 20;

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Splits a row into cells. Returns false if it ends within quotes.
bool split_row(std::string_view row, char separator, std::vector<std::string>& cells) {
  cells.assign(1, "");
  bool quoted = false, was_quoted = false;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const char c = row[k];
    if (quoted) {
      if (c != '"')
        cells.back() += c;
      else if (k + 1 < row.size() && row[k + 1] == '"')
        cells.back() += row[++k];
      else
        quoted = false;
    } else if (c == '"' && !was_quoted && trimmed(cells.back()).empty()) {
      quoted = was_quoted = true;
      cells.back().clear();
    } else if (c == separator) {
      if (!was_quoted) cells.back() = trimmed(cells.back());
      cells.emplace_back();
      was_quoted = false;
    } else if (!was_quoted || !std::isspace(static_cast<unsigned char>(c))) {
      cells.back() += c;
    }
  }
  if (!was_quoted) cells.back() = trimmed(cells.back());
  return !quoted;
}

char table_separator(std::string_view row) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t'})
    if (const auto count = std::count(row.begin(), row.end(), candidate); count > most) {
      most = count;
      best = candidate;
    }
  return best;
}

// Rows of a table with the line where each begins.
class TableRows {
 public:
  explicit TableRows(ByteSource& source) : source_(source) {}

  bool next() {
    do {
      if (!source_.line(row_, kLongestRow, cut_)) return false;
      if (line_ == 0 && row_.starts_with("\xef\xbb\xbf")) row_.erase(0, 3);
      first_line_ = ++line_;
    } while (trimmed(row_).empty() || trimmed(row_).front() == '#');  // no SMILES begins with '#'
    if (separator_ == '\0') separator_ = table_separator(row_);
    std::string more;
    bool cut = false;
    // A line break within quotes belongs to the cell. An unbalanced quote would swallow the rest of the file, but no
    // cell is that long.
    while (!split_row(row_, separator_, cells_) && row_.size() < 2 * kLongestSmiles &&
           source_.line(more, kLongestRow, cut)) {
      row_ += '\n';
      row_ += more;
      cut_ = cut_ || cut;
      ++line_;
    }
    return true;
  }
  const std::vector<std::string>& cells() const { return cells_; }
  bool cut() const { return cut_; }
  std::string place() const { return fmt::format("line {}", first_line_); }

 private:
  ByteSource& source_;
  std::string row_;
  std::vector<std::string> cells_;
  char separator_ = '\0';
  bool cut_ = false;
  std::int64_t line_ = 0, first_line_ = 0;
};

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

// Usual names of columns that hold SMILES.
constexpr std::initializer_list<const char*> kSmilesNames = {
    "smiles", "canonical_smiles", "canonical", "isomeric_smiles", "smi", "structure", "molecule", "mol"};

std::size_t find_column(const std::vector<std::string>& header, const std::string& wanted,
                        std::initializer_list<const char*> usual) {
  const auto at = [&](std::string_view name) {
    for (std::size_t k = 0; k < header.size(); ++k)
      if (header[k] == name) return k;
    for (std::size_t k = 0; k < header.size(); ++k)
      if (lower_case(header[k]) == lower_case(name)) return k;
    return kNoColumn;
  };
  if (!wanted.empty()) return at(wanted);
  for (const char* name : usual)
    if (const std::size_t k = at(name); k != kNoColumn) return k;
  return kNoColumn;
}

// Delivers a SMILES with its name; returns whether reading continues.
bool deliver_smiles(std::string place, std::string_view smiles, std::string_view name, bool cut,
                    const OnMolecule& on_molecule) {
  MoleculeEntry entry;
  entry.place = std::move(place);
  entry.smiles = pasted_text(smiles).substr(0, kLongestSmiles + 1);
  entry.name = name.substr(0, 200);
  if (cut) {
    entry.bad = SetAsideReason::size;
    entry.detail = "the row is longer than any that is read";
  }
  return on_molecule(std::move(entry));
}

void deliver_fault(const ByteSource& source, std::string place, const OnMolecule& on_molecule) {
  if (source.fault().empty()) return;
  MoleculeEntry rest;
  rest.place = std::move(place);
  rest.bad = SetAsideReason::damaged;
  rest.detail = source.fault();
  on_molecule(std::move(rest));
}

}  // namespace

void read_table(ByteSource& source, const std::string& where, const MoleculeColumns& columns,
                const OnMolecule& on_molecule) {
  TableRows rows(source);
  if (!rows.next())
    fail("{} holds no rows{}", where, source.fault().empty() ? ": check the file" : ": " + source.fault());
  const std::vector<std::string> header = rows.cells();
  std::size_t smiles = find_column(header, columns.smiles, kSmilesNames);
  std::size_t name = find_column(header, columns.name, {"name", "id", "title", "compound", "chembl_id", "molecule_id"});
  bool more = true;
  if (smiles == kNoColumn) {
    std::string listed;
    for (const std::string& cell : header) listed += (listed.empty() ? "" : ", ") + printable(cell, 40);
    PAIRS_CHECK(columns.smiles.empty(), "{} has no column '{}': it has {}; name the one that holds SMILES", where,
                printable(columns.smiles), printable(listed, 300));
    PAIRS_CHECK(!header[0].empty() && std::holds_alternative<Molecule>(parse_molecule(header[0])),
                "{} has no column of SMILES that is called so: it has {}; name the column that holds them", where,
                printable(listed, 300));
    smiles = 0;
    name = header.size() > 1 ? 1 : kNoColumn;
    more = deliver_smiles(rows.place(), header[0], name == 1 ? header[1] : "", rows.cut(), on_molecule);
  }
  PAIRS_CHECK(name != kNoColumn || columns.name.empty(), "{} has no column '{}' of names", where,
              printable(columns.name));
  while (more && rows.next()) {
    const std::vector<std::string>& cells = rows.cells();
    more = deliver_smiles(rows.place(), smiles < cells.size() ? cells[smiles] : "",
                          name < cells.size() ? cells[name] : "", rows.cut(), on_molecule);
  }
  if (more) deliver_fault(source, rows.place(), on_molecule);
}

void read_smi(ByteSource& source, const std::string& where, const OnMolecule& on_molecule) {
  std::string row;
  bool cut = false, any = false, more = true;
  std::int64_t line = 0;
  while (more && source.line(row, kLongestRow, cut)) {
    if (++line == 1 && row.starts_with("\xef\xbb\xbf")) row.erase(0, 3);
    const std::string_view text = trimmed(row);
    if (text.empty() || text.front() == '#') continue;
    const std::size_t blank = std::min(text.find_first_of(" \t"), text.size());
    std::string_view name = trimmed(text.substr(blank));
    const std::string word = any ? "" : lower_case(text.substr(0, blank));
    if (std::find(kSmilesNames.begin(), kSmilesNames.end(), word) != kSmilesNames.end()) {
      any = true;
      continue;
    }
    any = true;
    // A second column between bars extends the SMILES (ChemAxon); the name follows it.
    if (name.starts_with('|')) name = trimmed(name.substr(std::min(name.find('|', 1), name.size() - 1) + 1));
    more = deliver_smiles(fmt::format("line {}", line), text.substr(0, blank), name, cut, on_molecule);
  }
  PAIRS_CHECK(any || !source.fault().empty(), "{} holds no lines: check the file", where);
  if (more) deliver_fault(source, fmt::format("line {}", line + 1), on_molecule);
}

}  // namespace pairs
