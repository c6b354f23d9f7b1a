#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/batch/arguments.h"
#include "app/batch/sampler_options.h"
#include "app/kinds/observed.h"
#include "app/posterior/tried.h"
#include "core/train/run.h"

namespace pairs::batch {

struct InferArguments {
  std::string run, data, given, camera, theta, out, interval = "central";
  OpenArguments open;
  SamplerOptions sampler;
  std::int64_t samples = -1;  // -1: by the kind of target
  std::int64_t seed = 1;
  std::int64_t n = 0;  // 0: all
  bool force = false;
  bool random = false;                    // a random subset of the observations rather than the first
  bool follow = false;                    // lines as they come
  std::vector<std::string> columns = {};  // of a table, those that the task's are
  std::string up;                         // the axis of a thing that points up; "": what it tells
};

// What `infer` is asked, read and checked.
struct InferQuestion {
  Observations x;       // `size` that are used
  torch::Tensor given;  // [1, g], or undefined
  torch::Tensor theta;  // to score, [S, d], or undefined
  std::int64_t size = 0, held = 0;
  std::int64_t draws = 0, written = 0;  // samples that are summarised, and the first of them, which are written
  bool extrapolates = false;
  std::string name;                   // of the set: what --data says, or a thing's title
  std::string thing;                  // "mesh", where the set was made of such a thing; else ""
  std::vector<double> own;            // θ as the thing itself tells it, or empty
  std::vector<std::string> other;     // ThingSet::other
  std::string kind, read_as;          // kind_of(), ThingSet::read_as
  Tried tried;                        // where the set was made of a thing
  bool unlike = false;                // Tried::unlike_training
  Latents latents;                    // of a thing, for its picture
  std::vector<std::string> warnings;  // told on stderr already
  std::filesystem::path out;          // a file, or a folder (TargetRoom::in_folder)
};

// Throws Error, a usage error where the arguments do not go together; says on stderr what is doubtful.
InferQuestion infer_question(const LoadedRun& run, const InferArguments& arguments);

// What `infer --follow` is asked.
struct FollowPlan {
  std::int64_t most = 0;                // observations whose mean is kept
  std::int64_t draws = 0, written = 0;  // as in InferQuestion
  torch::Tensor given;                  // as in InferQuestion
  std::filesystem::path out;
};
FollowPlan follow_plan(const LoadedRun& run, const InferArguments& arguments);

}  // namespace pairs::batch
