#pragma once

#include <string>
#include <vector>

#include "tasks/own/stored/stored_array.h"

namespace pairs {

// A data set, or a field of one, as a column of a table.
struct NamedArray {
  std::string name;
  StoredColumn column;
  std::vector<std::string> numbers = {};  // names of the numbers of a row, where these have names of their own
};

// A table of a HDF5 file.
struct Hdf5Table {
  std::string name;  // the path of its group or data set
  std::vector<NamedArray> arrays;
  std::string also = {};  // of a frame of pandas in the format "table", its data set
  bool matrix = false;    // one array of two axes, whose columns have no names
  bool named = true;      // else its columns are counted: those of pandas' frames that are called 0, 1, ...
};

// The tables that arrays of a file make, the one that is meant where none is asked for first: the data sets of one axis
// of each group, with those of two axes whose rows are as many, as columns of several numbers a row; compound data
// sets; frames and series that pandas wrote in either of its formats; an array x of two axes that stands alone among
// the rows, or a file's only array; and, where there are several, all that is in the file, each column by its path.
std::vector<Hdf5Table> hdf5_tables(const StoredColumns& file);

}  // namespace pairs
