#include "tasks/molecules/molecule_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <variant>

#include "core/base/files/descriptor.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/molecules/charged_forms.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/formats/byte_source.h"
#include "tasks/molecules/formats/geom_file.h"
#include "tasks/molecules/formats/other_formats.h"
#include "tasks/molecules/formats/sdf_file.h"
#include "tasks/molecules/splits.h"
#include "tasks/molecules/variants.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

// Files up to this size are identified by all of their bytes.
constexpr off_t kReadWhole = off_t{256} << 20;

enum class MoleculeFormat { table, smi, sdf, geom };

std::string name_in_lower_case(const fs::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::optional<MoleculeFormat> format_of(const fs::path& file) {
  std::string name = name_in_lower_case(file);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const auto any = [&](std::initializer_list<const char*> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](const char* e) { return name.ends_with(e); });
  };
  if (any({".csv", ".tsv", ".txt"})) return MoleculeFormat::table;
  if (any({".smi", ".ism", ".can", ".smiles"})) return MoleculeFormat::smi;
  if (any({".sdf", ".sd", ".mol"})) return MoleculeFormat::sdf;
  if (any({".msgpack", ".tar", ".tgz"})) return MoleculeFormat::geom;
  return std::nullopt;
}

// The format of a file by its name and the beginning of its content; nothing if it holds no molecules. Throws a usage
// Error for molecules in an unsupported format.
std::optional<MoleculeFormat> format_of(const fs::path& file, std::string_view head, const std::string& where) {
  refuse_molecule_format(unread_molecule_name(file), where);
  const std::optional<MoleculeFormat> named = format_of(file);
  if (named == MoleculeFormat::geom) return named;
  refuse_wide_text(head, where);
  if (named == MoleculeFormat::sdf) return named;
  if (holds_molblock(head)) return MoleculeFormat::sdf;
  refuse_molecule_format(unread_molecule_text(head), where);
  return named;
}

// The entries that a source adds after an entry.
std::vector<MoleculeEntry> added_entries(const MoleculeSource& source, const MoleculeEntry& entry,
                                         const MoleculeLimits& limits) {
  std::vector<MoleculeEntry> out;
  if ((!source.charged && source.variants == 0) || entry.bad || entry.conformers() > 0) return out;
  const std::variant<Molecule, Refusal> parsed = parse_molecule(entry.smiles, limits);
  const Molecule* molecule = std::get_if<Molecule>(&parsed);
  if (molecule == nullptr) return out;
  const auto add = [&](const std::optional<std::string>& smiles, const std::string& what) {
    if (!smiles) return;
    MoleculeEntry& added = out.emplace_back();
    added.smiles = *smiles;
    added.name = entry.name.empty() ? "" : entry.name + ", " + what;
    added.place = entry.place + ", " + what;
  };
  if (source.charged) add(charged_form(*molecule), "charged");
  const std::size_t own = out.size();
  const bool learned = molecule_split(molecule_hash(parent_smiles(*molecule))) == MoleculeSplit::pretrain;
  for (std::int64_t k = 1; k <= (learned ? source.variants : std::min<std::int64_t>(source.variants, 1)); ++k)
    add(molecule_variant(*molecule, k), fmt::format("variant {}", k));
  for (std::size_t k = own; k < out.size(); ++k) out[k].edited = true;
  return out;
}

}  // namespace

bool is_molecule_file(const fs::path& file) {
  return format_of(file).has_value();
}

void read_molecules(const MoleculeSource& source, const MoleculeLimits& limits, const OnMolecule& on_molecule,
                    double* share) {
  const std::string where = printable(source.file.string(), 300);
  const bool geom = format_of(source.file) == MoleculeFormat::geom;
  const std::unique_ptr<ByteSource> bytes = open_bytes(source.file, geom ? ".msgpack" : "");
  std::optional<MoleculeFormat> format = format_of(source.file, bytes->buffered(), where);
  if (!format)
    fail_usage(
        "{} is of no format that molecules are read from: they are .csv, .tsv, .txt, .smi, .sdf, .mol and "
        "GEOM's .msgpack, each also with .gz",
        where);
  const OnMolecule hand_on = [&](MoleculeEntry&& entry) {
    if (share != nullptr) *share = bytes->share();
    std::vector<MoleculeEntry> added = added_entries(source, entry, limits);
    if (!on_molecule(std::move(entry))) return false;
    return std::all_of(added.begin(), added.end(), [&](MoleculeEntry& one) { return on_molecule(std::move(one)); });
  };
  if (*format != MoleculeFormat::geom && bytes->buffered().find('\0') != std::string_view::npos)
    fail("{} is no text, which molecules are read from: it holds bytes of zero; give another file", where);
  if (*format == MoleculeFormat::table && source.columns.smiles.empty()) {
    // A list without any separator is a table with one column and an optional header.
    std::string_view head = bytes->buffered();
    head.remove_prefix(head.starts_with("\xef\xbb\xbf") ? 3 : 0);
    head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
    const std::string_view first = head.substr(0, std::min(head.find('\n'), head.size()));
    if (first.find_first_of(",;\t") == first.npos) format = MoleculeFormat::smi;
  }
  switch (*format) {
    case MoleculeFormat::table:
      return read_table(*bytes, where, source.columns, hand_on);
    case MoleculeFormat::smi:
      return read_smi(*bytes, where, hand_on);
    case MoleculeFormat::sdf:
      return read_sdf(*bytes, where, limits, hand_on);
    case MoleculeFormat::geom:
      return read_geom(*bytes, where, limits, hand_on);
  }
}

