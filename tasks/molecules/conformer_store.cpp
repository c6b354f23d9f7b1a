#include "tasks/molecules/conformer_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr char kStoreMagic[] = "PAIRSMO1";
constexpr std::size_t kStorePrefix = 24;
constexpr std::uint32_t kRecordTag = 0x4c4f4d50, kLongestMeta = 4 << 20, kMostAtoms = 65535, kMostConformers = 1 << 24;

enum RecordKind : std::uint32_t { molecule_record = 1, set_aside_record = 2, end_record = 3 };
enum RecordFlag : std::uint32_t { graph_order_flag = 1, weighted_flag = 2, largest_flag = 4 };

// The header before the description of each record.
struct RecordHead {
  std::uint32_t tag = kRecordTag, type = 0, meta = 0, atoms = 0, conformers = 0, flags = 0;
  std::int64_t row = 0;
  std::uint64_t hash = 0, flat_hash = 0;
  double logp = 0.0;
  std::uint32_t crc = 0;  // of the header with 0 here and the description
  std::uint32_t unused = 0;
};
static_assert(sizeof(RecordHead) == 64);

std::uint64_t conformer_bytes(std::uint32_t atoms) {
  return 12ull * atoms + 4;
}

std::uint32_t record_checksum(RecordHead head, std::string_view meta) {
  head.crc = 0;
  return checksum(meta, checksum({reinterpret_cast<const char*>(&head), sizeof head}));
}

void put_text(std::string& out, std::string_view text) {
  const auto length = static_cast<std::uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&length), 4);
  out += text;
}

// Reads a text from a description; false if it is not there.
bool take_text(std::string_view& meta, std::string& out) {
  std::uint32_t length;
  if (meta.size() < 4) return false;
  std::memcpy(&length, meta.data(), 4);
  if (length > meta.size() - 4) return false;
  out = meta.substr(4, length);
  meta.remove_prefix(4 + length);
  return true;
}

std::string pack_record(RecordHead head, const std::string& meta) {
  head.meta = static_cast<std::uint32_t>(meta.size());
  head.crc = record_checksum(head, meta);
  std::string out(reinterpret_cast<const char*>(&head), sizeof head);
  return out + meta;
}

// Whether a header's lengths are plausible.
bool is_plausible(const RecordHead& head) {
  if (head.tag != kRecordTag || head.meta > kLongestMeta) return false;
  if (head.type != molecule_record)
    return (head.type == set_aside_record || head.type == end_record) && head.atoms == 0 && head.conformers == 0;
  return head.atoms >= 1 && head.atoms <= kMostAtoms && head.conformers >= 1 && head.conformers <= kMostConformers &&
         head.meta >= head.atoms + (head.flags & weighted_flag ? 4ull * head.conformers : 0) + 8;
}

}  // namespace

std::filesystem::path store_file(const std::filesystem::path& folder) {
  return folder / "conformers.store";
}

std::string pack_store_header(const std::string& settings) {
  std::string out(kStoreMagic, 8);
  const std::uint64_t length = settings.size();
  const std::uint32_t crc = checksum(settings), unused = 0;
  out.append(reinterpret_cast<const char*>(&length), 8);
  out.append(reinterpret_cast<const char*>(&crc), 4);
  out.append(reinterpret_cast<const char*>(&unused), 4);
  return out + settings;
}

std::string pack_molecule(std::int64_t row, const PreparedMolecule& molecule) {
  RecordHead head;
  head.type = molecule_record;
  head.atoms = static_cast<std::uint32_t>(molecule.elements.size());
  head.conformers = static_cast<std::uint32_t>(molecule.conformers);
  head.flags = (molecule.graph_order ? graph_order_flag : 0u) | (molecule.weights.empty() ? 0u : weighted_flag) |
               (molecule.largest_of_many ? largest_flag : 0u);
  head.row = row;
  head.hash = molecule.hash;
  head.flat_hash = molecule.flat_hash;
  head.logp = molecule.logp;
  std::string meta(molecule.elements.begin(), molecule.elements.end());
  if (!molecule.weights.empty())
    meta.append(reinterpret_cast<const char*>(molecule.weights.data()), 4 * molecule.weights.size());
  put_text(meta, molecule.canonical);
  put_text(meta, molecule.name);
  std::string out = pack_record(head, meta);
  const std::size_t bytes = 12ull * head.atoms;
  for (std::uint32_t c = 0; c < head.conformers; ++c) {
    const std::string_view positions(reinterpret_cast<const char*>(molecule.positions.data()) + c * bytes, bytes);
    const std::uint32_t crc = checksum(positions);
    out += positions;
    out.append(reinterpret_cast<const char*>(&crc), 4);
  }
  return out;
}

