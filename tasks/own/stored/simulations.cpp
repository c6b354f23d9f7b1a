#include "tasks/own/stored/simulations.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "core/base/files/files.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs {
Simulations::Simulations(const SimulationFiles& files, const std::filesystem::path& folder,
                         const SimulationShape& shape)
    : shape_(shape), simulated_(files.simulated), files_(open_set_files(files, folder, shape)) {
  order_ = order_sets(files_, shape_, !simulated_);
  sets_ = order_.count();
  for (const Split split : kSplits) {
    const auto& sets = order_.sets[static_cast<std::size_t>(split)];
    auto& runs = runs_[static_cast<std::size_t>(split)];
    for (std::size_t k = 0; k < sets.size(); ++k) {
      const std::int64_t m = file(sets[k].file).observations(sets[k].set);
      if (runs.empty() || runs.back().m != m) runs.push_back({m, 0});
      runs.back().end = static_cast<std::int64_t>(k) + 1;
    }
  }
  largest_n_ =
      std::min({runs(Split::training).front().m, runs(Split::validation).front().m, runs(Split::test).front().m});
  PAIRS_CHECK(largest_n_ >= 2,
              "Too few of the stored sets hold two observations; store pairs at least, from which sets of any size are "
              "learned");
}

std::int64_t Simulations::sets(Split split, std::int64_t n) const {
  const auto& all = runs(split);
  const auto below = std::partition_point(all.begin(), all.end(), [n](const Run& run) { return run.m >= n; });
  return below == all.begin() ? 0 : std::prev(below)->end;
}

const Simulations::Run& Simulations::run_of(Split split, std::int64_t k) const {
  const auto& all = runs(split);
  return *std::partition_point(all.begin(), all.end(), [k](const Run& run) { return run.end <= k; });
}

StoredSet Simulations::set(Split split, std::int64_t k) const {
  return order_.sets[static_cast<std::size_t>(split)][static_cast<std::size_t>(k)];
}

std::pair<std::int64_t, std::int64_t> Simulations::as_large_as(Split split, std::int64_t k) const {
  const std::int64_t m = run_of(split, k).m;
  return {sets(split, m + 1), sets(split, m)};
}

std::vector<std::int64_t> Simulations::sizes(Split split) const {
  std::vector<std::int64_t> out;
  for (const Run& run : runs(split))
    if (out.empty() || out.back() != run.m) out.push_back(run.m);
  return out;
}

Latents Simulations::sample(std::int64_t count) const {
  const std::int64_t all = sets(Split::training, 1);
  count = std::min(count, all);
  Latents out{at::empty({count, shape_.targets}, torch::kFloat64),
              at::empty({count, shape_.nuisances}, torch::kFloat64)};
  if (shape_.given > 0) out.given = at::empty({count, shape_.given}, torch::kFloat64);
  for (std::int64_t i = 0; i < count; ++i) {
    const StoredSet one = spread(i, count);
    file(one.file).read_theta(one.set, 1, out.theta.mutable_data_ptr<double>() + i * shape_.targets);
    if (shape_.nuisances > 0)
      file(one.file).read_psi(one.set, 1, out.psi.mutable_data_ptr<double>() + i * shape_.nuisances);
    if (shape_.given > 0)
      file(one.file).read_given(one.set, 1, out.given.mutable_data_ptr<double>() + i * shape_.given);
  }
  return out;
}

StoredSet Simulations::spread(std::int64_t k, std::int64_t count) const {
  const auto all = static_cast<double>(sets(Split::training, 1));
  return set(Split::training, static_cast<std::int64_t>(static_cast<double>(k) * (all / static_cast<double>(count))));
}

Observations Simulations::sample_pairs(std::int64_t count) const {
  count = std::min(count, sets(Split::training, 1));
  std::vector<double> numbers;
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t i = 0; i < count; ++i) {
    const StoredSet one = spread(i, count);
    const SetFile& from = file(one.file);
    const std::int64_t held = from.observations(one.set), pair[2] = {0, held - 1};
    const std::span<const std::int64_t> positions(pair, held > 1 ? 2 : 1);
    SetFile::RowSpan spans[2] = {{0, 1}, {0, 1}};
    if (shape_.rows) from.row_spans(one.set, positions, spans);
    std::int64_t rows = 0;
    for (std::size_t k = 0; k < positions.size(); ++k) offsets.push_back(offsets.back() + spans[k].count);
    for (std::size_t k = 0; k < positions.size(); ++k) rows += spans[k].count;
    const std::size_t before = numbers.size();
    numbers.resize(before + static_cast<std::size_t>(rows * shape_.numbers()));
    if (shape_.rows)
      from.read_rows(one.set, {spans, positions.size()}, numbers.data() + before);
    else
      from.read_observations(one.set, positions, numbers.data() + before);
  }
  std::vector<std::int64_t> extents = {offsets.back()};
  extents.insert(extents.end(), shape_.observation.begin(), shape_.observation.end());
  const torch::Tensor values = torch::tensor(numbers, torch::kFloat64).view(extents);
  return shape_.rows ? Observations::ragged(values, torch::tensor(offsets, torch::kInt64)) : Observations(values);
}

void Simulations::check_precision(const std::vector<std::string>& columns, const InputScale& input) const {
  for (const auto& one : files_) one->check_precision(columns, input);
}

std::string Simulations::source_text() const {
  return fmt::format("{} stored sets (content {:08x})", count_text(sets_), order_.content >> 32);
}

std::vector<std::string> Simulations::notes() const {
  std::vector<std::string> out;
  if (order_.copies > 0)
    out.push_back(fmt::format("{} stored more than once (the same θ, ψ, size and observations) and used once: {}.",
                              order_.copies == 1 ? "One set is" : count_text(order_.copies) + " sets are",
                              fmt::join(order_.copied, "; ")));
  if (order_.repeated > 0 && !simulated_)
    out.push_back(
        fmt::format("{} of the {} stored sets have a θ that others have, too: there are {} different ones, and "
                    "sets of one θ stay together in training, validation or evaluations.",
                    count_text(order_.repeated), count_text(sets_), count_text(order_.thetas)));
  return out;
}

void Simulations::check_numbers(const Preparation& preparation) const {
  std::string states;
  std::int64_t total = 0, done = 0;
  for (const auto& one : files_) {
    for (const auto& stored : one->files())
      states += fmt::format("{}\t{}{}\n", std::filesystem::absolute(stored->path()).string(), stored->state(),
                            one->padded() ? "\tpadded" : "");
    total += one->numbers();
  }
  const std::filesystem::path folder = caches_folder() / "stored",
                              mark = folder / fmt::format("{:08x}.txt", checksum(states));
  std::error_code error;
  if (std::filesystem::exists(mark, error) && read_file(mark) == states) return;
  for (const auto& one : files_)
    one->scan([&](std::int64_t numbers) {
      if (preparation.stop && preparation.stop()) throw Stopped();
      done += numbers;
      if (preparation.progress) preparation.progress("stored numbers looked through", done, total);
    });
  try {
    std::filesystem::create_directories(folder);
    write_file(mark, states);
  } catch (const std::exception&) {
    // They are scanned again next time.
  }
}

SimulationShape simulation_shape(const TaskInfo& info) {
  return {static_cast<std::int64_t>(info.targets.size()), static_cast<std::int64_t>(info.nuisances.size()),
          info.observation_shape, info.rows > 0, info.given_size()};
}

}  // namespace pairs
