#pragma once

#include <string>
#include <vector>

#include "app/posterior/question/source_wish.h"
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
  // Whether its own posterior or the one that its learned likelihood refines is shown, and which comes first.
  SourceWish source() const;
  void set_source(SourceWish wish);
  // Refines the shown set at the shown N, for which the window would otherwise wait to be asked (refine_seconds).
  void refine_now();
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
