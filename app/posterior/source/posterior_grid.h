#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "app/posterior/source/posterior_numbers.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"

namespace pairs {

// A posterior that is being put on a grid.
struct PosteriorDraft {
  const PosteriorSource* source = nullptr;
  PosteriorNumbers numbers;
  std::vector<double> log;  // density on the grid, the last target fastest
  bool failed = false;
  std::string problem;

  // Evaluates the source; an error fails only this draft.
  template <class F>
  void ask(F&& f) {
    const Stopwatch watch;
    try {
      f();
    } catch (const std::exception& error) {
      fail(source->name + " is left out: " + sentence(error));
    }
    numbers.milliseconds += 1000 * watch.seconds();
  }
  void fail(std::string why) {
    failed = true;
    problem = std::move(why);
  }
  // Log densities and marginals on the cells.
  void evaluate(const std::vector<Cells>& cells);
  // The maximum log density.
  double top() const;
};

// Finds the cells of one or two targets that contain every posterior of the group, with as many cells within each as
// its moments need, and evaluates them there. Starts with the cells `start`, or from samples or the moments of
// references.
void find_grid(std::vector<PosteriorDraft>& group, const std::vector<Target>& targets, bool confined, std::size_t cells,
               std::vector<Cells> start = {});

}  // namespace pairs
