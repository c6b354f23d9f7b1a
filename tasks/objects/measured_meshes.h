#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tasks/objects/mesh_source.h"

namespace pairs {

// Raised whenever readers or rules give other facts for the same mesh: what was kept before is measured anew.
inline constexpr int kMeshFactsVersion = 2;

// CACHES/meshes/facts-HASH, where the facts of a source that is not instant are kept: `facts.txt`, and the lock of who
// writes. A line says what the file is, then one a measured object: the crc32 of what follows, the object's state, key
// and facts. Lines are appended as objects are measured; a line that is torn or damaged is passed over, its object
// measured anew. A file that has grown to more than twice the lines that are of use is written anew. An object without
// a key (its file could not be read) is not kept.
std::filesystem::path mesh_facts_folder(const std::filesystem::path& caches, const MeshSource& source);

// Records of the source's first `limit` objects (0: all): those kept on disk as they are, the others measured, on all
// cores, one mesh a thread in memory. Killed or stopped at any moment, the next call goes on. Where another process
// measures the same source, waits for it. `progress(done, total)` and `stop` are called on this thread only. Throws
// Stopped soon after `stop()` says so, once the meshes at hand are measured, and Error when the disk cannot be written;
// meshes that cannot be used are told of in their facts.
std::vector<MeshRecord> measure_objects(const MeshSource& source, const std::filesystem::path& caches,
                                        std::size_t limit = 0, const std::function<bool()>& stop = {},
                                        const std::function<void(std::size_t, std::size_t)>& progress = {});

struct MeasuredMesh {
  std::size_t object;
  MeshSplit split;
  MeshRecord record;
};

struct MeasuredMeshes {
  std::vector<MeasuredMesh> usable;    // in the source's order
  std::vector<MeshAside> set_aside;    // folders that could not be read, then meshes in the source's order
  std::size_t parts[3] = {};           // how many are usable, by MeshSplit
  std::size_t enclosed = 0, hull = 0;  // and by the rule that their volumes come from
  std::size_t copies = 0;              // among set_aside
};

// The part of an object whose record is there.
MeshSplit split_of(const MeshSource& source, std::size_t object, const MeshRecord& record);

// Sorts out records[i] of object i. Objects with the same key or the same form (mesh_form.h: another format, other
// units) are copies, of which one is used and the others are set aside, whatever their parts, so that none counts twice
// and none stands in two parts: used is one of the tests where there is one, else one of stage 2, and of these the
// first.
MeasuredMeshes sort_measured(const MeshSource& source, std::vector<MeshRecord> records);

// Both in one.
MeasuredMeshes measure_meshes(const MeshSource& source, const std::filesystem::path& caches, std::size_t limit = 0,
                              const std::function<bool()>& stop = {},
                              const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace pairs
