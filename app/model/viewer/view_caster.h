#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "app/model/viewer/viewer.h"

namespace pairs::model {

// The views of a scene to ray-cast.
struct CastRequest {
  render::SphereScene scene;
  render::Camera target;
  std::vector<render::Camera> views;
  int truth_side = 256;         // pixels
  std::int64_t view_side = 64;  // pixels
  double half_width = 1.5;
};

struct CastResult {
  std::uint64_t version = 0;
  PicturePointer truth;
  std::vector<PicturePointer> views;  // of the last finished request
};

// Ray-casts the true scene while it is edited and orbited: first a fast target view, then the observed views, then the
// target with smooth edges. Has its own thread; the newest request counts.
class ViewCaster {
 public:
  explicit ViewCaster(std::function<void()> wake);
  ~ViewCaster();
  ViewCaster(const ViewCaster&) = delete;
  ViewCaster& operator=(const ViewCaster&) = delete;

  void request(CastRequest request);
  void cancel();
  CastResult result() const;
  std::uint64_t version() const;
  bool busy() const;
  bool wait(double seconds);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::model
