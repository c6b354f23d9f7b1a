#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pairs {

// Molecules in formats that are not read, told apart so that nothing of them is taken for SMILES.

// Which format a file of molecules has that is not read, by its name ("an XYZ file"); "" for other names.
std::string unread_molecule_name(const std::filesystem::path& file);
// The same by the beginning of its content: atoms with their places (XYZ), PDB, MOL2, CIF, GRO, InChI, XML.
std::string unread_molecule_text(std::string_view head);

// Throws a usage Error that names the format and what to do, unless `format` is "".
void refuse_molecule_format(const std::string& format, const std::string& where);
// Throws a usage Error for text in UTF-16 or UTF-32.
void refuse_wide_text(std::string_view head, const std::string& where);

// Whether a text holds records of an SDF or a MOL file.
bool holds_molblock(std::string_view head);

}  // namespace pairs
