#include "app/posterior/set/set_embeddings.h"

#include <algorithm>

#include "app/kinds/observation_room.h"
#include "app/posterior/set/embedded_set.h"
#include "core/base/text/error.h"

namespace pairs {

SetEmbeddings embed_set(const LoadedRun& run, ObservedSet& set, const std::vector<std::int64_t>& sizes,
                        const std::function<bool()>& keep_going) {
  PAIRS_CHECK(!sizes.empty(), "An aggregate is asked for at one size of the set at least");
  const std::int64_t most = *std::max_element(sizes.begin(), sizes.end());
  EmbeddedSet embedded(run.estimator, set.size());
  const std::int64_t pace = room_of(run.task->info()).amounts().embedded;
  std::vector<torch::Tensor> rows, means;
  while (embedded.count() < most) {
    if (keep_going && !keep_going()) throw Stopped();
    const std::int64_t from = embedded.count(),
                       until = embedded.block_end(std::min(most, from + std::max<std::int64_t>(pace, 1)));
    embedded.add(set.part(from, until), &rows.emplace_back());
  }
  for (const std::int64_t n : sizes)
    means.push_back(embedded.aggregate(n, [&](std::int64_t from, std::int64_t to) { return set.part(from, to); }));
  return {torch::cat(rows).slice(0, 0, most).contiguous(), torch::cat(means)};
}

}  // namespace pairs
