#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

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

// The 10,000 molecules of RDKit's data package (Pains/test_data/wehi_mols.csv under $RDBASE/Data or the usual folders).
// Throws Error saying which package to install where it is missing.
std::filesystem::path bundled_molecules();

// What tells one version of a file from another: its length and checksum; of more than 256 MiB the checksums of its
// first and last MiB and the time of its last change.
std::string file_content(const std::filesystem::path& file);
// The same behind the file's name.
std::string file_identity(const std::filesystem::path& file);

}  // namespace pairs
