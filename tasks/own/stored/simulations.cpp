#include "tasks/own/stored/simulations.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/base/error.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

// What two files of the same sets agree in: θ of the first and last sets, and how many there are.
std::string sets_key(const SetFile& file, std::int64_t targets) {
  const std::int64_t some = std::min<std::int64_t>(file.sets(), 64);
  std::vector<double> theta(static_cast<std::size_t>(2 * some * targets));
  file.read_theta(0, some, theta.data());
  file.read_theta(file.sets() - some, some, theta.data() + some * targets);
  std::string key(theta.size() * sizeof(double), '\0');
  std::memcpy(key.data(), theta.data(), key.size());
  return key;
}

}  // namespace

Simulations::Simulations(const SimulationFiles& files, const std::filesystem::path& folder,
                         const SimulationShape& shape)
    : shape_(shape), files_(open_set_files(files, folder, shape)), sorted_(files_.size()) {
  refuse_copies();
  for (std::int64_t f = 0; f < file_count(); ++f) {
    sets_ += file(f).sets();
    sort_sets(f);
  }
  finish_runs();
  for (const Split split : kSplits)
    PAIRS_CHECK(!runs(split).empty(),
                "The stored simulations hold {} sets, too few to keep some from training; store at least five in one "
                "file",
                sets_);
  largest_n_ =
      std::min({runs(Split::training).front().m, runs(Split::validation).front().m, runs(Split::test).front().m});
  largest_set_ =
      std::max({runs(Split::training).front().m, runs(Split::validation).front().m, runs(Split::test).front().m});
  PAIRS_CHECK(
      largest_n_ >= 2,
      "Too few of the stored sets hold two observations; store pairs at least, from which sets of any size are learnt");
}

// A set that stands in training and in evaluations would make both worthless. Copies begin and end with the same θ, and
// so may files of a fixed design, whose observations differ.
void Simulations::refuse_copies() const {
  std::map<std::string, std::int64_t> seen;
  for (std::int64_t f = 0; f < file_count(); ++f) {
    const auto [other, fresh] = seen.emplace(sets_key(file(f), shape_.targets), f);
    if (fresh || file(other->second).sets() != file(f).sets()) continue;
    const SetFile &a = file(other->second), &b = file(f);
    if (a.observations(0) != b.observations(0)) continue;
    const std::int64_t position = 0;
    std::vector<float> x, y;
    const auto first = [&](const SetFile& one, std::vector<float>& out) {
      if (!shape_.rows) {
        out.resize(static_cast<std::size_t>(shape_.numbers()));
        return one.read_observations(0, {&position, 1}, out.data());
      }
      SetFile::RowSpan span{};
      one.row_spans(0, {&position, 1}, &span);
      out.resize(static_cast<std::size_t>(span.count * shape_.numbers()));
      one.read_rows(0, {&span, 1}, out.data());
    };
    first(a, x);
    first(b, y);
    PAIRS_CHECK(x != y,
                "{} and {} hold the same sets, which would be trained on and evaluated, too; keep one of them, or "
                "simulate with another seed",
                a.name(), b.name());
  }
}

void Simulations::sort_sets(std::int64_t number) {
  const SetFile& one = file(number);
  for (const Split split : kSplits) {
    auto& runs = runs_[static_cast<std::size_t>(split)];
    const std::int64_t count = one.split().count(split);
    if (one.each() > 0) {
      if (count > 0) runs.push_back({one.each(), number, 0, count, 0});
      continue;
    }
    auto& sets = sorted_[static_cast<std::size_t>(number)][static_cast<std::size_t>(split)];
    sets.resize(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) sets[static_cast<std::size_t>(k)] = one.split().set(split, k);
    std::stable_sort(sets.begin(), sets.end(),
                     [&](std::int64_t a, std::int64_t b) { return one.observations(a) > one.observations(b); });
    for (std::int64_t k = 0, end; k < count; k = end) {
      const std::int64_t m = one.observations(sets[static_cast<std::size_t>(k)]);
      for (end = k + 1; end < count && one.observations(sets[static_cast<std::size_t>(end)]) == m;) ++end;
      runs.push_back({m, number, k, end - k, 0});
    }
  }
}

void Simulations::finish_runs() {
  for (std::vector<Run>& all : runs_) {
    std::stable_sort(all.begin(), all.end(), [](const Run& a, const Run& b) { return a.m > b.m; });
    std::int64_t end = 0;
    for (Run& run : all) run.end = end += run.count;
  }
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
  const Run& run = run_of(split, k);
  const std::int64_t place = run.first + k - (run.end - run.count);
  const auto& sorted = sorted_[static_cast<std::size_t>(run.file)][static_cast<std::size_t>(split)];
  return {run.file,
          sorted.empty() ? file(run.file).split().set(split, place) : sorted[static_cast<std::size_t>(place)]};
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
  const Latents out{at::empty({count, shape_.targets}, torch::kFloat64),
                    at::empty({count, shape_.nuisances}, torch::kFloat64)};
  for (std::int64_t i = 0; i < count; ++i) {
    const StoredSet one = set(
        Split::training,
        static_cast<std::int64_t>(static_cast<double>(i) * (static_cast<double>(all) / static_cast<double>(count))));
    file(one.file).read_theta(one.set, 1, out.theta.mutable_data_ptr<double>() + i * shape_.targets);
    if (shape_.nuisances > 0)
      file(one.file).read_psi(one.set, 1, out.psi.mutable_data_ptr<double>() + i * shape_.nuisances);
  }
  return out;
}

std::string Simulations::source_text() const {
  return fmt::format("{} stored sets in {}", count_text(sets_),
                     file_count() == 1 ? std::string("one file") : count_text(file_count()) + " files");
}

SimulationShape simulation_shape(const TaskInfo& info) {
  return {static_cast<std::int64_t>(info.targets.size()), static_cast<std::int64_t>(info.nuisances.size()),
          info.observation_shape, info.rows > 0};
}

}  // namespace pairs
