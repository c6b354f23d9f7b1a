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
#include "app/posterior/tried.h"

namespace pairs {

// A set that was read; with its marks where it was made of a thing.
struct ReadSet : Observed {
  ReadSet() = default;
  ReadSet(Observed observed) : Observed(std::move(observed)) {}
  ThingMarks marks = {};
};

// One of many sets on its way.
struct ComingSet {
  std::string name;               // fit to be printed
  std::int64_t bytes = 0;         // that it takes until it is read
  std::function<ReadSet()> read;  // on any thread, once; throws Error about this set alone
};

// Many sets, one after the other.
class SetStream {
 public:
  virtual ~SetStream() = default;
  virtual std::int64_t count() const = 0;
  // The next set; false after the last. Throws Error where none of the rest can be read.
  virtual bool next(ComingSet& set) = 0;
  // Whether reading a set takes long, so that few are read before somebody is asked whether to go on.
  virtual bool slow() const { return false; }
  // What stands beside the sets and is none, by name: files that nobody reads, groups without observations.
  virtual std::vector<std::string> left_out() const { return {}; }
};

// Where many sets are, and how they are separated.
struct ManySets {
  std::filesystem::path data = {};  // a table, an .npz file, a folder with a file a set, or HDF5 with a group a set
  std::string group = {};           // of a file: the column (array) that says to which set a row belongs
  TableColumns columns = {};        // how tables are read
  bool given_known = false;         // of all sets: files are not asked for what is given
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  // observations of a set that are read
  // The command of a program that reads a file (tasks/program_table.h); "", or no function: it is read by its ending.
  std::function<std::string(const std::filesystem::path& file)> reader = {};
};

// Files of sets are read by the command `reader`, or where that is "" as the task says (tasks/file_reader.h). The task
// outlives it.
std::function<std::string(const std::filesystem::path& file)> set_readers(const Task& task, const std::string& reader);

// Whether the path is a folder with a file, or a folder, a set, rather than a set itself: it holds files of
// observations of the task, or that a program reads, or folders, and neither pictures nor cameras.
bool is_folder_of_sets(const ManySets& sets, const TaskInfo& info);
// The same, or a HDF5 file with a group a set.
bool holds_sets(const ManySets& sets, const TaskInfo& info);

// A sentence on what stands beside the sets and is left out; "" where nothing does.
std::string left_out_text(const SetStream& sets);

// The sets of a file by the values of its column `group`, of a folder, a file each, or of a HDF5 file, a group each, in
// the order of their first rows or of their names. Of a table memory is bounded however many sets it holds: it is read
// twice where the rows of each set stand together, and where they do not, once more for every 64 MiB. Throws Error, a
// usage error where the choices do not go together. `info` outlives it.
std::unique_ptr<SetStream> open_sets(const ManySets& sets, const TaskInfo& info);

// The set that is called so, alone. Throws Error where there is none of this name, and what reading it throws.
Observed read_one_set(const ManySets& sets, const std::string& name, const TaskInfo& info);

}  // namespace pairs
