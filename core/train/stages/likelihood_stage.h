#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/likelihood/learned_likelihood.h"
#include "core/train/settings/stages.h"

namespace pairs {

// Files of a run's learned likelihood, in the folder RUN/likelihood, which no other stage reads or writes.
namespace likelihood_file {
inline constexpr const char* folder = "likelihood";
inline constexpr const char* config = "likelihood.toml";
inline constexpr const char* weights = "likelihood.safetensors";
inline constexpr const char* comparison = "comparison.json";  // core/train/stages/source_choice.h
}  // namespace likelihood_file
std::filesystem::path likelihood_folder(const std::filesystem::path& run);

// What is kept of a test of independence with the weights.
struct IndependenceRecord {
  bool rejected = false;
  std::string text;  // a sentence
  double p = 1;
  std::int64_t n = 0;  // the largest sets that were tested
};

// What is kept of a test of covariates (core/likelihood/covariate_law.h).
struct CovariateRecord {
  bool rejected = false;
  std::string text;  // a sentence; "": the task has none
  double p = 1;
};

// A trained likelihood of a run.
struct RunLikelihood {
  std::shared_ptr<const LearnedLikelihood> likelihood;
  IndependenceRecord independence;
  CovariateRecord covariates;
  double validation = 0;         // mean -log q of an observation of held-out sets, standardized units
  std::int64_t simulations = 0;  // observations that it was trained on

  // Why no posterior may be refined by it, a sentence that ends without a period; "" if they may be.
  const std::string& unusable() const;
};

// Trains the likelihood of a run's task, tests independence, and writes the weights; returns at once if they exist.
// Continues where an earlier call was stopped or killed, bit for bit on the same machine. The settings are those of the
// folder if it has any: other ones throw a usage Error. Simulates observations of its own, so that the run's stages
// need not be finished. Throws Stopped (saved) and Error.
void train_likelihood(const std::filesystem::path& run, const RunConfig& run_config, const LikelihoodConfig& config,
                      Monitor& monitor);

// Whether a run's settings want a likelihood that its task may have, and that is not learned yet.
bool likelihood_missing(const std::filesystem::path& run, const RunConfig& config);

// Whether a run's likelihood was begun and is not learned yet.
bool likelihood_begun(const std::filesystem::path& run);

// The trained likelihood of a run; nothing if it has none.
std::optional<RunLikelihood> load_likelihood(const std::filesystem::path& run, const Task& task);

}  // namespace pairs
