#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/model/posterior/posterior.h"

namespace pairs::model {

// Which observed set.
struct SetWish {
  std::uint64_t id = 0;        // another set, another id
  std::int64_t index = 0;      // of the prior
  std::vector<double> values;  // θ then ψ set by hand; empty: the prior's
  std::int64_t changed = -1;   // which of them was set last
  std::filesystem::path file;  // empty: simulated
};

// What the window wants to see.
struct PosteriorWish {
  std::uint64_t scene = 0;  // another run, task, or the same read again: another number
  std::string run;
  std::vector<std::string> others;
  SetWish set;
  std::map<std::string, std::filesystem::path> files;  // the set of a task that is come back to, by task
  std::int64_t n = 1;
  std::string data, device = "auto";
  std::map<std::string, int> shades;  // of the runs' colours
};

// The newest of everything that was worked out.
struct PosteriorNews {
  std::uint64_t version = 0;
  std::uint64_t scene_id = 0;  // of the wish
  std::shared_ptr<const PosteriorScene> scene;
  std::shared_ptr<const PosteriorSnapshot> snapshot;
  std::shared_ptr<const Figure> width, observed;
  std::shared_ptr<const PredictiveCheck> check;
  std::shared_ptr<const NuisanceView> nuisance;
  double embedded = 0;
  std::string failure, set_failure;
  std::uint64_t failed_set = 0;       // id of the set that could not be read
  std::vector<std::string> problems;  // since the start, for the log
};

// The background half of the posterior: loads runs, simulates or reads the set, embeds it, and answers. `work` belongs
// to one thread; `news` may be asked from any.
class PosteriorEngine {
 public:
  explicit PosteriorEngine(std::function<void()> wake);
  ~PosteriorEngine();

  using Stale = std::function<bool()>;
  // Does all that the wish asks for, first what it needs most. Returns or throws Stopped when `stale`; what is done
  // by then stays. Failures are news.
  void work(const PosteriorWish& wish, const Stale& stale);
  PosteriorNews news() const;
  // Of the newest news: whether asking for them is worth it.
  std::uint64_t version() const;
  std::string activity() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::model
