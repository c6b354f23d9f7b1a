#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/descriptor.h"
#include "render/meshes/mesh_views.h"

namespace pairs {

// Fowler, Noll and Vo's hash of 64 bits (FNV-1a) of a mesh's key or other text.
std::uint64_t mesh_key_hash(std::string_view text);

// What the views of a cache have in common. Caches of different settings share nothing; runs with the same share one.
struct ViewSettings {
  std::string source;       // the meshes' source, in words
  std::int64_t views = 17;  // of each mesh
  render::ViewOptions options;
  render::MeshCameraRange cameras;
  std::uint64_t seed = 1;
  Purpose purpose = Purpose::pretrain;

  std::string text() const;
};

// FOLDER/views-HASH, where the cache of these settings stands: `views.data`, and the lock of who writes.
std::filesystem::path view_cache_folder(const std::filesystem::path& folder, const ViewSettings& settings);

// Camera `view` of the mesh of that key: a pure function, so that a mesh's views do not depend on the meshes beside it.
render::MeshCamera cached_camera(const ViewSettings& settings, const std::string& key, std::int64_t view);

struct ViewCacheProgress {
  std::int64_t done, total;  // meshes
};
struct ViewCacheReport {
  std::int64_t rendered = 0;         // meshes rendered by this call
  std::vector<std::string> damaged;  // where a mesh is missing: a sentence for each damaged stretch
};

// Renders the views of the meshes that are not yet in the cache, one mesh after the other, and checks every byte of
// those that are; a damaged record is rendered again. A key names a mesh for good: what it holds must not change under
// the same key. Killed at any moment, the next call goes on behind the last whole record. Where another process writes
// the same cache, waits for it. mesh(i) gives the mesh of keys[i]. Throws Stopped soon after `stop()` says so, between
// a few views, and Error when a mesh cannot be had or the disk is full.
ViewCacheReport fill_view_cache(const std::filesystem::path& folder, const ViewSettings& settings,
                                const std::vector<std::string>& keys,
                                const std::function<TriangleMesh(std::size_t)>& mesh,
                                const std::function<bool()>& stop = {},
                                const std::function<void(const ViewCacheProgress&)>& progress = {});

// Where a mesh's record stands in the file.
struct ViewRecord {
  std::uint64_t begin = 0;  // of the compressed images in the file
  std::vector<std::uint32_t> bytes, checksums;
  std::vector<render::MeshCamera> cameras;
};

// A cache opened for reading, in place; another process may write it meanwhile. Reading is safe from several threads.
class ViewCache {
 public:
  struct View {
    std::size_t mesh;
    std::int64_t view;
  };
  // Throws Error when the cache is not there, is damaged, or lacks one of the keys.
  ViewCache(const std::filesystem::path& folder, const ViewSettings& settings, const std::vector<std::string>& keys);

  std::int64_t views() const { return settings_.views; }
  const render::MeshCamera& camera(std::size_t mesh, std::int64_t view) const;
  // The grey of a view, side * side bytes. Throws Error naming the view when its checksum is wrong.
  void read_grey(std::size_t mesh, std::int64_t view, std::uint8_t* out) const;
  // uint8 [views, channels, side, side], in parallel.
  torch::Tensor read(std::span<const View> which) const;
  std::uint64_t bytes() const { return bytes_; }  // of the file

 private:
  const ViewRecord& record(std::size_t mesh, std::int64_t view) const;

  ViewSettings settings_;
  std::filesystem::path file_;
  std::vector<std::string> keys_;
  Descriptor opened_;
  std::uint64_t bytes_ = 0;
  std::vector<ViewRecord> records_;
};

}  // namespace pairs
