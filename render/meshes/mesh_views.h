#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>

#include "render/meshes/mesh_camera.h"
#include "render/meshes/triangle_mesh.h"

namespace pairs::render {

inline constexpr std::int64_t max_view_side = 4096;

struct ViewOptions {
  std::int64_t side = 224;    // pixels, 1 to max_view_side
  std::int64_t channels = 3;  // 1, or 3 with the same gray
  std::int64_t samples = 1;   // rays per pixel, 1 or 4

  bool operator==(const ViewOptions&) const = default;
};

// Throws Error if a number is out of its range.
void check_view_options(const ViewOptions& options);

// A mesh prepared once for Embree, to render views: shaded as in mesh_shading.h, on white, framed by its bounding
// sphere, so that neither position nor size of a mesh changes a view. A mesh without triangles, or of a single point,
// gives white views; triangles without area are invisible. If two surfaces coincide, either may be visible, but always
// the same one. Pixel (row i, column j) is seen along the image's point (2 (j + 1/2) / side - 1, 1 - 2 (i + 1/2) /
// side) of camera_frame. Watertight at shared edges. Bit-identical for any number of threads; rays that meet an edge
// exactly may differ between instruction sets.
class MeshViews {
 public:
  // Throws Error for meshes that bounding_sphere refuses, and if memory does not suffice.
  explicit MeshViews(const TriangleMesh& mesh);
  ~MeshViews();
  MeshViews(MeshViews&&) noexcept;
  MeshViews& operator=(MeshViews&&) noexcept;

  const BoundingSphere& bounds() const { return bounds_; }
  std::int64_t triangles() const;

  // Renders uint8 [views, channels, side, side], in parallel.
  torch::Tensor render(std::span<const MeshCamera> cameras, const ViewOptions& options = {}) const;
  // Renders one channel of each view, [views, side, side], into the caller's memory.
  void render_gray(std::span<const MeshCamera> cameras, std::int64_t side, std::int64_t samples,
                   std::uint8_t* out) const;

 private:
  struct Scene;
  BoundingSphere bounds_;
  std::unique_ptr<Scene> scene_;
};

}  // namespace pairs::render
