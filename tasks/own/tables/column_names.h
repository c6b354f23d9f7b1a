#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tasks/table_file.h"

namespace pairs {

// Finds the columns of a table by the names that users give.
class ColumnNames {
 public:
  // `named`: as in TableFile::named; `any_case`: whether names that differ only in case are equal.
  ColumnNames(const std::vector<TableColumn>& columns, bool named, bool any_case)
      : columns_(columns), named_(named), any_case_(any_case) {}

  // Places of the columns for a name: the column of that name, or all elements of the vector column of that name, or
  // the one that "column 2" counts. More than `numbers` of them if two columns have that name; empty if none has.
  std::vector<std::size_t> find(const std::string& name) const;
  bool called_twice(const std::string& name) const;

  // Places of columns with other names that can replace the wanted ones: those of a table without names and with as
  // many columns; the elements of the vector column x, or of the only column, if there are as many; empty if there are
  // none.
  std::vector<std::size_t> instead_of(const std::vector<std::string>& wanted) const;

  // 2 if all names are found, 1 if other columns replace them, 0 otherwise.
  int fit(const std::vector<std::string>& wanted) const;

  // "x (2 numbers a row), y", for display.
  std::string text() const;
  // The vector column that all columns of the table belong to; "" if there is none.
  std::string only_vector() const;

 private:
  bool same(const std::string& one, const std::string& other) const;
  std::vector<std::size_t> numbers_of(const std::string& vector) const;

  const std::vector<TableColumn>& columns_;
  bool named_, any_case_;
};

// One of several tables in a file.
struct TableFacts {
  std::string name;  // the name for --table
  std::vector<TableColumn> columns;
  bool named = true, any_case = false;
  std::string also = {};  // another name of it
};

// The selected table: the one of that name; else the only one that has the wanted columns, by their names or by columns
// that replace them; if no columns are wanted, the first. If there are none or several, throws Error in a sentence that
// lists each table's columns.
std::size_t pick_table(const std::vector<TableFacts>& tables, const TableChoice& choice, const std::string& where);

}  // namespace pairs
