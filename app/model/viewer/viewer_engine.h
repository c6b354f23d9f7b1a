#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/model/hub/result_board.h"
#include "app/model/viewer/viewer.h"
#include "core/task_library.h"

namespace pairs::model {

// A request of the window.
struct ViewerRequest {
  std::uint64_t load = 0;  // changes with the run and when it is reread
  Tasks tasks;             // include the task of the run
  std::string run, data, device = "auto";
  render::SphereScene scene;
  std::vector<render::Camera> views;
  render::Camera target;
  std::int64_t n = 0, samples = 16;
};

// The newest results.
struct ViewerResult {
  std::uint64_t version = 0;
  std::uint64_t load = 0;  // the request's `load`
  std::shared_ptr<const ViewerInfo> info;
  std::shared_ptr<const ViewerSnapshot> snapshot;
  std::string failure;
};

// The background part of the viewer: loads the run, embeds views, draws samples. `work` belongs to one thread; the rest
// is thread-safe.
class ViewerEngine : public ResultBoard<ViewerResult> {
 public:
  explicit ViewerEngine(std::function<void()> wake);
  ~ViewerEngine();

  using Stale = std::function<bool()>;
  // Performs the request and publishes results on the way. Returns or throws Stopped once `stale`; finished results
  // stay, and a request that differs only in later steps continues from them. Failures are results. Ends after the
  // run's info if n = 0 or the scene's number of spheres differs from the run's.
  void work(const ViewerRequest& request, const Stale& stale);
  // Views embedded since the run was loaded. For tests.
  std::int64_t embedded() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::model
