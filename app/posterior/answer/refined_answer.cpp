#include "app/posterior/answer/refined_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/posterior/source/posterior_numbers.h"
#include "core/base/text/error.h"
#include "core/periodic.h"

namespace pairs {
namespace {

constexpr std::int64_t kStart = 1000;  // samples of the run that a refined posterior begins with

// The last source becomes the shown one, in the run's color; the run's own takes the look of the last.
void put_first(PosteriorAnswer& answer) {
  for (PosteriorSource& one : answer.sources)
    if (one.ours) {
      std::swap(one.role, answer.sources.back().role);
      one.ours = false;
    }
  answer.sources.back().ours = true;
  std::rotate(answer.sources.begin(), std::prev(answer.sources.end()), answer.sources.end());
}

}  // namespace

void add_refined(const Refiner& refiner, SourceWish wish, const Observations& x, const torch::Tensor& given,
                 std::uint64_t seed, const std::function<bool()>& keep_going, PosteriorAnswer& answer,
                 double sequential_pairs) {
  const auto own = std::find_if(answer.sources.begin(), answer.sources.end(),
                                [](const PosteriorSource& source) { return source.ours; });
  try {
    if (answer.typicality.outside) {
      if (wish == SourceWish::best) return;  // nobody asked for it, and the run's own warns
      fail("the set is out of distribution, and the likelihood was learned from sets of the model alone");
    }
    torch::Tensor start;
    if (own != answer.sources.end()) start = own->sample(kStart, kFigureSeed).to(torch::kFloat64);
    RefinedSource made = refiner.source(x, given, start, seed, keep_going, sequential_pairs);
    answer.sources.push_back(std::move(made.source));
    answer.refined = std::move(made.posterior);
    if (refiner.first(wish, answer.n)) {
      put_first(answer);
      answer.why_first = refiner.why_first(wish, answer.n);
    }
    if (!start.defined()) return;
    const torch::Tensor near = unrolled(refiner.info().targets, start);
    if (std::string text = disagreement_with_run(*answer.refined, near.mean(0), near.std(0), refiner.info());
        !text.empty())
      answer.warnings.push_back({WarningKind::refined, std::move(text)});
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    answer.problems.push_back(fmt::format("The posterior is not refined: {}", sentence(error)));
  }
}

}  // namespace pairs
