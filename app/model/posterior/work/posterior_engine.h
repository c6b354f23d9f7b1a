#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/model/hub/result_board.h"
#include "app/model/posterior/shown/pinned_posterior.h"
#include "app/model/posterior/shown/shown_posterior.h"
#include "app/posterior/question/question.h"

namespace pairs::model {

// How the set of a question is opened.
struct SetRequest {
  std::uint64_t id = 0;   // differs between sets
  std::string task = {};  // its task; "": the shown one
  bool whole = false;     // refuses a file with more observations than the run can use, as infer does
  bool opened = false;    // the path was just opened: it may hold many sets
};

// A further set. Its posterior by the shown run, from all its observations, is drawn behind the observed set's.
struct OtherSet {
  std::string name;
  SetChoice choice;  // one of many sets in a file or folder
  bool operator==(const OtherSet& other) const;
};

// A request of the window.
struct PosteriorRequest {
  Tasks tasks;              // include the task of the runs
  std::uint64_t scene = 0;  // changes with the run or task, and when they are reread
  // Its n is at least 1. Derived quantities of all targets are among `other_derived`, since the targets are known only
  // once the run is loaded.
  Question asked = {.n = 1};
  SetRequest set;
  std::map<std::string, SetChoice> files;  // the file to restore for each task
  PinnedPosteriors pinned;                 // pins of all tasks; null: none
  std::vector<OtherSet> extra;             // sets of the shown set's file
  std::string data, device = "auto";
  std::map<std::string, int> shades;  // shades of the runs' colors
  // The set and N at which the posterior is refined however long that takes.
  std::uint64_t refined_set = 0;
  std::int64_t refined_n = 0;
  double at_once = 2;  // seconds that it may take at others
};

// The newest results.
struct PosteriorResult {
  std::uint64_t version = 0;
  std::uint64_t scene_id = 0;  // the request's `scene`
  std::shared_ptr<const PosteriorScene> scene;
  std::shared_ptr<const PosteriorSnapshot> snapshot;
  std::shared_ptr<const Figure> width, observed;
  std::shared_ptr<const PredictiveCheck> check;
  std::shared_ptr<const NuisanceView> nuisance;
  double embedded = 0;
  std::string failure, set_failure;
  std::uint64_t many_set = 0;            // id of the set whose path holds many sets
  std::uint64_t failed_set = 0;          // id of the set that could not be read
  std::filesystem::path failed_file;     // its file
  std::vector<std::string> set_columns;  // columns of a file without those needed; else empty
  std::vector<std::string> spare;        // of a table with a bad row: columns that may name the sets
  // For a file with more observations than the run can use: how many it holds and how many can be used; else 0.
  std::int64_t large_held = 0, large_most = 0;
  std::vector<std::string> problems;  // since the start, for the log
};

// The background part of the Posterior tab: loads runs and the set, embeds it, and publishes the results of a
// SetPosterior. `work` belongs to one thread; the result may be read from any.
class PosteriorEngine : public ResultBoard<PosteriorResult> {
 public:
  explicit PosteriorEngine(std::function<void()> wake);
  ~PosteriorEngine();

  using Stale = std::function<bool()>;
  // Performs the request, most important parts first. Returns or throws Stopped once `stale`; results so far stay.
  // Failures are results.
  void work(const PosteriorRequest& request, const Stale& stale);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace pairs::model
