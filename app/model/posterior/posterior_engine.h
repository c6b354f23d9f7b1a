#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/model/hub/result_board.h"
#include "app/model/posterior/pinned_posterior.h"
#include "app/model/posterior/posterior.h"

namespace pairs::model {

// Which observed set.
struct SetRequest {
  std::uint64_t id = 0;  // another set, another id
  SetChoice choice;
  std::string task = {};  // that it is of; "": the one that is shown
  bool whole = false;     // a file of more observations than the run can be asked about is refused, as by infer
};

// A set whose posterior by the shown run, of all its observations, stands behind that of the observed one.
struct BesideSet {
  std::string name;
  SetChoice choice;  // of many sets in a file or folder
  bool operator==(const BesideSet& other) const;
};

// What the window wants to see.
struct PosteriorRequest {
  Tasks tasks;              // of one of which the runs are
  std::uint64_t scene = 0;  // another run, task, or the same read again: another number
  std::string run;
  std::vector<std::string> others;
  SetRequest set;
  std::map<std::string, SetChoice> files;  // the file of a task that is come back to, by task
  std::int64_t n = 1;
  IntervalKind interval = IntervalKind::central;
  bool learned_product = false;                                          // among the references
  std::map<std::vector<std::string>, std::vector<std::string>> derived;  // by the targets' names
  PinnedPosteriors pinned;        // ghosts behind what is drawn, of all tasks; null: none
  std::vector<BesideSet> beside;  // of the shown set's file
  std::string data, device = "auto";
  std::map<std::string, int> shades;  // of the runs' colours
};

// The newest of everything that was worked out.
struct PosteriorResult {
  std::uint64_t version = 0;
  std::uint64_t scene_id = 0;  // of the request
  std::shared_ptr<const PosteriorScene> scene;
  std::shared_ptr<const PosteriorSnapshot> snapshot;
  std::shared_ptr<const Figure> width, observed;
  std::shared_ptr<const PredictiveCheck> check;
  std::shared_ptr<const NuisanceView> nuisance;
  double embedded = 0;
  std::string failure, set_failure;
  std::uint64_t failed_set = 0;          // id of the set that could not be read
  std::filesystem::path failed_file;     // its file
  std::vector<std::string> set_columns;  // that the file has instead of those that are needed; else empty
  std::vector<std::string> spare;        // of a table with a wrong row: the columns that may tell sets apart
  // Of a file with more observations than can be asked about: how many it holds, and can be; else 0.
  std::int64_t large_held = 0, large_most = 0;
  std::vector<std::string> problems;  // since the start, for the log
};

// The background half of the posterior: loads runs and the set, embeds it, and shows what a SetPosterior knows of it.
// `work` belongs to one thread; the result may be asked from any.
class PosteriorEngine : public ResultBoard<PosteriorResult> {
 public:
  explicit PosteriorEngine(std::function<void()> wake);
  ~PosteriorEngine();

  using Stale = std::function<bool()>;
  // Does all that the request asks for, first what it needs most. Returns or throws Stopped when `stale`; what is done
  // by then stays. Failures are results.
  void work(const PosteriorRequest& request, const Stale& stale);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace pairs::model
