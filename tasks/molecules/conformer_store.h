#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/files/descriptor.h"
#include "tasks/molecules/chemistry/set_aside.h"
#include "tasks/molecules/conformers.h"

namespace pairs {

// A store of molecules with their conformers on disk, written by build_store and read in place. Its folder holds one
// file: a header (magic word, lengths, checksum, the settings' text), then a record for each row of the source in its
// order: a molecule, a row that was set aside, or the end. Records are only appended; each has its lengths and a
// checksum of its description, and each conformer has a checksum of its own.

// The facts about a molecule that are kept in memory.
struct StoredMolecule {
  std::uint64_t hash = 0, flat_hash = 0;  // see PreparedMolecule; molecule_split uses the second
  double logp = 0.0;
  std::int64_t conformers = 0;
  std::int32_t atoms = 0;
  bool graph_order = false, weighted = false, largest_of_many = false;
};

// Thread-safe for reading. Several records of one molecule are combined, with all their conformers.
class ConformerStore {
 public:
  // Opens the store of a folder as far as it was written: its first `molecules` molecules (0: all). Ignores a torn last
  // record, and a damaged one with everything after it, which `damage` describes. Throws Error if there is no store.
  explicit ConformerStore(const std::filesystem::path& folder, std::int64_t molecules = 0);

  const std::filesystem::path& file() const { return file_; }
  const std::string& settings() const { return settings_; }
  // Whether the open part includes the end of the source.
  bool complete() const { return complete_; }
  // Describes the damage and what to do, "" if there is none.
  const std::string& damage() const { return damage_; }

  std::int64_t molecules() const { return static_cast<std::int64_t>(molecules_.size()); }
  const StoredMolecule& molecule(std::int64_t m) const { return molecules_[static_cast<std::size_t>(m)]; }
  std::string canonical(std::int64_t m) const;
  std::string name(std::int64_t m) const;  // from its file, "" if that has none

  // Reads conformer c of molecule m, 0 <= c < conformers: atomic numbers [atoms] and coordinates [atoms, 3] in Å.
  // Throws Error naming the molecule if the file is damaged there.
  void read_conformer(std::int64_t m, std::int64_t c, std::uint8_t* elements, float* positions) const;
  // Boltzmann weights [conformers] with sum 1 if the source has them (in one record), else equal ones.
  std::vector<float> weights(std::int64_t m) const;

  // The rows that gave no molecule.
  const SetAsideCounts& set_aside_counts() const { return set_aside_counts_; }
  std::int64_t set_aside() const { return static_cast<std::int64_t>(set_aside_.size()); }
  SetAside set_aside(std::int64_t k) const;

  // Reads every conformer; returns a sentence about the first damaged one, "" if there is none.
  std::string verify() const;

  // For the builder: the last row in the store (-1: none), and where complete records end.
  std::int64_t last_row() const { return last_row_; }
  std::uint64_t whole_bytes() const { return whole_bytes_; }

 private:
  struct Part {  // a record of a molecule
    std::uint64_t offset;
    std::uint32_t molecule, meta, first, conformers;
    bool weighted;
  };
  void scan(std::int64_t most);
  const Part& part_of(std::int64_t m, std::int64_t& c) const;
  std::string text(std::int64_t m, bool second) const;
  void read_at(std::uint64_t offset, void* out, std::size_t bytes) const;

  std::filesystem::path file_;
  Descriptor descriptor_;
  std::string settings_, damage_;
  std::vector<StoredMolecule> molecules_;
  std::vector<Part> parts_;  // the first of each molecule, then further ones by molecule
  std::vector<std::uint64_t> set_aside_;
  SetAsideCounts set_aside_counts_{};
  bool complete_ = false;
  std::int64_t last_row_ = -1;
  std::uint64_t whole_bytes_ = 0;
};

// Formats for store_build.cpp.
std::string pack_store_header(const std::string& settings);
std::string pack_molecule(std::int64_t row, const PreparedMolecule& molecule);
std::string pack_set_aside(std::int64_t row, const SetAside& item);
std::string pack_store_end(std::int64_t row);
// The file in a store's folder.
std::filesystem::path store_file(const std::filesystem::path& folder);

}  // namespace pairs
