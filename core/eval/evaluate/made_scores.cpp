#include "core/eval/evaluate/made_scores.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/eval/metrics/mean_error.h"

namespace pairs {
namespace {

// The share of the run's own density in the scored one, so that its logarithm is finite wherever a truth lies.
constexpr double kOwnShare = 0.01;

}  // namespace

void MadeScores::begin(std::int64_t first, std::int64_t count) {
  collected_.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(sets_ - first, 0, count)), {});
}

void MadeScores::add(const Observations& x, const std::vector<ChunkPart>& parts) {
  if (collected_.empty()) return;
  const Observations host = x.to(torch::kCPU);
  for (const ChunkPart& part : parts)
    if (const auto set = static_cast<std::size_t>(part.set); set < collected_.size())
      collected_[set].push_back(host.slice(part.begin, part.end));
}

void MadeScores::score(const Latents& latents, const std::function<bool()>& keep_going) {
  for (std::size_t s = 0; s < collected_.size(); ++s) {
    if (keep_going && !keep_going()) throw Stopped();
    const auto row = static_cast<std::int64_t>(s);
    const auto own = [&](const torch::Tensor& all) { return all.defined() ? all.slice(0, row, row + 1) : all; };
    scores_.push_back(made_.score(Observations::concatenate(collected_[s]),
                                  {own(latents.theta), own(latents.psi), own(latents.given)}));
  }
  collected_.clear();
}

void MadeScores::finish(EvaluationRow& row, const std::vector<double>* exact) const {
  if (scores_.empty()) return;
  ReferenceGain gain;
  std::vector<double> gains, gaps;
  ReferenceRanks ranks;
  ranks.samples = made_.samples;
  for (std::size_t s = 0; s < scores_.size(); ++s) {
    double value = row.log_prob[s];
    if (scores_[s]) {
      const double made = std::log1p(-kOwnShare) + scores_[s]->log_density, own = std::log(kOwnShare) + value;
      const double top = std::max(made, own);
      value = top + std::log(std::exp(made - top) + std::exp(own - top));
    }
    gain.left_out += !scores_[s].has_value();
    if (scores_[s] && !scores_[s]->ranks.empty()) {
      ranks.sets.push_back(static_cast<std::int64_t>(s));
      ranks.ranks.resize(scores_[s]->ranks.size());
      for (std::size_t t = 0; t < ranks.ranks.size(); ++t) ranks.ranks[t].push_back(scores_[s]->ranks.at(t));
    }
    gains.push_back(value - row.log_prob[s]);
    if (exact != nullptr) gaps.push_back((*exact)[s] - value);
  }
  const MeanAndError mean = mean_and_error(gains);
  gain.mean = mean.mean;
  gain.se = mean.se;
  gain.sets = static_cast<std::int64_t>(gains.size());
  row.reference_nll[made_.name] = row.nll - gain.mean;
  row.reference_gain[made_.name] = gain;
  if (!ranks.sets.empty()) row.reference_ranks[made_.name] = std::move(ranks);
  if (exact != nullptr) row.reference_gap[made_.name] = mean_and_error(gaps);
}

}  // namespace pairs
