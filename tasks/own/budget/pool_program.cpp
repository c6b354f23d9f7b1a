#include "tasks/own/budget/pool_program.h"

#include <ATen/Functions.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/gpu/transfer.h"
#include "core/base/threads/clock.h"

namespace pairs::own {
namespace {

// Between the sets of draws with the same parameters: no seed has as many of different ones.
constexpr std::int64_t kRepeatStride = std::int64_t{1} << 40;

std::vector<std::int64_t> indices_of(const std::vector<PooledSet>& sets, std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> out;
  for (std::int64_t k = first; k < first + count; ++k) out.push_back(sets[static_cast<std::size_t>(k)].index);
  return out;
}

void append(std::vector<double>& to, const torch::Tensor& rows, std::int64_t row) {
  if (!rows.defined()) return;
  const double* from = rows.const_data_ptr<double>() + row * rows.size(1);
  to.insert(to.end(), from, from + rows.size(1));
}

}  // namespace

PoolProgram::Sets PoolProgram::simulate(std::int64_t first, std::int64_t count) {
  const std::vector<std::int64_t> indices = indices_of(sets_, first, count);
  const Latents latents = task_.latents(seed_, Purpose::pretrain, indices);
  const std::uint64_t key = stream_key(seed_, Purpose::pretrain);
  std::vector<Draw> draws;
  std::vector<double> theta, psi, given;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::size_t> ends;  // end of each set among the draws
  for (std::int64_t k = 0; k < count; ++k) {
    const PooledSet& set = sets_[static_cast<std::size_t>(first + k)];
    for (std::int64_t at = 0; at < set.n; at += kPoolBlock) {
      draws.push_back({key, static_cast<std::uint64_t>(set.index + set.repeat * kRepeatStride),
                       static_cast<std::uint64_t>(at / kPoolBlock),
                       static_cast<std::uint64_t>(std::min(kPoolBlock, set.n - at))});
      append(theta, latents.theta, k);
      append(psi, latents.psi, k);
      append(given, latents.given, k);
    }
    offsets.push_back(offsets.back() + set.n);
    ends.push_back(draws.size());
  }
  const Simulator::Answered answered = simulator_.simulate_as_far(draws, theta.data(), psi.data(), given.data());
  const auto whole = std::upper_bound(ends.begin(), ends.end(), answered.draws) - ends.begin();
  offsets.resize(static_cast<std::size_t>(whole) + 1);
  const Observations x = answered.x.slice(0, offsets.back());
  Sets out{{{"theta", latents.theta.slice(0, 0, whole)},
            {"x", all_numbers(x)},
            {"offsets", torch::tensor(offsets, torch::kInt64)}},
           whole,
           answered.failure};
  if (latents.psi.size(1) > 0) out.arrays["psi"] = latents.psi.slice(0, 0, whole);
  if (latents.given.defined()) out.arrays["given"] = latents.given.slice(0, 0, whole);
  if (x.is_ragged()) out.arrays["row_offsets"] = x.offsets();
  if (simulator_.task().simulator->redraws) {
    // Attempts at each set's observations, and how many of them were invalid.
    torch::Tensor attempts = at::zeros({whole}, torch::kInt64), invalid = at::zeros({whole}, torch::kInt64);
    for (std::int64_t k = 0; k < whole; ++k)
      for (std::size_t draw = k > 0 ? ends[static_cast<std::size_t>(k - 1)] : 0;
           draw < ends[static_cast<std::size_t>(k)]; ++draw) {
        attempts.mutable_data_ptr<std::int64_t>()[k] += answered.attempts[draw];
        invalid.mutable_data_ptr<std::int64_t>()[k] += answered.invalid[draw];
      }
    out.arrays[kPoolAttempts] = attempts;
    out.arrays[kPoolInvalid] = invalid;
  }
  return out;
}

SimulatorPace measured_pace(const TaskFile& file, const Task& task, const PoolLayout& layout) {
  constexpr double kMeasured = 0.5;  // seconds for sets of one size
  constexpr std::int64_t kSmall = 2;
  std::vector<PooledSet> sets = {{0, kSmall}};
  PoolProgram program(file, task, sets, 1, 1);
  std::int64_t simulations = kCheckedObservations;
  const auto simulate_one = [&](std::int64_t n) {
    sets[0].n = n;
    if (const std::exception_ptr failure = program.simulate(0, 1).failure) std::rethrow_exception(failure);
    ++sets[0].index;
    simulations += n;
  };
  const auto seconds_of = [&](std::int64_t n) {
    const Stopwatch watch;
    std::int64_t count = 0;
    do {
      simulate_one(n);
      ++count;
    } while (watch.seconds() < kMeasured);
    return watch.seconds() / static_cast<double>(count);
  };
  simulate_one(kSmall);  // starts the program
  const double small = seconds_of(kSmall);
  // Larger sets take at most twice the measuring time even if it is proportional to the observations.
  const auto most = static_cast<std::int64_t>(2 * kMeasured * static_cast<double>(kSmall) / small);
  const std::int64_t largest = std::min(kPoolBlock, layout.sizes.back().n),
                     large = std::clamp<std::int64_t>(most, 2 * kSmall, std::max(largest, 2 * kSmall));
  const double each = std::max(0.0, (seconds_of(large) - small) / static_cast<double>(large - kSmall)),
               draw = std::max(0.0, small - kSmall * each);
  double seconds = 0, observations = 0;
  for (const PoolSize& size : layout.sizes) {
    const auto count = static_cast<double>(std::accumulate(size.sets.begin(), size.sets.end(), std::int64_t{0}));
    const auto draws = static_cast<double>((size.n + kPoolBlock - 1) / kPoolBlock);
    seconds += count * (draw * draws + each * static_cast<double>(size.n));
    observations += count * static_cast<double>(size.n);
  }
  return {seconds / observations, simulations};
}

}  // namespace pairs::own
