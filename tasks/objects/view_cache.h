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

#include "core/base/files/descriptor.h"
#include "render/meshes/mesh_views.h"

namespace pairs {

// The 64-bit hash of Fowler, Noll and Vo (FNV-1a) of a mesh's key or other text.
std::uint64_t mesh_key_hash(std::string_view text);

// The common settings of a cache's views. Caches with different settings share nothing; runs with the same settings
// share one.
struct ViewSettings {
  std::string source;       // the meshes' source, in words
  std::int64_t views = 17;  // per mesh
  render::ViewOptions options;
  render::MeshCameraRange cameras;
  std::uint64_t seed = 1;
  Purpose purpose = Purpose::pretrain;

  std::string text() const;
};

// FOLDER/views-HASH, the folder of the cache with these settings: `views.data`, and the writer's lock.
std::filesystem::path view_cache_folder(const std::filesystem::path& folder, const ViewSettings& settings);

// Camera `view` of the mesh with that key: a pure function, so that a mesh's views do not depend on other meshes.
render::MeshCamera cached_camera(const ViewSettings& settings, const std::string& key, std::int64_t view);

struct ViewCacheProgress {
  std::int64_t done, total;  // meshes
};
struct ViewCacheReport {
  std::int64_t rendered = 0;         // meshes rendered by this call
  std::vector<std::string> damaged;  // if a mesh is missing: a sentence for each damaged part
};

// Renders the views of the meshes that are not yet in the cache, one mesh after another, and checks every byte of those
// that are; a damaged record is rendered again. A key identifies a mesh permanently: its content must not change under
// the same key. After an interruption the next call continues after the last complete record. If another process writes
// the same cache, waits for it. mesh(i) returns the mesh of keys[i]. Throws Stopped soon after `stop()` returns true,
// between a few views, and Error if a mesh is not available or the disk is full.
ViewCacheReport fill_view_cache(const std::filesystem::path& folder, const ViewSettings& settings,
                                const std::vector<std::string>& keys,
                                const std::function<TriangleMesh(std::size_t)>& mesh,
                                const std::function<bool()>& stop = {},
                                const std::function<void(const ViewCacheProgress&)>& progress = {});

// The location of a mesh's record in the file.
struct ViewRecord {
  std::uint64_t begin = 0;  // where its compressed images begin in the file
  std::vector<std::uint32_t> bytes, checksums;
  std::vector<render::MeshCamera> cameras;
};

// A cache opened for reading, in place; another process may write it meanwhile. Thread-safe for reading.
class ViewCache {
 public:
  struct View {
    std::size_t mesh;
    std::int64_t view;
  };
  // Throws Error if the cache is missing, damaged, or lacks one of the keys.
  ViewCache(const std::filesystem::path& folder, const ViewSettings& settings, const std::vector<std::string>& keys);

  std::int64_t views() const { return settings_.views; }
  const render::MeshCamera& camera(std::size_t mesh, std::int64_t view) const;
  // Reads the gray values of a view, side * side bytes. Throws Error naming the view if its checksum is wrong.
  void read_gray(std::size_t mesh, std::int64_t view, std::uint8_t* out) const;
  // uint8 [views, channels, side, side], in parallel.
  torch::Tensor read(std::span<const View> which) const;
  std::uint64_t bytes() const { return bytes_; }  // size of the file

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
