#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/threads/latest_worker.h"
#include "core/report/figure.h"

namespace pairs {
struct Preview;
}

namespace pairs::model {

// The posterior of one fixed simulated set while a head is trained, next to the exact one if the task knows it.
// begin(), look() and figure() belong to the window's thread; wanted() and preview() to the training thread, of whose
// time they take less than 2 %. The exact posterior is computed once, on its own thread.
class LivePosterior {
 public:
  // `wake` is called on the training thread after a new figure was published.
  explicit LivePosterior(std::function<void()> wake);
  ~LivePosterior();

  // Resets for a new run, drawn in this role's color.
  void begin(SeriesRole role);
  // Call while the figure is shown; without it, no posterior is computed.
  void look();
  std::shared_ptr<const Figure> figure() const { return figure_.load(); }
  // Why there is no figure, as a sentence; empty if there may be one.
  std::string problem() const;

  // Whether the figure is shown and the next posterior is due.
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
  std::atomic<bool> fresh_{true};     // a new run: the scene must be reset
  mutable std::mutex mutex_;          // of problem_ and role_
  std::string problem_;
  SeriesRole role_ = SeriesRole::pairs;
  std::shared_ptr<Scene> scene_;  // training thread
  LatestWorker references_;
};

}  // namespace pairs::model
