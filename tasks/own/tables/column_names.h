#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tasks/table_file.h"

namespace pairs {

// Columns of a table as people ask for them.
class ColumnNames {
 public:
  // `named`: as TableFile::named; `any_case`: whether names that differ in case alone are one.
  ColumnNames(const std::vector<TableColumn>& columns, bool named, bool any_case)
      : columns_(columns), named_(named), any_case_(any_case) {}

  // Places of the columns that a name stands for: the one called so, or all numbers of the column of several numbers a
  // row that is called so, or the one that "column 2" counts. More than `numbers` of them where two columns are called
  // so; empty where none is.
  std::vector<std::size_t> find(const std::string& name) const;
  bool called_twice(const std::string& name) const;

  // Where columns of other names stand in for the wanted ones: a table without names of as many columns; the numbers of
  // the column x, or of the only column, where it holds as many a row; empty where nothing does.
  std::vector<std::size_t> instead_of(const std::vector<std::string>& wanted) const;

  // 2 where all names are found, 1 where others stand in for them, 0 else.
  int fit(const std::vector<std::string>& wanted) const;

  // "x (2 numbers a row), y", for people.
  std::string text() const;
  // The column of several numbers a row whose numbers all columns of the table are; "" where there is none.
  std::string only_vector() const;

 private:
  bool same(const std::string& one, const std::string& other) const;
  std::vector<std::size_t> numbers_of(const std::string& vector) const;

  const std::vector<TableColumn>& columns_;
  bool named_, any_case_;
};

// A table of a file that may hold several.
struct TableFacts {
  std::string name;  // by which --table finds it
  std::vector<TableColumn> columns;
  bool named = true, any_case = false;
  std::string also = {};  // another name of it
};

// Which of the tables is meant: the one of that name; else the only one that has the wanted columns, by their names or
// by others that stand in for them; where no columns are wanted, the first. Throws Error in a sentence that lists what
// each has where none or several are.
std::size_t pick_table(const std::vector<TableFacts>& tables, const TableChoice& choice, const std::string& where);

}  // namespace pairs
