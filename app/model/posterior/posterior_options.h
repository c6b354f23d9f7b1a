#pragma once

#include <string>
#include <vector>

#include "core/eval/metrics/interval.h"

namespace pairs::model {

struct PosteriorState;

// What the Posterior tab shows of a posterior: its interval, references, and quantities derived from its targets.
class PosteriorOptions {
 public:
  explicit PosteriorOptions(PosteriorState& state) : state_(state) {}

  // The credible interval that is shaded and reported.
  IntervalKind interval() const;
  void set_interval(IntervalKind kind);
  // Whether the references include the learned product of the shown run (core/eval/references/learned_product.h).
  bool learned_product() const;
  void set_learned_product(bool on);
  // Whether they include its posterior refined by its learned likelihood (app/posterior/source/refined_source.h).
  bool refined() const;
  void set_refined(bool on);
  // Quantities derived from the targets (app/posterior/source/derived.h) and shown with them, such as
  // "ratio = theta/psi", for every run with the same targets. add_derived returns why a quantity is refused, as a
  // sentence, or "".
  std::vector<std::string> derived() const;
  std::string add_derived(const std::string& text);
  void remove_derived(std::size_t k);

 private:
  PosteriorState& state_;
};

}  // namespace pairs::model
