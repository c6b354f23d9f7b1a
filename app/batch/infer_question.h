#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/batch/arguments.h"
#include "app/batch/result_file.h"
#include "app/batch/sampler_options.h"
#include "app/posterior/set_posterior.h"
#include "core/train/run.h"

namespace pairs::batch {

struct InferArguments {
  std::string run, theta, out, interval = "central";
  SetChoice set;
  OpenArguments open;
  SamplerOptions sampler;
  std::int64_t samples = -1;  // -1: by the kind of target
  std::int64_t seed = 1;
  std::int64_t n = 0;           // 0: all
  std::int64_t local_test = 0;  // simulated sets that it learns from; 0: none is made
  std::int64_t predictive = -1;  // simulated sets that it is compared with; 0: none, -1: a brief test where it is cheap
  bool force = false;
  bool overwrite = false;                // result files that are there and were made otherwise
  bool follow = false;                   // lines as they come
  bool exact = false;                    // of many sets: the exact posterior of each as well
  std::vector<std::string> derive = {};  // "ratio = theta/psi"
  std::vector<std::string> prior = {};   // "theta = normal(0.2, 0.05)"
  std::vector<std::string> learnt = {};  // the same of the prior that was learnt under

  std::string data() const { return set.file.string(); }
};

// What `infer` is asked, read and checked.
struct InferQuestion {
  std::shared_ptr<SetPosterior> posterior;  // of the run and the observed set
  torch::Tensor theta;                      // to score, [S, d], or undefined
  std::int64_t size = 0;                    // N
  std::int64_t draws = 0, written = 0;      // samples that are drawn, and the first of them, which are written
  std::string name;                         // of the set: what --data says, or a thing's title
  std::filesystem::path out;                // a file, or a folder (TargetRoom::in_folder)
  ResultUse use;                            // how files there are written

  ObservedSet& set() const { return posterior->set(); }
};

// Throws Error, a usage error where the arguments do not go together.
InferQuestion infer_question(const LoadedRun& run, const InferArguments& arguments);

// How the results about this set by this run are written.
ResultUse result_use(const LoadedRun& run, const InferArguments& arguments);

// Samples that are drawn where so many are asked for (-1: as many as the kind of target has by itself), and of these
// the first that are written.
struct DrawCount {
  std::int64_t drawn = 0, written = 0;
};
DrawCount draw_count(const TaskInfo& info, std::int64_t asked);

// What `infer --follow` is asked.
struct FollowPlan {
  std::int64_t most = 0;                // observations whose mean is kept
  std::int64_t draws = 0, written = 0;  // as in InferQuestion
  torch::Tensor given;                  // as in InferQuestion
  std::filesystem::path out;
  ResultUse use;
};
FollowPlan follow_plan(const LoadedRun& run, const InferArguments& arguments);

}  // namespace pairs::batch
