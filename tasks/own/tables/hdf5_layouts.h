#pragma once

#include <string>
#include <vector>

#include "tasks/own/stored/stored_array.h"

namespace pairs {

// A data set, or a field of one, as a column of a table.
struct NamedArray {
  std::string name;
  StoredColumn column;
  std::vector<std::string> numbers = {};  // names of the elements of a row, if they have names of their own
};

// A table of an HDF5 file.
struct Hdf5Table {
  std::string name;  // the path of its group or data set
  std::vector<NamedArray> arrays;
  std::string also = {};  // for a pandas frame in the format "table", its data set
  bool matrix = false;    // a single two-dimensional array, whose columns have no names
  bool named = true;      // otherwise its columns are counted: those of pandas frames with the names 0, 1, ...
};

// The tables that the arrays of a file form, the default one first: the one-dimensional data sets of each group, with
// two-dimensional ones of equally many rows as vector columns; compound data sets; frames and series that pandas wrote
// in either of its formats; a two-dimensional array x with a row count of its own, or a file's only array; and, if
// there are several tables, everything in the file, each column by its path.
std::vector<Hdf5Table> hdf5_tables(const StoredColumns& file);

}  // namespace pairs
