#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/invalid_draws.h"
#include "core/sets/observations.h"
#include "tasks/own/file/task_file.h"

namespace pairs::own {

// The random numbers for a result, and how much to simulate: the result must be a function of the first three and the
// parameters only.
struct Draw {
  std::uint64_t key, set, block, count;
};
// The block of samples from the prior.
inline constexpr std::uint64_t kPriorBlock = ~std::uint64_t{0};
// Observations that each worker simulates when it starts, to check its seeds.
inline constexpr std::int64_t kCheckedObservations = 4;

// A user's program, run as several processes that simulate many sets at a time. Thread-safe; one caller is served at a
// time. Results depend only on the draws, not on the number of workers or on which worker computes them. Every Error is
// one sentence that names the worker, the sets and the cause; after an Error, and after Stopped, the affected workers
// are ended, and others are started when needed.
class Simulator {
 public:
  // `workers` 0: as many as the task specifies, or one per CPU thread of this process (use_threads); limited to these
  // if they are fewer than the cores. Nothing is started before the first request.
  explicit Simulator(TaskFile task, std::int64_t workers = 0);
  ~Simulator();

  // Samples the prior, for each draw `count` sets of which the first is `set * count` -> for each draw θ [count, d],
  // then ψ [count, p], then conditions [count, g] unless the file defines their distribution. All are finite and within
  // their supports.
  std::vector<std::vector<double>> prior(const std::vector<Draw>& draws);

  // Observations 0 .. count - 1 of all draws one after another, float64 if x is standardized, else float32; row k of
  // theta [draws, d], psi [draws, p] and given [draws, g] belongs to draw k. All are finite, also as float32: if the
  // task allows it, an invalid observation is simulated again with another key, which depends only on the draw's key
  // and the number of the attempt, so that x remains a function of the draws.
  Observations simulate(const std::vector<Draw>& draws, const double* theta, const double* psi,
                        const double* given = nullptr);

  // simulate() that keeps partial results after an error or a stop.
  struct Answered {
    Observations x;              // of the first draws, as many as were completed in order
    std::size_t draws = 0;       // how many draws
    std::exception_ptr failure;  // the error; null: none
    // For each draw, the attempts at its observations, and how many of these were invalid and repeated
    // (SimulatorProgram::redraws).
    std::vector<std::int64_t> attempts, invalid;
  };
  Answered simulate_as_far(const std::vector<Draw>& draws, const double* theta, const double* psi,
                           const double* given = nullptr);

  // The posterior of the set of observations x [N, ...], float64, with conditions [g] or undefined, according to the
  // program: log densities at theta [S, d] float64 -> [S] float64, none NaN or +infinity.
  torch::Tensor reference(const torch::Tensor& theta, const torch::Tensor& given, const Observations& x);

  const TaskFile& task() const { return task_; }
  // The counts of invalid observations so far, for tasks that repeat them.
  InvalidDraws invalid_draws();
  // How many workers currently run at once.
  std::int64_t workers() const;

 private:
  template <class Number>
  struct Raw;
  template <class Number>
  void simulate_once(const std::vector<Draw>& draws, const double* theta, const double* psi, const double* given,
                     Raw<Number>& raw);
  template <class Number>
  void draw_again(const std::vector<Draw>& draws, const double* theta, const double* psi, const double* given,
                  Raw<Number>& raw);
  template <class Number>
  Answered simulate_as(const std::vector<Draw>& draws, const double* theta, const double* psi, const double* given);

  struct Process;
  struct Question;
  class Round;
  // Throws a usage Error if the program is not permitted, unless it is already running.
  void check_programs() const;
  // Sends a question to the workers until all of it is answered. Throws Error and Stopped.
  void ask(const Question& question);

  TaskFile task_;
  std::int64_t workers_;  // 0: one per thread
  std::mutex mutex_;
  std::vector<std::unique_ptr<Process>> processes_;  // as many as were needed so far; null: not started, or ended
  std::size_t most_ = 1;                             // largest number of workers for the current question
  std::uint64_t requests_ = 0;
  std::string reference_;  // the first worker's result of the seed check
  InvalidCount invalid_;
  double prior_pace_ = 0, pace_ = 0;  // recent seconds per unit of work; 0: unknown
};

}  // namespace pairs::own
