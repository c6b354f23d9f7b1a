#include "core/eval/evaluate/product_scores.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/eval/metrics/mean_error.h"
#include "core/eval/references/learned_product.h"

namespace pairs {
namespace {

MeanAndError mean_difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t count) {
  std::vector<double> differences(count);
  for (std::size_t i = 0; i < count; ++i) differences[i] = a[i] - b[i];
  return mean_and_error(differences);
}

}  // namespace

ProductScores::ProductScores(Estimator& estimator, std::int64_t n, std::int64_t sets)
    : estimator_(estimator), sets_(n <= kMostLearnedProduct ? sets : 0) {}

void ProductScores::watch(std::int64_t first, std::int64_t count, StreamOptions& stream) {
  embeddings_.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(sets_ - first, 0, count)), {});
  if (embeddings_.empty()) return;
  keep_going_ = stream.keep_going;
  stream.embedded = [this, companion = stream.embedded](const torch::Tensor& embeddings,
                                                        const std::vector<ChunkPart>& parts, const Latents& latents,
                                                        std::span<const SetRange> ranges) {
    if (companion) companion(embeddings, parts, latents, ranges);
    for (const ChunkPart& part : parts)
      if (const auto set = static_cast<std::size_t>(part.set); set < embeddings_.size())
        embeddings_[set].push_back(embeddings.slice(0, part.begin, part.end).clone());
  };
}

void ProductScores::score(const Latents& latents) {
  for (std::size_t s = 0; s < embeddings_.size(); ++s) {
    const auto row = static_cast<std::int64_t>(s);
    const torch::Tensor given = latents.given.defined() ? latents.given.slice(0, row, row + 1) : torch::Tensor();
    const LearnedProduct product(estimator_.task(), single_answers(estimator_, given), at::cat(embeddings_[s]),
                                 keep_going_);
    log_density_.push_back(product.log_density(latents.theta.slice(0, row, row + 1)).item<double>());
  }
  embeddings_.clear();
}

void ProductScores::finish(EvaluationRow& row, const std::vector<double>* exact) const {
  const std::size_t scored = log_density_.size();
  if (scored == 0) return;
  row.reference_nll[kLearnedProduct] = row.nll + mean_difference(row.log_prob, log_density_, scored).mean;
  if (exact != nullptr) row.reference_gap[kLearnedProduct] = mean_difference(*exact, log_density_, scored);
}

}  // namespace pairs
