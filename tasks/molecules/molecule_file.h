#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/molecules/molecule_entry.h"
#include "tasks/molecules/table_file.h"

namespace pairs {

// A file of molecules, its format told by its name: .csv .tsv .txt (tables), .smi .ism .can, .sdf .sd .mol, .msgpack
// (GEOM-Drugs), each also with .gz; .tar and .tar.gz of a .msgpack, as GEOM-Drugs is distributed.
struct MoleculeSource {
  std::filesystem::path file;
  MoleculeColumns columns;  // of a table
  // What follows each molecule that brings no conformers:
  bool charged = false;       // its charged_form(), if it has one
  std::int64_t variants = 0;  // so many of its molecule_variant()s in stage 1's part, one at most in the others

  bool operator==(const MoleculeSource&) const = default;
};

// Reads a file's molecules one by one in its order, in memory that does not depend on its length. `share`, when given,
// is kept at how much of the file was read, 0 to 1. Throws Error where the file as a whole cannot be read; what is
// wrong with single molecules is said in their entries.
void read_molecules(const MoleculeSource& source, const MoleculeLimits& limits, const OnMolecule& on_molecule,
                    double* share = nullptr);

// Whether the name is that of a file that read_molecules reads.
bool is_molecule_file(const std::filesystem::path& file);

// One of the molecules that a file holds beside each other.
struct ListedMolecule {
  std::string text;  // by which it is asked for: a SMILES, or of an SDF the record_text of its first record
  std::string name;  // as the file names it, or "record 3"; of what cannot be used its place comes first
  MoleculeEntry entry;
};
// The molecules of a list of SMILES, a table with a column of them, or an SDF, whose further records of one molecule
// are its conformers; at most so many. What a file is follows from its content, its name aside. Empty of what holds
// them in another way (GEOM's files, a list of files) and of what is no text of molecules. Throws a usage Error for
// molecules in a format that is not read, and for text in UTF-16.
std::vector<ListedMolecule> listed_molecules(const std::filesystem::path& file, const MoleculeLimits& limits,
                                             std::size_t most);

// A record of an SDF as a text: the file's path, '#' and the record's number, from 1.
std::string record_text(const std::filesystem::path& file, std::string_view place);
// The file and the place ("record 3") of such a text; nothing where it is none of a file that is there.
struct MoleculeRecord {
  std::filesystem::path file;
  std::string place;
};
std::optional<MoleculeRecord> listed_record(const std::string& text);
// The entry that begins at a record. Throws Error where there is none.
MoleculeEntry record_entry(const MoleculeRecord& record, const MoleculeLimits& limits);

// The 10,000 molecules of RDKit's data package (Pains/test_data/wehi_mols.csv under $RDBASE/Data or the usual folders).
// Throws Error saying which package to install where it is missing.
std::filesystem::path bundled_molecules();

// What tells one version of a file from another: its length and checksum; of more than 256 MiB the checksums of its
// first and last MiB and the time of its last change.
std::string file_content(const std::filesystem::path& file);
// The same behind the file's name.
std::string file_identity(const std::filesystem::path& file);

}  // namespace pairs
