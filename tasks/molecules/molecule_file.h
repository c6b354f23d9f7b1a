#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/molecules/chemistry/molecule_entry.h"
#include "tasks/molecules/formats/table_file.h"

namespace pairs {

// A file of molecules; its format follows from its name: .csv .tsv .txt (tables), .smi .ism .can, .sdf .sd .mol,
// .msgpack (GEOM-Drugs), each also with .gz; .tar and .tar.gz of a .msgpack, as GEOM-Drugs is distributed.
struct MoleculeSource {
  std::filesystem::path file;
  MoleculeColumns columns;  // of a table
  // What follows each molecule that comes without conformers:
  bool charged = false;       // its charged_form(), if it has one
  std::int64_t variants = 0;  // this many of its molecule_variant()s in stage 1's part, at most one in the others

  bool operator==(const MoleculeSource&) const = default;
};

// Reads a file's molecules one by one in order, with memory independent of its length. `share`, if not null, is updated
// with the share of the file that was read, 0 to 1. Throws Error if the file as a whole cannot be read; problems of
// single molecules are in their entries.
void read_molecules(const MoleculeSource& source, const MoleculeLimits& limits, const OnMolecule& on_molecule,
                    double* share = nullptr);

// Whether read_molecules can read a file of this name.
bool is_molecule_file(const std::filesystem::path& file);

// One of several molecules in a file.
struct ListedMolecule {
  std::string text;  // the text that selects it: a SMILES, or for an SDF the record_text of its first record
  std::string name;  // from the file, or "record 3"; for an unusable molecule its place comes first
  MoleculeEntry entry;
};
// Lists the molecules of a list of SMILES, a table with a column of them, or an SDF, where consecutive records of one
// molecule are its conformers; at most `most`. The format follows from the content, not the name. Empty for files that
// hold them in another way (GEOM's files, a list of files) and for text without molecules. Throws a usage Error for
// molecules in an unsupported format, and for text in UTF-16.
std::vector<ListedMolecule> listed_molecules(const std::filesystem::path& file, const MoleculeLimits& limits,
                                             std::size_t most);

// Names a record of an SDF: the file's path, '#' and the record's number, from 1.
std::string record_text(const std::filesystem::path& file, std::string_view place);
// The file and the place ("record 3") of such a text; nothing if it does not name an existing file.
struct MoleculeRecord {
  std::filesystem::path file;
  std::string place;
};
std::optional<MoleculeRecord> listed_record(const std::string& text);
// The entry that begins at a record. Throws Error if there is none.
MoleculeEntry record_entry(const MoleculeRecord& record, const MoleculeLimits& limits);

// The 10,000 molecules of RDKit's data package (Pains/test_data/wehi_mols.csv under $RDBASE/Data or the usual folders).
// Throws Error naming the package to install if it is missing.
std::filesystem::path bundled_molecules();

// Identifies the version of a file: its length and checksum; above 256 MiB the checksums of its first and last MiB and
// its modification time.
std::string file_content(const std::filesystem::path& file);
// file_content preceded by the file's name.
std::string file_identity(const std::filesystem::path& file);

}  // namespace pairs
