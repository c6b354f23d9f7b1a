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

// What the window wants to see.
struct ViewerRequest {
  std::uint64_t load = 0;  // another run, or the same read again: another number
  Tasks tasks;             // of one of which the run is
  std::string run, data, device = "auto";
  render::SphereScene scene;
  std::vector<render::Camera> views;
  render::Camera target;
  std::int64_t n = 0, samples = 16;
};

// The newest of everything that was worked out.
struct ViewerResult {
  std::uint64_t version = 0;
  std::uint64_t load = 0;  // of the request
  std::shared_ptr<const ViewerInfo> info;
  std::shared_ptr<const ViewerSnapshot> snapshot;
  std::string failure;
};

// The background half of the viewer: loads the run, embeds views, samples. `work` belongs to one thread; the rest may
// be asked from any.
class ViewerEngine : public ResultBoard<ViewerResult> {
 public:
  explicit ViewerEngine(std::function<void()> wake);
  ~ViewerEngine();

  using Stale = std::function<bool()>;
  // Does all that the request asks for and publishes on the way. Returns or throws Stopped when `stale`; what is done
  // by then stays, and a request that differs only in what comes later goes on from there. Failures are results. A
  // scene with another number of spheres than the run's, or n = 0, ends after the run's info.
  void work(const ViewerRequest& request, const Stale& stale);
  // Views embedded since the run was loaded. For tests.
  std::int64_t embedded() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::model
