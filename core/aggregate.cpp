#include "core/aggregate.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <optional>

#include "core/base/text/error.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/threads.h"
#include "core/target_model.h"

namespace pairs {

torch::Tensor block_states(Estimator& estimator, const Latents& latents, std::uint64_t seed, Purpose purpose,
                           std::span<const std::int64_t> indices, std::span<const std::int64_t> blocks,
                           const StreamOptions& options) {
  const std::int64_t chunk = options.chunk > 0 ? options.chunk : estimator.observations_at_once();
  const auto sets = static_cast<std::int64_t>(indices.size()), per_set = static_cast<std::int64_t>(blocks.size());
  const std::int64_t l = estimator.embedding_size();
  const Pool& pool = estimator.pool();
  torch::Tensor states = pool.empty(sets * per_set, l);

  std::vector<SetRange> ranges;
  std::vector<std::int64_t> owners, rows, offsets = {0};
  std::vector<ChunkPart> parts;
  const auto flush = [&] {
    if (ranges.empty()) return;
    if (options.keep_going && !options.keep_going()) throw Stopped();
    keep_threads_apart();
    const Latents mine = latents_to_observe(estimator.task().info(), latents, torch::tensor(owners, torch::kInt64));
    torch::Tensor embeddings;
    if (options.known) {
      embeddings = options.known(mine, ranges);
    } else {
      const Observations x = [&] {
        std::optional<Interruptible> within;  // if there is no callback, the caller's interruption point is used
        if (options.keep_going) within.emplace([&] { return !options.keep_going(); });
        return estimator.task().observe(mine, seed, purpose, ranges, estimator.device());
      }();
      if (options.visit) options.visit(x, parts);
      embeddings = estimator.embed(x, chunk);
    }
    const torch::Tensor at = torch::tensor(offsets, torch::kInt64).to(embeddings.device());
    if (options.embedded) options.embedded(embeddings, parts, mine, ranges);
    pool.merge_into(states, torch::tensor(rows, torch::kInt64), pool.accumulate(embeddings, at).to(torch::kCPU));
    ranges.clear();
    owners.clear();
    rows.clear();
    parts.clear();
    offsets = {0};
  };
  for (std::int64_t s = 0; s < sets; ++s) {
    std::int64_t at = 0;
    for (std::int64_t b = 0; b < per_set; ++b) {
      const std::int64_t end = at + blocks[static_cast<std::size_t>(b)];
      while (at < end) {
        const std::int64_t take = std::min(end - at, chunk - offsets.back());
        ranges.push_back({indices[static_cast<std::size_t>(s)], at, take});
        owners.push_back(s);
        rows.push_back(s * per_set + b);
        parts.push_back({s, b, offsets.back(), offsets.back() + take});
        offsets.push_back(offsets.back() + take);
        at += take;
        if (offsets.back() == chunk) flush();
      }
    }
  }
  flush();
  return states.view({sets, per_set, l});
}

torch::Tensor aggregate_sets(Estimator& estimator, const Latents& latents, std::uint64_t seed, Purpose purpose,
                             std::span<const std::int64_t> indices, std::int64_t n, const StreamOptions& options) {
  PAIRS_CHECK(n >= 1, "A set holds at least one observation; {} were asked for", n);
  const std::int64_t blocks[] = {n};
  const torch::Tensor states = block_states(estimator, latents, seed, purpose, indices, blocks, options);
  return estimator.pool().finish(states.squeeze(1), n);
}

}  // namespace pairs
