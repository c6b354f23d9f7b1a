#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/latest_worker.h"
#include "core/report/figure.h"

namespace pairs {
struct Preview;
}

namespace pairs::model {

// The posterior of one fixed simulated set as a head learns it, beside the exact one where the task knows it. begin(),
// look() and figure() belong to the window's thread; wanted() and preview() to the thread that trains, of which they
// take less than two parts in a hundred. The exact posterior is computed once, on a thread of its own.
class LivePosterior {
 public:
  // `wake` is called on the training thread after a new figure was published.
  explicit LivePosterior(std::function<void()> wake);
  ~LivePosterior();

  // Forgets what was shown: another run begins, drawn in this role.
  void begin(SeriesRole role);
  // Someone looks now; without this no posterior is computed.
  void look();
  std::shared_ptr<const Figure> figure() const { return figure_.load(); }
  // Why there can be no figure, a sentence; empty while there may be one.
  std::string problem() const;

  // Whether someone looks and the next posterior is due.
  bool wanted();
  // Computes and publishes it. Never throws.
  void preview(const Preview& preview);

 private:
  struct Scene;  // the set, the grid, and the exact densities on it
  void set_scene(const Preview& preview);
  Figure draw(const Preview& preview, Scene& scene);

  std::function<void()> wake_;
  std::atomic<std::shared_ptr<const Figure>> figure_;
  std::atomic<double> looked_{-1e9};  // seconds of clock_
  double due_ = 0;                    // training thread
  std::atomic<bool> fresh_{true};     // a new run: the scene is to be set anew
  mutable std::mutex mutex_;          // of problem_ and role_
  std::string problem_;
  SeriesRole role_ = SeriesRole::pairs;
  std::shared_ptr<Scene> scene_;  // training thread
  LatestWorker references_;
};

}  // namespace pairs::model
