#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tasks/objects/mesh/mesh_source.h"

namespace pairs {

// Increased whenever readers or rules give other facts for the same mesh; stored facts are then measured again.
inline constexpr int kMeshFactsVersion = 2;

// CACHES/meshes/facts-HASH, the folder of the facts of a source that is not instant: `facts.txt`, and the writer's
// lock. The first line identifies the file, then one line per measured object holds the crc32 of the rest, the object's
// state, key and facts. Lines are appended as objects are measured; a torn or damaged line is skipped and its object
// measured again. A file that has grown to more than twice its useful lines is rewritten. An object without a key (its
// file could not be read) is not stored.
std::filesystem::path mesh_facts_folder(const std::filesystem::path& caches, const MeshSource& source);

// Records of the source's first `limit` objects (0: all): stored ones unchanged, the others measured, on all cores,
// with one mesh per thread in memory. After an interruption the next call continues. If another process measures the
// same source, waits for it. `progress(done, total)` and `stop` are called only on this thread. Throws Stopped soon
// after `stop()` returns true, once the current meshes are measured, and Error if the disk cannot be written; the facts
// of unusable meshes describe the problem.
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
  std::size_t parts[3] = {};           // usable ones by MeshSplit
  std::size_t enclosed = 0, hull = 0;  // usable ones by the rule for their volumes
  std::size_t copies = 0;              // among set_aside
};

// The part of an object with this record.
MeshSplit split_of(const MeshSource& source, std::size_t object, const MeshRecord& record);

// Sorts records[i] of object i. Objects with the same key or the same form (mesh_form.h: another format, other units)
// are copies, of which one is used and the others are set aside, whatever their parts, so that none counts twice and
// none is in two parts: a test object is preferred, then one of stage 2, and of these the first.
MeasuredMeshes sort_measured(const MeshSource& source, std::vector<MeshRecord> records);

// measure_objects followed by sort_measured.
MeasuredMeshes measure_meshes(const MeshSource& source, const std::filesystem::path& caches, std::size_t limit = 0,
                              const std::function<bool()>& stop = {},
                              const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace pairs
