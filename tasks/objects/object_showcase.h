#pragma once

#include <torch/types.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tasks/objects/mesh/mesh_source.h"
#include "tasks/objects/view_cache.h"

namespace pairs {

// An object for display.
struct ShownObject {
  std::size_t object = 0;  // its number in the source
  std::string key, label;
  MeshFacts facts;
};

// The views of a mesh as a cache with these settings holds them under the key, uint8 [views, 1, side, side].
torch::Tensor render_views(const TriangleMesh& mesh, const ViewSettings& settings, const std::string& key);

// A selection of objects for display, spread over the test part of a source, measured and rendered one by one on first
// use and kept in memory, so that no object waits for another. Place i shows the first usable object among those at i,
// i + size(), i + 2 size(), ... in a fixed random order of the part; if there is none, it shows the object of the next
// place. (If objects are divided by form, place i shows the i-th test object in that order.) Thread-safe.
class ObjectShowcase {
 public:
  static constexpr std::size_t kMost = 48;

  // `among`: uses only the first objects of the source, this many.
  ObjectShowcase(std::shared_ptr<const MeshSource> source, std::size_t among, ViewSettings settings);

  std::size_t size() const { return places_.size(); }  // 0 if that part is empty
  // Throws Error if no object can be used.
  const ShownObject& shown(std::size_t place) const;
  // See render_views.
  torch::Tensor views(std::size_t place) const;
  // The normalized mesh of a place, read again at each call.
  TriangleMesh mesh(std::size_t place) const;
  // The place whose object is nearest to these targets, each in units of its scale.
  std::size_t nearest(double volume, double log_aspect, double volume_scale, double log_aspect_scale) const;

 private:
  struct Place {
    std::mutex mutex;
    std::unique_ptr<const ShownObject> shown;
    torch::Tensor views;
  };
  const ShownObject& shown_locked(std::size_t place) const;
  ShownObject find(std::size_t place) const;
  ShownObject find_by_form(std::size_t place) const;

  std::shared_ptr<const MeshSource> source_;
  ViewSettings settings_;
  std::vector<std::size_t> order_;  // objects of the part; all of them if they are divided by form
  mutable std::mutex looked_mutex_;
  mutable std::size_t looked_ = 0;          // how many of these were read
  mutable std::vector<ShownObject> tests_;  // the test objects among them
  mutable std::vector<Place> places_;
};

}  // namespace pairs
