// What ranks exchange in a step: in rounds of pairs as many floats as a network has weights, between threads of this
// machine over its loopback (docs/reference/scaling.md).
#include <ATen/Functions.h>
#include <benchmark/benchmark.h>

#include <bit>
#include <functional>
#include <thread>
#include <vector>

#include "core/base/files/scratch_folder.h"
#include "core/parallel/ranks.h"

namespace pairs {
namespace {

void exchange(benchmark::State& state) {
  const int size = static_cast<int>(state.range(0));
  const std::int64_t floats = state.range(1);
  const ScratchFolder folder;
  const auto take_part = [&](int rank, const std::function<bool()>& again) {
    Ranks ranks({rank, size}, Rendezvous::in_file(folder / "meeting"), {});
    const torch::Tensor own = at::ones({floats});
    // The first rank decides whether there is another round.
    for (bool more = true; more;) {
      more = ranks.gather(at::full({1}, rank == 0 && again() ? 1.0f : 0.0f))[0].item<float>() > 0;
      for (int round = 0; more && round < ranks.rounds(); ++round)
        benchmark::DoNotOptimize(ranks.gather_pair(round, own));
    }
    ranks.meet();
  };
  std::vector<std::jthread> others;
  for (int rank = 1; rank < size; ++rank) others.emplace_back([&, rank] { take_part(rank, {}); });
  take_part(0, [&] { return state.KeepRunning(); });
  state.counters["bytes"] = static_cast<double>(4 * floats * std::countr_zero(static_cast<unsigned>(size)));
}
BENCHMARK(exchange)
    ->ArgsProduct({{2, 4}, {1, 100'000, 1'000'000, 10'000'000}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pairs
