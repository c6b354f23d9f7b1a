#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/result_file.h"
#include "app/batch/parts/sampler_options.h"
#include "app/posterior/question/question.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/train/run/run.h"

namespace pairs::batch {

struct InferArguments {
  Question question;
  std::string theta, out;
  std::string observations;  // the table of single observations; "": they are not tested
  OpenArguments open;
  SamplerOptions sampler;
  std::int64_t samples = -1;     // -1: by the kind of target
  std::int64_t local_test = 0;   // number of simulated sets; 0: no test
  std::int64_t predictive = -1;  // number of simulated sets; 0: no test, -1: a brief test if it is cheap
  bool force = false;
  bool overwrite = false;  // replaces existing result files made otherwise
  bool follow = false;     // follows growing data
  bool exact = false;      // for many sets: also the exact posterior of each

  std::string data() const { return question.set.file.string(); }
};

// The request to `infer`, read and checked.
struct InferQuestion {
  std::shared_ptr<SetPosterior> posterior;  // of the run and the observed set
  torch::Tensor theta;                      // to score, [S, d], or undefined
  std::int64_t size = 0;                    // N
  std::int64_t draws = 0, written = 0;      // samples drawn, and how many of them are written
  std::string name;                         // of the set: the value of --data, or an item's title
  std::filesystem::path out;                // a file, or a folder (TargetRoom::in_folder)
  ResultUse use;                            // how existing files are treated

  ObservedSet& set() const { return posterior->set(); }
};

// Throws Error, a usage error for arguments that exclude each other.
InferQuestion infer_question(const LoadedRun& run, const InferArguments& arguments);

// How result files of this set and run are written.
ResultUse result_use(const LoadedRun& run, const InferArguments& arguments);

// How many samples are drawn if `asked` are requested (-1: the default of the kind of target), and how many of them are
// written.
struct DrawCount {
  std::int64_t drawn = 0, written = 0;
};
DrawCount draw_count(const TaskInfo& info, std::int64_t asked);

// The request to `infer --follow`.
struct FollowPlan {
  std::int64_t most = 0;                // maximum number of observations in the mean
  std::int64_t draws = 0, written = 0;  // as in InferQuestion
  torch::Tensor given;                  // as in InferQuestion
  std::filesystem::path out;
  ResultUse use;
};
FollowPlan follow_plan(const LoadedRun& run, const InferArguments& arguments);

}  // namespace pairs::batch
