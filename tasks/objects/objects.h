#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/task.h"
#include "tasks/objects/mesh_source.h"

namespace pairs {

// What the paper leaves open of 3D Object Properties, and what smaller presets lower. Lengths are shares of an image's
// side.
struct ObjectsSettings {
  std::int64_t objects = 2000;  // of the source, as many as are generated; 0: all of a folder, the usual generated ones
  std::int64_t views = 17;      // rendered of each
  std::int64_t side = 64;       // pixels along a view's side; paper: 224
  std::int64_t samples = 4;     // rays a pixel, 1 or 4
  double crop_least = 0.35, crop_most = 0.5;  // share of each side that an observation shows
  std::int64_t passes = 5;                    // crops of each view that stage 2 draws from
  double lowest = -15, highest = 60;          // elevation of the cameras in degrees
  std::vector<Field> fields();
};

// 3D Object Properties (paper, appendix "3D Object Properties"): θ is the volume and the log aspect ratio of an object
// (mesh_measure.h says how they are defined), and each x is a view of it, rendered from a random side, of which a crop
// of 35 to 50 % a side is seen and the rest is grey (1/2). Images have one channel: the shading is grey, so that three
// would hold the same numbers. Meshes come from the folder `options.data` (find_meshes) and, where it holds none, from
// the generator of solids and furniture (generated_objects.h), of which data_source says that they are generated.
//
// psi holds the object's number among those of its purpose. Stages 1, 2 with 3, and evaluations have objects of their
// own (MeshSource::split), and of those of a stage an eighth, chosen by a hash of what they are, is for validation.
// Sets i and j of a purpose are about different objects unless as many sets as there are objects lie between: each
// round of sets visits every object once, in an order of its own. All other purposes (explore, check) show some objects
// of the evaluations' part, which are measured and rendered when asked for, kept in memory, and wait for nothing.
//
// Observation j of set i is a view drawn from the `views` of its object and a crop window drawn anew. In stage 2
// (Purpose::finetune and its validation) the window is instead one of the `passes` windows that each view has for good,
// so that observations are members of a pool (Task::pool_size) and each is embedded once: the paper's five passes of
// augmentation, re-pooled from embeddings of views.
//
// The task is a Bodies and a Things. Throws a usage Error where the folder does not exist, holds too few meshes to have
// some in each part, or settings contradict each other. Nothing is read or rendered before it is needed.
std::shared_ptr<const Task> make_objects(const TaskOptions& options);

// The same about objects of any source.
std::shared_ptr<const Task> make_objects_of(std::shared_ptr<const MeshSource> source, const ObjectsSettings& settings);

}  // namespace pairs
