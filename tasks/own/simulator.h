#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/invalid_draws.h"
#include "core/sets/observations.h"
#include "tasks/own/task_file.h"

namespace pairs::own {

// Which random numbers an answer is made from, and how much is asked for: what the program answers must be a function
// of the first three and the parameters alone.
struct Draw {
  std::uint64_t key, set, block, count;
};
// The block of draws from the prior.
inline constexpr std::uint64_t kPriorBlock = ~std::uint64_t{0};
// Observations that each worker is asked for when it starts, whose seeds are checked by them.
inline constexpr std::int64_t kCheckedObservations = 4;

// A person's program: several of its processes, asked for many sets at a time. Thread-safe; one caller is served at a
// time. What it answers depends on the draws alone, whatever the number of workers and whoever answers. Every Error is
// one sentence that names the worker, the sets and the cause; after one, and after Stopped, the workers concerned are
// ended, and others are started when they are needed.
class Simulator {
 public:
  // `workers` 0: as the task says, or one a CPU thread of this process (use_threads); no more than these where they are
  // fewer than the cores. Nothing is started before something is asked.
  explicit Simulator(TaskFile task, std::int64_t workers = 0);
  ~Simulator();

  // Draws from the prior, each of `count` sets of which the first is `set * count` -> for each draw θ [count, d], then
  // ψ [count, p], then what is given [count, g] where the file does not say how that is drawn. All finite and within
  // their supports.
  std::vector<std::vector<double>> prior(const std::vector<Draw>& draws);

  // Observations 0 .. count - 1 of all draws one after another, float64 where x is standardised, else float32; row k of
  // theta [draws, d], psi [draws, p] and given [draws, g] belongs to draw k. All finite, also as float32: where the
  // task says so, an observation that is not is drawn again, by another key that follows from the draw's and the number
  // of the attempt alone, so that x stays a function of the draws.
  Observations simulate(const std::vector<Draw>& draws, const double* theta, const double* psi,
                        const double* given = nullptr);

  // The same, where something may go wrong before all is answered, or a stop may come.
  struct Answered {
    Observations x;              // of the first draws, so many as were answered one after another
    std::size_t draws = 0;       // how many
    std::exception_ptr failure;  // what went wrong; null: nothing
    // Of each draw how many attempts at its observations were made, and how many of these were invalid and drawn again
    // (SimulatorProgram::redraws).
    std::vector<std::int64_t> attempts, invalid;
  };
  Answered simulate_as_far(const std::vector<Draw>& draws, const double* theta, const double* psi,
                           const double* given = nullptr);

  // What the program says of the posterior of the set of observations x [N, ...], float64, with what is given of it [g]
  // or undefined: log densities at theta [S, d] float64 -> [S] float64, none NaN or +infinity.
  torch::Tensor reference(const torch::Tensor& theta, const torch::Tensor& given, const Observations& x);

  const TaskFile& task() const { return task_; }
  // What was simulated so far, of tasks that draw invalid observations again.
  InvalidDraws invalid_draws();
  // How many workers run at once, as this process stands now.
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
  // Throws a usage Error where nobody agreed to the program, unless it is at work already.
  void check_programs() const;
  // Puts a question to the workers until all of it is answered. Throws Error and Stopped.
  void ask(const Question& question);

  TaskFile task_;
  std::int64_t workers_;  // 0: one a thread
  std::mutex mutex_;
  std::vector<std::unique_ptr<Process>> processes_;  // as many as were needed so far; null: not started, or ended
  std::size_t most_ = 1;                             // of the present question
  std::uint64_t requests_ = 0;
  std::string reference_;  // what the first worker answered to the check of seeds
  InvalidCount invalid_;
  double prior_pace_ = 0, pace_ = 0;  // seconds a unit of work, of late; 0: not known yet
};

}  // namespace pairs::own
