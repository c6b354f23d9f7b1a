#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pairs {

// Detects molecules in unsupported formats, so that none of them is taken for SMILES.

// The unsupported format of a file of molecules, by its name ("an XYZ file"); "" for other names.
std::string unread_molecule_name(const std::filesystem::path& file);
// The unsupported format by the beginning of the content: atoms with coordinates (XYZ), PDB, MOL2, CIF, GRO, InChI,
// XML.
std::string unread_molecule_text(std::string_view head);

// Throws a usage Error that names the format and a remedy, unless `format` is "".
void refuse_molecule_format(const std::string& format, const std::string& where);
// Throws a usage Error for text in UTF-16 or UTF-32.
void refuse_wide_text(std::string_view head, const std::string& where);

// Whether a text holds records of an SDF or a MOL file.
bool holds_molblock(std::string_view head);

}  // namespace pairs
