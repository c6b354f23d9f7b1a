#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/task.h"
#include "tasks/objects/mesh/mesh_source.h"

namespace pairs {

// Settings of 3D Object Properties that the paper leaves open, or that smaller presets reduce. Lengths are shares of an
// image's side.
struct ObjectsSettings {
  std::int64_t objects = 2000;  // of the source, or generated; 0: all of a folder, the default number of generated ones
  std::int64_t views = 17;      // rendered for each object
  std::int64_t side = 64;       // pixels per side of a view; paper: 224
  std::int64_t samples = 4;     // rays per pixel, 1 or 4
  double crop_least = 0.35, crop_most = 0.5;  // visible share of each side in an observation
  std::int64_t passes = 5;                    // crops of each view in stage 2
  double lowest = -15, highest = 60;          // elevation of the cameras in degrees
  std::vector<Field> fields();
};

// 3D Object Properties (paper, appendix "3D Object Properties"): θ is the volume and the log aspect ratio of an object
// (defined in mesh_measure.h), and each x is a view of it, rendered from a random side, of which a crop of 35 to 50 %
// per side is visible and the rest is gray (1/2). Images have one channel: the shading is gray, so that three would
// hold the same numbers. Meshes come from the folder `options.data` (find_meshes) or, if it holds none, from the
// generator of solids and furniture (generated_objects.h), which data_source names.
//
// psi holds the object's number among those of its purpose. Stage 1, stages 2 and 3, and evaluations have objects of
// their own (MeshSource::split); an eighth of a stage's objects, selected by a hash of their keys, is for validation.
// Sets i and j of a purpose are about different objects unless they are at least as many sets apart as there are
// objects: each round of sets visits every object once, in an order of its own. All other purposes (explore, check)
// show some objects of the test part, which are measured and rendered on first use and kept in memory, without waiting
// for the caches.
//
// Observation j of set i is one of the `views` of its object with a new crop window. In stage 2 (Purpose::finetune and
// its validation) the window is instead one of `passes` fixed windows of each view, so that observations are members of
// a pool (Task::pool_size) and each is embedded once: the paper's five passes of augmentation, re-pooled from
// embeddings of views.
//
// The task is a Bodies and an Items. Throws a usage Error if the folder does not exist, holds too few meshes to have
// some in each part, or if settings contradict each other. Nothing is read or rendered before it is needed.
std::shared_ptr<const Task> make_objects(const TaskOptions& options);

// The task for objects of any source.
std::shared_ptr<const Task> make_objects_of(std::shared_ptr<const MeshSource> source, const ObjectsSettings& settings);

}  // namespace pairs