std::vector<ListedMolecule> listed_molecules(const fs::path& file, const MoleculeLimits& limits, std::size_t most) {
  constexpr std::size_t kMostRecords = 100000;  // in an SDF; they are held in memory while they are listed
  std::vector<ListedMolecule> all;
  const std::string where = printable(file.string(), 300);
  const std::optional<MoleculeFormat> named = format_of(file);
  std::optional<MoleculeFormat> format;
  {
    std::unique_ptr<ByteSource> bytes;
    try {
      if (named != MoleculeFormat::geom) bytes = open_bytes(file);
    } catch (const Error&) {
      if (named) throw;  // for another file, the reader knows more
    }
    if (bytes) format = format_of(file, bytes->buffered(), where);
  }
  if (!format) return all;
  const bool records = format == MoleculeFormat::sdf;
  std::size_t files = 0, good = 0;  // rows that name files of molecules, or are molecules
  const auto take = [&](MoleculeEntry&& entry) {
    ListedMolecule& one = all.emplace_back();
    const bool usable =
        !entry.bad && (records || std::holds_alternative<Molecule>(parse_molecule(entry.smiles, limits)));
    good += usable ? 1 : 0;
    one.text = records ? record_text(file, entry.place) : entry.smiles;
    one.name = entry.name.empty() && records ? entry.place : entry.name;
    if (!usable && !records)
      one.name = fmt::format("{}: {}", entry.place, one.name.empty() ? printable(entry.smiles, 100) : one.name);
    if (!records) {
      const std::string line = entry.name.empty() ? entry.smiles : entry.smiles + " " + entry.name;
      files += !usable && (is_molecule_file(line) || is_molecule_file(entry.smiles)) ? 1 : 0;
    }
    one.entry = std::move(entry);
    PAIRS_CHECK(!records || all.size() <= kMostRecords,
                "{} holds more than {} molecules, which are too many to be evaluated at once; split it", where,
                kMostRecords);
    return all.size() < most;
  };
  // A text may be anything: a table of numbers, prose, a list of files.
  const bool any_text = format == MoleculeFormat::table && name_in_lower_case(file).find(".csv") == std::string::npos;
  try {
    read_molecules({.file = file, .columns = {}}, limits, take);
  } catch (const Error&) {
    if (!any_text) throw;
    return {};
  }
  if (2 * files > all.size() || (any_text && 2 * good < all.size())) all.clear();
  return all;
}

std::string record_text(const fs::path& file, std::string_view place) {
  return fmt::format("{}#{}", file.string(), place.substr(std::min(place.rfind(' ') + 1, place.size())));
}

std::optional<MoleculeRecord> listed_record(const std::string& text) {
  const std::size_t mark = text.rfind('#');
  if (mark == text.npos || mark == 0 || mark + 1 == text.size() ||
      text.find_first_not_of("0123456789", mark + 1) != text.npos)
    return std::nullopt;
  std::error_code error;
  const fs::path file(text.substr(0, mark));
  if (fs::exists(text, error) || !fs::is_regular_file(file, error)) return std::nullopt;
  return MoleculeRecord{file, "record " + text.substr(mark + 1)};
}

MoleculeEntry record_entry(const MoleculeRecord& record, const MoleculeLimits& limits) {
  std::optional<MoleculeEntry> found;
  read_molecules({.file = record.file, .columns = {}}, limits, [&](MoleculeEntry&& entry) {
    if (entry.place == record.place) found = std::move(entry);
    return !found;
  });
  if (!found)
    fail_usage("{} has no molecule that begins at {}; the number stands behind '#'",
               printable(record.file.string(), 300), record.place);
  return std::move(*found);
}

fs::path bundled_molecules() {
  constexpr const char* inside = "Pains/test_data/wehi_mols.csv";
  std::vector<fs::path> places;
  if (const char* base = std::getenv("RDBASE"); base != nullptr && *base != '\0')
    places.push_back(fs::path(base) / "Data" / inside);
  for (const char* data : {"/usr/share/RDKit/Data", "/usr/local/share/RDKit/Data"})
    places.push_back(fs::path(data) / inside);
  std::error_code error;
  for (const fs::path& place : places)
    if (fs::is_regular_file(place, error)) return place;
  fail(
      "RDKit's own molecules were not found at {}; install the package rdkit-data, set RDBASE, or name a file of "
      "molecules",
      printable(places.front().string(), 300));
}

std::string file_content(const fs::path& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::string where = printable(file.string(), 300);
  struct stat info {};
  PAIRS_CHECK(opened >= 0 && ::fstat(opened, &info) == 0, "Cannot read {}: check the path and its permissions", where);
  PAIRS_CHECK(S_ISREG(info.st_mode), "Cannot read {}: it is no regular file", where);
  const off_t size = info.st_size;
  std::string piece(1 << 20, '\0');
  const auto sum_from = [&](off_t from, std::uint32_t before) {
    const ssize_t got = ::pread(opened, piece.data(), piece.size(), from);
    PAIRS_CHECK(got >= 0, "Cannot read {}: check its disk", where);
    return checksum({piece.data(), static_cast<std::size_t>(got)}, before);
  };
  const auto step = static_cast<off_t>(piece.size());
  std::uint32_t sum = 0;
  if (size <= kReadWhole) {
    for (off_t from = 0; from < size; from += step) sum = sum_from(from, sum);
    return fmt::format("{} bytes {:08x}", size, sum);
  }
  return fmt::format("{} bytes {:08x} {:08x} modified {}.{:09}", size, sum_from(0, 0),
                     sum_from(std::max<off_t>(0, size - step), 0), info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

std::string file_identity(const fs::path& file) {
  return file.filename().string() + " " + file_content(file);
}

}  // namespace pairs
