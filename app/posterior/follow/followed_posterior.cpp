#include "app/posterior/follow/followed_posterior.h"

#include <utility>

#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/one_thread.h"

namespace pairs {

FollowedPosterior::FollowedPosterior(AskedRun run, std::int64_t most, torch::Tensor given, std::uint64_t seed)
    : run_(std::move(run)), most_(most), given_(std::move(given)), set_(run_.loaded.estimator, most, seed) {
  run_.trained = training_record(run_.loaded);
}

void FollowedPosterior::add(const Observations& x) {
  if (x.largest() > largest_.value) {
    largest_ = largest_value(x);
    largest_.at += set_.seen();
  }
  set_.add(x);
}

PosteriorAnswer FollowedPosterior::answer() const {
  const torch::NoGradGuard no_grad;
  const OneThread one_thread;
  const Stopwatch watch;
  PosteriorAnswer out;
  out.n = set_.size();
  ask(run_, 1, true, {[&] { return set_.aggregate(); }, set_.size(), set_.seen(), given_}, out);
  add_numbers(*run_.loaded.task, run_.loaded.estimator->confined(), out);
  add_members(*run_.loaded.task, run_.loaded.estimator->confined(), out);
  out.milliseconds = 1000 * watch.seconds();
  return out;
}

torch::Tensor FollowedPosterior::samples(const PosteriorAnswer& answer, std::int64_t draws, std::uint64_t seed) const {
  PAIRS_CHECK(!answer.sources.empty(), "{}",
              !answer.problems.empty() ? answer.problems.front() : answer.warnings.front().text);
  return finite_samples(run_, answer.sources.front(), draws, seed, [&] { return largest_; });
}

}  // namespace pairs
