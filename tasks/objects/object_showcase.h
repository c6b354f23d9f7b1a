#pragma once

#include <torch/types.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tasks/objects/mesh_source.h"
#include "tasks/objects/view_cache.h"

namespace pairs {

// An object as it is shown to people.
struct ShownObject {
  std::size_t object = 0;  // of the source
  std::string key, label;
  MeshFacts facts;
};

// The views of a mesh that a cache of these settings holds under the key, uint8 [views, 1, side, side].
torch::Tensor render_views(const TriangleMesh& mesh, const ViewSettings& settings, const std::string& key);

// Some objects of the part of a source that evaluations use, spread over it, measured and rendered one by one when they
// are asked for and kept in memory: what a window shows waits for no other object. Place i is for the first object that
// can be used among those of the part that stand i, i + size(), i + 2 size(), ... in a fixed random order; where there
// is none it shows what the next place does. (Where objects are divided by what they are, place i is for the i-th of the
// tests in that order.) Safe to use from many threads.
class ObjectShowcase {
 public:
  static constexpr std::size_t kMost = 48;

  // `among`: the first so many objects of the source.
  ObjectShowcase(std::shared_ptr<const MeshSource> source, std::size_t among, ViewSettings settings);

  std::size_t size() const { return places_.size(); }  // 0 where that part is empty
  // Throws Error where no object can be used.
  const ShownObject& shown(std::size_t place) const;
  // As render_views gives them.
  torch::Tensor views(std::size_t place) const;
  // Its mesh, normalised, read again each time.
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
  std::vector<std::size_t> order_;  // objects of the part; all of them where they are divided by form
  mutable std::mutex looked_mutex_;
  mutable std::size_t looked_ = 0;           // how many of these were read
  mutable std::vector<ShownObject> tests_;  // that were found among them
  mutable std::vector<Place> places_;
};

}  // namespace pairs
