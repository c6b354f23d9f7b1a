#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pairs {

// What a file holds, by its first bytes; of a gzip file what it holds once it is unpacked.
enum class FileFormat {
  text,   // a table of text
  npz,    // arrays of NumPy, or one array (.npy)
  arrow,  // Parquet or Arrow
  hdf5,
  fits,
  other,  // nothing that is read as a table
};
// A file that is empty, or whose beginning says nothing, is what its name says. Nothing is thrown.
FileFormat format_of(const std::filesystem::path& file);

// The usual ending of what a file holds: ".csv" of a text, ".npz", ".parquet", ".h5", ".fits"; of other files, and of
// folders, their own in lower case. A folder that holds a table in parts (table_parts) has the ending of its parts.
std::string ending_of_format(const std::filesystem::path& file);
// The ending of a name in lower case, with that before ".gz": ".csv.gz".
std::string whole_ending(const std::filesystem::path& file);

// Endings of tables of text: ".csv", ".tsv", ".txt", ".dat".
const std::vector<std::string>& text_endings();
// Whether a file of text holds a table, rather than words: one of its first rows has a number.
bool is_text_table(const std::filesystem::path& file);

// Why a file that format_of calls `other` is not read, a sentence: "x.xlsx is an Excel workbook; save it as CSV".
std::string unread_format(const std::filesystem::path& file);

// The files of a folder in which Spark, Dask or Arrow wrote one table in parts (part-00000-….parquet, part.0.parquet,
// part-0.csv), in the order of their rows; empty where it is no such folder.
std::vector<std::filesystem::path> table_parts(const std::filesystem::path& folder);

}  // namespace pairs