std::string pack_set_aside(std::int64_t row, const SetAside& item) {
  RecordHead head;
  head.type = set_aside_record;
  head.row = row;
  head.flags = static_cast<std::uint32_t>(item.reason);
  std::string meta;
  put_text(meta, item.place);
  put_text(meta, item.text.substr(0, 500));
  put_text(meta, item.detail.substr(0, 500));
  return pack_record(head, meta);
}

std::string pack_store_end(std::int64_t row) {
  RecordHead head;
  head.type = end_record;
  head.row = row;
  return pack_record(head, "");
}

ConformerStore::ConformerStore(const std::filesystem::path& folder, std::int64_t molecules)
    : file_(store_file(folder)), descriptor_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)) {
  PAIRS_CHECK(descriptor_ >= 0, "There is no store of molecules in {} ({}); prepare the molecules first",
              printable(folder.string(), 300), std::strerror(errno));
  scan(molecules);
}

void ConformerStore::scan(std::int64_t most) {
  struct stat info {};
  PAIRS_CHECK(::fstat(descriptor_, &info) == 0, "Cannot read {}", printable(file_.string(), 300));
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const auto bad_header = [&] {
    fail("{} does not begin like a store of molecules; remove it and prepare the molecules again",
         printable(file_.string(), 300));
  };
  char prefix[kStorePrefix];
  if (size < kStorePrefix) bad_header();
  read_at(0, prefix, kStorePrefix);
  std::uint64_t length;
  std::uint32_t crc;
  std::memcpy(&length, prefix + 8, 8);
  std::memcpy(&crc, prefix + 16, 4);
  if (std::memcmp(prefix, kStoreMagic, 8) != 0 || length > (1 << 20) || kStorePrefix + length > size) bad_header();
  settings_.resize(length);
  read_at(kStorePrefix, settings_.data(), length);
  if (checksum(settings_) != crc) bad_header();

  std::unordered_map<std::uint64_t, std::uint32_t> known;  // molecules by hash
  std::vector<Part> further;
  std::string meta;
  std::uint64_t at = kStorePrefix + length;
  const auto damaged = [&] {
    damage_ = fmt::format(
        "{} is damaged at byte {}, behind {}: what follows is left out until the molecules are prepared again",
        printable(file_.string(), 300), at, counted(molecules_.size(), "molecule"));
  };
  while (size - at >= sizeof(RecordHead) && (most <= 0 || molecules() < most) && !complete_) {
    RecordHead head;
    read_at(at, &head, sizeof head);
    if (!is_plausible(head)) {
      damaged();
      break;
    }
    const std::uint64_t bytes = sizeof head + head.meta + head.conformers * conformer_bytes(head.atoms);
    if (bytes > size - at) break;  // torn
    meta.resize(head.meta);
    read_at(at + sizeof head, meta.data(), head.meta);
    if (record_checksum(head, meta) != head.crc) {
      damaged();
      break;
    }
    if (head.type == end_record) {
      complete_ = true;
    } else if (head.type == set_aside_record) {
      set_aside_.push_back(at);
      ++set_aside_counts_[std::min<std::size_t>(head.flags, kSetAsideReasons - 1)];
    } else {
      const auto [found, fresh] = known.emplace(head.hash, static_cast<std::uint32_t>(molecules_.size()));
      Part part{at, found->second, head.meta, 0, head.conformers, (head.flags & weighted_flag) != 0};
      if (fresh) {
        molecules_.push_back({head.hash, head.flat_hash, head.logp, head.conformers,
                              static_cast<std::int32_t>(head.atoms), (head.flags & graph_order_flag) != 0,
                              (head.flags & weighted_flag) != 0, (head.flags & largest_flag) != 0});
        parts_.push_back(part);
      } else if (StoredMolecule& first = molecules_[found->second];
                 first.atoms == static_cast<std::int32_t>(head.atoms)) {
        part.first = static_cast<std::uint32_t>(first.conformers);
        first.conformers += head.conformers;
        first.graph_order = first.graph_order && (head.flags & graph_order_flag) != 0;
        first.weighted = false;
        further.push_back(part);
      }
    }
    last_row_ = std::max(last_row_, head.row);
    at += bytes;
  }
  whole_bytes_ = at;
  std::stable_sort(further.begin(), further.end(),
                   [](const Part& a, const Part& b) { return a.molecule < b.molecule; });
  parts_.insert(parts_.end(), further.begin(), further.end());
}

