#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pairs {

// The content of a file, detected by its first bytes; for a gzip file, its unpacked content.
enum class FileFormat {
  text,   // a table of text
  npz,    // arrays of NumPy, or one array (.npy)
  arrow,  // Parquet or Arrow
  hdf5,
  fits,
  other,  // nothing that is read as a table
};
// Detects the format; a file that is empty or unrecognized has the format of its name. Never throws.
FileFormat format_of(const std::filesystem::path& file);

// The usual extension for a file's content: ".csv" for text, ".npz", ".parquet", ".h5", ".fits"; for other files, and
// for folders, their own extension in lower case. A folder that holds a table in parts (table_parts) has the extension
// of its parts.
std::string ending_of_format(const std::filesystem::path& file);
// A name's extension in lower case, including one before ".gz": ".csv.gz".
std::string whole_ending(const std::filesystem::path& file);

// Extensions of text tables: ".csv", ".tsv", ".txt", ".dat".
const std::vector<std::string>& text_endings();
// Whether a text file holds a table rather than prose: one of its first rows has a number.
bool is_text_table(const std::filesystem::path& file);

// Why a file with the format `other` cannot be read, a sentence: "x.xlsx is an Excel workbook; save it as CSV".
std::string unread_format(const std::filesystem::path& file);

// The files of a folder in which Spark, Dask or Arrow wrote one table in parts (part-00000-….parquet, part.0.parquet,
// part-0.csv), in the order of their rows; empty for other folders.
std::vector<std::filesystem::path> table_parts(const std::filesystem::path& folder);

}  // namespace pairs
