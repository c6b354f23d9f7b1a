#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/model/posterior/shown/shown_posterior.h"
#include "app/posterior/question/set_choice.h"

namespace pairs::model {

struct PosteriorState;
class SetTable;

// Many sets of a file or folder, of which the Posterior tab shows those that are selected.
class PosteriorSets {
 public:
  explicit PosteriorSets(PosteriorState& state) : state_(state) {}

  // Opens a table split by its column `group`, or, with "", a folder with one file per set. table() lists them; the
  // first is shown until another is selected.
  void open(const std::filesystem::path& path, const std::string& group, std::vector<std::string> columns = {});
  void open(SetChoice sets);
  SetTable& table();
  const SetTable& table() const;
  // Selects in the table (SetTable::choose): the first selected set is shown, the others are drawn behind it.
  void choose(std::size_t place, SetClick click);
  // Closes the table: all rows of its file become one set; for a folder, a simulated set is shown.
  void close();

 private:
  PosteriorState& state_;
};

}  // namespace pairs::model