void ConformerStore::read_at(std::uint64_t offset, void* out, std::size_t bytes) const {
  char* to = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor_, to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    PAIRS_CHECK(got > 0, "{} cannot be read at byte {} ({}); prepare the molecules again",
                printable(file_.string(), 300), offset, got == 0 ? "it ends there" : std::strerror(errno));
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

const ConformerStore::Part& ConformerStore::part_of(std::int64_t m, std::int64_t& c) const {
  const Part& first = parts_[static_cast<std::size_t>(m)];
  if (c < static_cast<std::int64_t>(first.conformers)) return first;
  // The last of the molecule's further records that begins at c or before.
  const auto further = parts_.begin() + static_cast<std::ptrdiff_t>(molecules_.size());
  const auto behind = std::partition_point(further, parts_.end(), [&](const Part& part) {
    return part.molecule < m || (part.molecule == m && part.first <= c);
  });
  const Part& part = *(behind - 1);
  c -= part.first;
  return part;
}

void ConformerStore::read_conformer(std::int64_t m, std::int64_t c, std::uint8_t* elements, float* positions) const {
  PAIRS_CHECK(m >= 0 && m < molecules(), "The store {} has {} molecules and no molecule {}", file_.string(),
              molecules(), m);
  PAIRS_CHECK(c >= 0 && c < molecule(m).conformers, "Molecule {} of {} has {} conformers and no conformer {}", m,
              file_.string(), molecule(m).conformers, c);
  const auto atoms = static_cast<std::uint32_t>(molecule(m).atoms);
  const Part& part = part_of(m, c);
  read_at(part.offset + sizeof(RecordHead), elements, atoms);
  thread_local std::string bytes;
  bytes.resize(conformer_bytes(atoms));
  read_at(part.offset + sizeof(RecordHead) + part.meta + static_cast<std::uint64_t>(c) * bytes.size(), bytes.data(),
          bytes.size());
  std::uint32_t crc;
  std::memcpy(&crc, bytes.data() + 12ull * atoms, 4);
  PAIRS_CHECK(checksum({bytes.data(), 12ull * atoms}) == crc,
              "Conformer {} of molecule {} in {} is damaged; remove the file and prepare the molecules again", c, m,
              printable(file_.string(), 300));
  std::memcpy(positions, bytes.data(), 12ull * atoms);
}

std::vector<float> ConformerStore::weights(std::int64_t m) const {
  const StoredMolecule& stored = molecule(m);
  std::vector<float> out(static_cast<std::size_t>(stored.conformers), 1.0f / static_cast<float>(stored.conformers));
  if (stored.weighted)
    read_at(parts_[static_cast<std::size_t>(m)].offset + sizeof(RecordHead) + static_cast<std::uint64_t>(stored.atoms),
            out.data(), 4 * out.size());
  return out;
}

std::string ConformerStore::text(std::int64_t m, bool second) const {
  const Part& part = parts_[static_cast<std::size_t>(m)];
  const std::size_t before = static_cast<std::size_t>(molecule(m).atoms) + (part.weighted ? 4ull * part.conformers : 0);
  std::string meta(part.meta, '\0');
  read_at(part.offset + sizeof(RecordHead), meta.data(), meta.size());
  std::string_view rest = std::string_view(meta).substr(std::min(before, meta.size()));
  std::string out;
  PAIRS_CHECK(take_text(rest, out) && (!second || take_text(rest, out)),
              "Molecule {} in {} is damaged; prepare the molecules again", m, printable(file_.string(), 300));
  return out;
}

std::string ConformerStore::canonical(std::int64_t m) const {
  return text(m, false);
}

std::string ConformerStore::name(std::int64_t m) const {
  return text(m, true);
}

SetAside ConformerStore::set_aside(std::int64_t k) const {
  const std::uint64_t at = set_aside_[static_cast<std::size_t>(k)];
  RecordHead head;
  read_at(at, &head, sizeof head);
  std::string meta(std::min(head.meta, kLongestMeta), '\0');
  read_at(at + sizeof head, meta.data(), meta.size());
  std::string_view rest = meta;
  SetAside item;
  item.reason = static_cast<SetAsideReason>(std::min<std::uint32_t>(head.flags, kSetAsideReasons - 1));
  PAIRS_CHECK(take_text(rest, item.place) && take_text(rest, item.text) && take_text(rest, item.detail),
              "{} is damaged at byte {}; prepare the molecules again", printable(file_.string(), 300), at);
  return item;
}

std::string ConformerStore::verify() const {
  std::vector<std::uint8_t> elements;
  std::vector<float> positions;
  try {
    for (std::int64_t m = 0; m < molecules(); ++m) {
      elements.resize(static_cast<std::size_t>(molecule(m).atoms));
      positions.resize(3 * elements.size());
      for (std::int64_t c = 0; c < molecule(m).conformers; ++c) read_conformer(m, c, elements.data(), positions.data());
    }
  } catch (const Error& error) {
    return error.what();
  }
  return damage_;
}

}  // namespace pairs
