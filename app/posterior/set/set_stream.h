#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/kinds/observed.h"
#include "app/posterior/validation/external_validation.h"

namespace pairs {

// A set that was read, with its marks if it was made from an item.
struct ReadSet : Observed {
  ReadSet() = default;
  ReadSet(Observed observed) : Observed(std::move(observed)) {}
  ItemMarks marks = {};
};

// One of many sets, not read yet.
struct ComingSet {
  std::string name;               // printable
  std::int64_t bytes = 0;         // memory that it takes until it is read
  std::function<ReadSet()> read;  // call once, on any thread; throws Error about this set only
};

// Many sets, one after the other.
class SetStream {
 public:
  virtual ~SetStream() = default;
  virtual std::int64_t count() const = 0;
  // The next set; false after the last. Throws Error if the rest cannot be read.
  virtual bool next(ComingSet& set) = 0;
  // Whether reading a set is slow, so that few are read between checks for cancellation.
  virtual bool slow() const { return false; }
  // Names of what was left out: unreadable files, groups without observations.
  virtual std::vector<std::string> left_out() const { return {}; }
};

// The location of many sets, and how they are separated.
struct ManySets {
  std::filesystem::path data = {};  // a table, an .npz file, a folder with a file per set, or HDF5 with a group per set
  std::string group = {};           // for a file: the column (array) that names each row's set
  TableColumns columns = {};        // how to read tables
  bool given_known = false;         // conditions of all sets are known: files need none
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  // maximum number of observations read of a set
  // The command of a program that reads a file (tasks/program_table.h); "", or no function: chosen by extension.
  std::function<std::string(const std::filesystem::path& file)> reader = {};
};

// Reads files of sets by the command `reader` or, if that is "", as the task states (tasks/file_reader.h). The task
// outlives it.
std::function<std::string(const std::filesystem::path& file)> set_readers(const Task& task, const std::string& reader);

// Whether the path is a folder with one file or subfolder per set, rather than a set itself: it holds files of
// observations of the task, files read by a program, or folders, but neither pictures nor cameras.
bool is_folder_of_sets(const ManySets& sets, const TaskInfo& info);
// Whether the path is a folder of sets, or an HDF5 file with one group per set.
bool holds_sets(const ManySets& sets, const TaskInfo& info);

// A sentence on what was left out; "" if nothing was.
std::string left_out_text(const SetStream& sets);

// The sets of a file by the values of its column `group`, of a folder, one per file, or of an HDF5 file, one per group,
// in the order of their first rows or of their names. Memory for a table is bounded for any number of sets: it is read
// twice if the rows of each set are adjacent, else once more per 64 MiB. Throws Error, a usage error for choices that
// exclude each other. `info` outlives it.
std::unique_ptr<SetStream> open_sets(const ManySets& sets, const TaskInfo& info);

// Reads only the set of this name. Throws Error if there is none, and the errors of reading it.
Observed read_one_set(const ManySets& sets, const std::string& name, const TaskInfo& info);

}  // namespace pairs
