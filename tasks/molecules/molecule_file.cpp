#include "tasks/molecules/molecule_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "tasks/molecules/byte_source.h"
#include "tasks/molecules/geom_file.h"
#include "tasks/molecules/sdf_file.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

enum class MoleculeFormat { table, smi, sdf, geom };

std::optional<MoleculeFormat> format_of(const fs::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
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

}  // namespace

bool is_molecule_file(const fs::path& file) {
  return format_of(file).has_value();
}

void read_molecules(const MoleculeSource& source, const MoleculeLimits& limits, const OnMolecule& on_molecule,
                    double* share) {
  const std::string where = printable(source.file.string(), 300);
  std::optional<MoleculeFormat> format = format_of(source.file);
  if (!format)
    fail_usage(
        "{} is of no format that molecules are read from: they are .csv, .tsv, .txt, .smi, .sdf, .mol and "
        "GEOM's .msgpack, each also with .gz",
        where);
  const std::unique_ptr<ByteSource> bytes = open_bytes(source.file, *format == MoleculeFormat::geom ? ".msgpack" : "");
  const OnMolecule hand_on = [&](MoleculeEntry&& entry) {
    if (share != nullptr) *share = bytes->share();
    return on_molecule(std::move(entry));
  };
  if (*format == MoleculeFormat::table && source.columns.smiles.empty()) {
    // A list without any separator is a table of one column, its header optional.
    const std::string_view head = bytes->buffered();
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

std::string file_identity(const fs::path& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::string where = printable(file.string(), 300);
  PAIRS_CHECK(opened >= 0, "Cannot read {}: check the path and its permissions", where);
  const off_t size = ::lseek(opened, 0, SEEK_END);
  std::string piece(1 << 20, '\0');
  std::uint32_t sums[2];
  for (int end = 0; end < 2; ++end) {
    const off_t from = end == 0 ? 0 : std::max<off_t>(0, size - static_cast<off_t>(piece.size()));
    const ssize_t got = ::pread(opened, piece.data(), piece.size(), from);
    PAIRS_CHECK(size >= 0 && got >= 0, "Cannot read {}: it is no regular file", where);
    sums[end] = checksum({piece.data(), static_cast<std::size_t>(got)});
  }
  return fmt::format("{} {} bytes {:08x} {:08x}", file.filename().string(), size, sums[0], sums[1]);
}

}  // namespace pairs
