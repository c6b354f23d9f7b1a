#include "tasks/own/simulated_task.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/base/files/files.h"
#include "core/base/gpu/transfer.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/invalid_draws.h"
#include "core/sets/index_map.h"
#include "core/simulator_probe.h"
#include "core/sufficient_statistics.h"
#include "tasks/file_reader.h"
#include "tasks/own/blocks.h"
#include "tasks/own/file/measure.h"
#include "tasks/own/file/reference_file.h"
#include "tasks/own/file/task_programs.h"
#include "tasks/own/program/program_reference.h"
#include "tasks/own/program/simulator.h"
#include "tasks/parts/nuisance_range.h"
#include "tasks/parts/rows.h"

namespace pairs::own {
namespace {

constexpr std::uint64_t kPriorSets = 64;       // sampled at a time
constexpr std::size_t kKeptNumbers = 4 << 20;  // of samples from the prior
constexpr std::uint64_t kMeasuredSets = 4096;  // for measuring ranges
constexpr std::uint64_t kMeasuringSeed = 20260101, kProbeSeed = 20260102;
constexpr std::size_t kProbeNumbers = 256;  // of x, kept from a probe
constexpr double kSlowMeasuring = 2;        // seconds of measuring above which it is announced and its result cached

template <class Number>
std::string_view raw_bytes(const Number* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(Number)};
}

// Draws a condition whose distribution is in the file.
double draw_given(const GivenQuantity& one, Stream& stream) {
  const std::vector<double>& v = one.numbers;
  if (one.drawn == "values") return v[stream.below(v.size())];
  if (one.drawn == "normal") return v[0] + v[1] * stream.normal64();
  const double u = stream.uniform64();
  if (one.drawn == "uniform") return v[0] + (v[1] - v[0]) * u;
  return v[0] * std::exp(std::log(v[1] / v[0]) * u);
}

// The sets whose parameters are drawn together.
std::vector<std::uint64_t> block_sets(std::uint64_t block) {
  std::vector<std::uint64_t> sets(kPriorSets);
  std::iota(sets.begin(), sets.end(), block * kPriorSets);
  return sets;
}

// Programs are shared by all tasks made from the same file: one for training, and one with a single worker for display,
// which never waits for training.
struct Programs {
  std::shared_ptr<Simulator> training, shown;
};

Programs programs_of(const TaskFile& file) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<std::weak_ptr<Simulator>, std::weak_ptr<Simulator>>> all;
  const std::lock_guard lock(mutex);
  auto& known = all[file.origin.string() + "\n" + file.text];
  Programs programs{known.first.lock(), known.second.lock()};
  if (!programs.training) known.first = programs.training = std::make_shared<Simulator>(file);
  if (!programs.shown) known.second = programs.shown = std::make_shared<Simulator>(file, 1);
  return programs;
}

class SimulatedTask final : public Task,
                            public StandardizedInput,
                            public ProbedSimulator,
                            public HasFileColumns,
                            public HasFileReader,
                            public HasGivenRanges,
                            public HasSufficientStatistics,
                            public RedrawsInvalid,
                            public ChoosesTargets {
 public:
  explicit SimulatedTask(TaskFile file) : programs_(programs_of(file)), file_(std::move(file)) {
    if (file_.incomplete() || file_.unproved()) {
      const Latents sample = sampled();
      if (file_.unproved()) check_priors(file_, sample.theta, sample.psi, sample.given);
      if (file_.incomplete()) complete(file_, measure(file_, sample.theta, sample.psi, sample.given));
    }
    references_ = reference_file_of(file_);
  }

  const TaskInfo& info() const override { return file_.info; }
  const std::vector<FileColumn>& file_columns() const override { return file_.columns; }
  std::string file_reader(const std::filesystem::path& path) const override { return reader_for(file_, path); }
  bool knows_sets() const override { return references_ != nullptr; }
  std::unique_ptr<ReferencePosterior> reference_of(const std::vector<std::string>& names) const override {
    return references_ ? references_->of(names) : nullptr;
  }
  const std::vector<GivenRange>& given_ranges() const override { return file_.given_ranges; }

  std::vector<std::optional<NuisanceTarget>> nuisance_targets() const override {
    return targets_of_ranges(file_.info.nuisances, file_.nuisance_low, file_.nuisance_high);
  }

  bool standardizes() const override { return file_.standardizes; }
  InputScale input_scale() const override {
    if (!file_.standardizes || !file_.input.empty()) return file_.input;
    const std::lock_guard lock(input_mutex_);
    if (input_.empty()) input_ = measured_input();
    return input_;
  }

  std::vector<std::string> references() const override {
    return file_.reference ? std::vector<std::string>{"exact"} : std::vector<std::string>();
  }
  std::unique_ptr<ReferencePosterior> reference(const std::string& name) const override {
    if (name != "exact" || !file_.reference) return Task::reference(name);
    return program_reference(programs_.shown, file_.info.targets);
  }

  std::vector<std::string> statistic_names() const override {
    std::vector<std::string> names;
    for (const SufficientExpression& one : file_.sufficient) names.push_back(one.text);
    return names;
  }
  torch::Tensor statistics(const Observations& x) const override {
    const torch::Tensor columns = x.block().to(torch::kCPU, torch::kFloat64).contiguous();
    const auto d = static_cast<std::int64_t>(file_.sufficient.size());
    torch::Tensor out = at::empty({columns.size(0), d}, torch::kFloat64);
    const std::span<const double> values(columns.const_data_ptr<double>(), static_cast<std::size_t>(columns.numel()));
    const auto width = static_cast<std::size_t>(columns.size(1));
    double* to = out.mutable_data_ptr<double>();
    for (std::size_t at = 0; at < values.size(); at += width)
      for (const SufficientExpression& one : file_.sufficient) {
        *to = one.value.value(values.subspan(at, width));
        PAIRS_CHECK(
            std::isfinite(*to++),
            "{}: \"{}\" of [sufficient] is not finite for an observation that was simulated; write it so that it "
            "is, or take it out",
            file_.info.name, one.text);
      }
    return out;
  }

  InvalidDraws invalid_draws() const override {
    if (!file_.simulator->redraws) return {};
    InvalidDraws training = programs_.training->invalid_draws();
    return training.attempts > 0 ? training : programs_.shown->invalid_draws();
  }

  SimulatorProbe probe() const override {
    constexpr std::uint64_t kSets = 4, kPair = 2, kMore = 16, kMoreBlock = 3;
    const std::uint64_t key = stream_key(kProbeSeed, Purpose::check);
    const std::vector<double> latents = programs_.training->prior({{key, 0, kPriorBlock, kSets}}).front();
    std::vector<Draw> draws;
    for (std::uint64_t set = 0; set + 1 < kSets; ++set) draws.push_back({key, set, 0, kPair});
    draws.push_back({key, kSets - 1, kMoreBlock, kMore});
    const double* psi = latents.data() + kSets * file_.info.targets.size();
    const std::vector<double> given = given_of(key, {0, 1, 2, 3}, psi + kSets * file_.info.nuisances.size());
    const Observations x =
        programs_.training->simulate(draws, latents.data(), psi, given.data()).to(torch::kCPU, torch::kFloat64);
    const torch::Tensor& values = all_numbers(x);
    std::uint32_t sum = checksum(raw_bytes(latents.data(), latents.size()));
    sum = checksum(raw_bytes(values.const_data_ptr<double>(), static_cast<std::size_t>(values.numel())), sum);
    if (x.is_ragged())
      sum =
          checksum(raw_bytes(x.offsets().const_data_ptr<std::int64_t>(), static_cast<std::size_t>(x.count() + 1)), sum);
    SimulatorProbe probe{fmt::format("{:08x}", sum), latents, {}};
    const InputScale scale = input_scale();
    torch::Tensor seen = values;
    if (!scale.empty() && values.numel() > 0) {
      // In float64, so that differences in the last digits are visible.
      std::vector<std::int64_t> channels(static_cast<std::size_t>(values.dim()), 1);
      channels[1] = static_cast<std::int64_t>(scale.location.size());
      seen = ((values - torch::tensor(scale.location, torch::kFloat64).view(channels)) /
              torch::tensor(scale.scale, torch::kFloat64).view(channels))
                 .contiguous();
    }
    const std::vector<double> all = doubles(seen);
    const std::size_t step = (all.size() + kProbeNumbers - 1) / kProbeNumbers | 1;
    for (std::size_t i = 0; i < all.size(); i += step) probe.x.push_back(all[i]);
    return probe;
  }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const std::uint64_t key = stream_key(seed, purpose);
    const auto sets = static_cast<std::int64_t>(indices.size());
    const std::size_t d = file_.info.targets.size(), p = file_.info.nuisances.size(), g = file_.given.size();
    Latents out{at::empty({sets, static_cast<std::int64_t>(d)}, torch::kFloat64),
                at::empty({sets, static_cast<std::int64_t>(p)}, torch::kFloat64)};
    if (g > 0) out.given = at::empty({sets, static_cast<std::int64_t>(g)}, torch::kFloat64);
    double* theta = out.theta.mutable_data_ptr<double>();
    double* psi = out.psi.mutable_data_ptr<double>();
    double* given = g > 0 ? out.given.mutable_data_ptr<double>() : nullptr;
    const std::map<std::uint64_t, std::shared_ptr<const std::vector<double>>> drawn =
        prior_blocks(key, purpose, indices);
    for (const std::int64_t index : indices) {
      const auto set = static_cast<std::uint64_t>(index);
      const std::vector<double>& values = *drawn.at(set / kPriorSets);
      const std::size_t row = set % kPriorSets;
      theta = std::copy_n(values.data() + row * d, d, theta);
      psi = std::copy_n(values.data() + kPriorSets * d + row * p, p, psi);
      if (g == 0) continue;
      const std::vector<double> own = given_of(key, {set}, values.data() + kPriorSets * (d + p) + row * g);
      given = std::copy(own.begin(), own.end(), given);
    }
    return out;
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const Rows checked(ranges, latents, file_.info);
    const std::uint64_t key = stream_key(seed, purpose);
    const std::size_t d = file_.info.targets.size(), p = file_.info.nuisances.size(), g = file_.given.size();
    PAIRS_CHECK(
        g == 0 || (latents.given.defined() && latents.given.size(0) == static_cast<std::int64_t>(ranges.size()) &&
                   latents.given.size(1) == static_cast<std::int64_t>(g)),
        "{}: sets cannot be simulated without what is given of them", file_.info.name);
    const torch::Tensor known = g > 0 ? latents.given.to(torch::kFloat64).contiguous() : torch::Tensor();
    const double* theta = latents.theta.const_data_ptr<double>();
    const double* psi = latents.psi.const_data_ptr<double>();
    const double* given = g > 0 ? known.const_data_ptr<double>() : nullptr;

    // The blocks that the ranges touch, each drawn once if consecutive ranges belong to one set.
    std::vector<Draw> draws;
    std::vector<double> thetas, psis, givens;
    std::vector<std::int64_t> starts;  // the start of each draw among all observations
    std::int64_t drawn = 0;
    struct Piece {
      std::int64_t first, count;  // among all observations drawn
    };
    std::vector<Piece> pieces;
    bool whole = true;  // the pieces are everything that is drawn, in order
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const SetRange& r = ranges[k];
      for (std::int64_t at = r.first; at < r.first + r.count;) {
        const ItemBlock block = block_of(purpose, at);
        const auto set = static_cast<std::uint64_t>(r.index);
        const bool same =
            !draws.empty() && draws.back().set == set && draws.back().block == block.number &&
            std::equal(theta + k * d, theta + (k + 1) * d, thetas.end() - static_cast<std::ptrdiff_t>(d)) &&
            std::equal(psi + k * p, psi + (k + 1) * p, psis.end() - static_cast<std::ptrdiff_t>(p)) &&
            std::equal(given + k * g, given + (k + 1) * g, givens.end() - static_cast<std::ptrdiff_t>(g));
        if (!same) {
          draws.push_back({key, set, block.number, static_cast<std::uint64_t>(block.count)});
          thetas.insert(thetas.end(), theta + k * d, theta + (k + 1) * d);
          psis.insert(psis.end(), psi + k * p, psi + (k + 1) * p);
          givens.insert(givens.end(), given + k * g, given + (k + 1) * g);
          starts.push_back(drawn);
          drawn += block.count;
        }
        const std::int64_t take = std::min(block.first + block.count, r.first + r.count) - at;
        const std::int64_t from = starts.back() + at - block.first;
        whole = whole && from == (pieces.empty() ? 0 : pieces.back().first + pieces.back().count);
        pieces.push_back({from, take});
        at += take;
      }
    }
    Observations all = program(purpose).simulate(draws, thetas.data(), psis.data(), givens.data());
    if (whole && checked.total() == drawn) return all.to(device);
    return select(all, pieces, checked.total()).to(device);
  }

 private:
  std::size_t numbers_of_prior() const {
    return file_.info.targets.size() + file_.info.nuisances.size() + file_.given_by_prior();
  }

  // The conditions of the sets [sets, g]: from the prior's samples at `drawn`, or from the file's distributions, with
  // the sets' streams.
  std::vector<double> given_of(std::uint64_t key, const std::vector<std::uint64_t>& sets, const double* drawn) const {
    if (const std::size_t g = file_.given_by_prior(); g > 0) return {drawn, drawn + g * sets.size()};
    std::vector<double> out;
    for (const std::uint64_t set : sets) {
      Stream stream(key, set, index_map::kSetItem);
      for (const GivenQuantity& one : file_.given) out.push_back(draw_given(one, stream));
    }
    return out;
  }

  Simulator& program(Purpose purpose) const {
    return purpose == Purpose::explore ? *programs_.shown : *programs_.training;
  }

  // The blocks of prior samples that contain the sets; recent ones are cached.
  std::map<std::uint64_t, std::shared_ptr<const std::vector<double>>> prior_blocks(
      std::uint64_t key, Purpose purpose, std::span<const std::int64_t> indices) const {
    std::map<std::uint64_t, std::shared_ptr<const std::vector<double>>> found;
    for (const std::int64_t index : indices) {
      PAIRS_CHECK(index >= 0 && index < static_cast<std::int64_t>(index_map::kEnd), "{}: there is no set {}",
                  file_.info.name, index);
      found[static_cast<std::uint64_t>(index) / kPriorSets] = nullptr;
    }
    std::vector<Draw> missing;
    {
      const std::lock_guard lock(kept_mutex_);
      for (auto& [block, values] : found) {
        const auto at = kept_.find({key, block});
        if (at != kept_.end())
          values = at->second;
        else
          missing.push_back({key, block, kPriorBlock, kPriorSets});
      }
    }
    if (missing.empty()) return found;
    std::vector<std::vector<double>> made = program(purpose).prior(missing);
    const std::lock_guard lock(kept_mutex_);
    const std::size_t numbers = kPriorSets * numbers_of_prior();
    for (std::size_t k = 0; k < missing.size(); ++k) {
      const auto values = std::make_shared<const std::vector<double>>(std::move(made[k]));
      found[missing[k].set] = values;
      if ((kept_.size() + 1) * numbers > kKeptNumbers) kept_.clear();
      kept_[{key, missing[k].set}] = values;
    }
    return found;
  }

  template <class Pieces>
  Observations select(const Observations& all, const Pieces& pieces, std::int64_t total) const {
    if (all.is_ragged()) {
      std::vector<Observations> parts;
      for (const auto& piece : pieces) parts.push_back(all.slice(piece.first, piece.first + piece.count));
      return parts.empty() ? all.slice(0, 0) : Observations::concatenate(parts);
    }
    const torch::Tensor& block = all.block();
    std::vector<std::int64_t> shape = block.sizes().vec();
    shape[0] = total;
    torch::Tensor out = at::empty(shape, block.options());
    std::size_t bytes = block.element_size();  // size of an observation
    for (std::size_t k = 1; k < shape.size(); ++k) bytes *= static_cast<std::size_t>(shape[k]);
    const char* from = static_cast<const char*>(block.const_data_ptr());
    char* to = static_cast<char*>(out.mutable_data_ptr());
    for (const auto& piece : pieces)
      to = std::copy_n(from + static_cast<std::size_t>(piece.first) * bytes,
                       static_cast<std::size_t>(piece.count) * bytes, to);
    return out;
  }

  // Names a budget whose simulations take at most about an hour, if a set of two takes `each` seconds and a run without
  // a budget would take many hours.
  static std::string budget_of_an_hour(double each) {
    constexpr double kHour = 3600, kSetsOfARun = 1e5;
    if (each * kSetsOfARun < kHour) return "";
    const double most = 2 * kHour / each, unit = std::pow(10.0, std::floor(std::log10(most)));
    return fmt::format(
        "; a run asks for millions of observations, or for {:.0f} in about an hour with --simulations {:.0f}",
        std::floor(most / unit) * unit, std::floor(most / unit) * unit);
  }

  // Measures the scale of x on the first observations of sets of two.
  InputScale measured_input() const {
    const auto sets = static_cast<std::uint64_t>(measured_x_sets(file_.info.observation_numbers()));
    const std::uint64_t key = stream_key(kMeasuringSeed, Purpose::check);
    std::vector<Draw> priors, draws;
    for (std::uint64_t block = 0; block * kPriorSets < sets; ++block)
      priors.push_back({key, block, kPriorBlock, kPriorSets});
    for (std::uint64_t set = 0; set < sets; ++set) draws.push_back({key, set, 0, 2});
    std::vector<double> theta, psi, given;
    std::uint64_t first = 0;
    for (const std::vector<double>& values : programs_.training->prior(priors)) {
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(kPriorSets * file_.info.targets.size());
      const auto end = middle + static_cast<std::ptrdiff_t>(kPriorSets * file_.info.nuisances.size());
      theta.insert(theta.end(), values.begin(), middle);
      psi.insert(psi.end(), middle, end);
      const std::vector<double> own = given_of(key, block_sets(first++), values.data() + (end - values.begin()));
      given.insert(given.end(), own.begin(), own.end());
    }
    const std::string key_text = fmt::format("{}\n{}\n{}\n{}", kMeasuringSeed, file_.origin.string(), file_.text,
                                             folder_state(file_.origin.parent_path()));
    if (const std::optional<InputScale> kept = kept_input(key_text, input_channels(file_.info))) return *kept;
    const std::size_t d = file_.info.targets.size(), p = file_.info.nuisances.size(), g = file_.given.size();
    std::vector<Observations> parts;
    const auto simulate = [&](std::size_t first, std::size_t last) {
      const auto at = draws.begin();
      const std::vector<Draw> some(at + static_cast<std::ptrdiff_t>(first), at + static_cast<std::ptrdiff_t>(last));
      parts.push_back(programs_.training->simulate(some, theta.data() + first * d, psi.data() + first * p,
                                                   given.data() + first * g));
    };
    // The first set may start the program; the second shows how long the others take.
    simulate(0, 1);
    const Stopwatch watch;
    simulate(1, 2);
    const double each = watch.seconds() / static_cast<double>(programs_.training->workers()),
                 seconds = each * static_cast<double>(sets);
    if (seconds > kSlowMeasuring)
      spdlog::info("{}: {} sets of two observations are simulated once to standardize x, for about {:.0f} s{}",
                   file_.info.name, sets, seconds, budget_of_an_hour(each));
    simulate(2, draws.size());
    const InputScale scale = measure_x(Observations::concatenate(parts), input_channels(file_.info));
    if (watch.seconds() > kSlowMeasuring / 2) keep_input(key_text, scale);
    return scale;
  }

  // Samples of the prior, on which ranges are measured.
  Latents sampled() const {
    std::vector<Draw> draws;
    const std::uint64_t key = stream_key(kMeasuringSeed, Purpose::check);
    for (std::uint64_t block = 0; block < kMeasuredSets / kPriorSets; ++block)
      draws.push_back({key, block, kPriorBlock, kPriorSets});
    // With one worker, because each that starts also simulates observations.
    const std::vector<std::vector<double>> values = programs_.shown->prior(draws);
    const auto d = static_cast<std::int64_t>(file_.info.targets.size()),
               p = static_cast<std::int64_t>(file_.info.nuisances.size()),
               g = static_cast<std::int64_t>(file_.given_by_prior());
    torch::Tensor theta = at::empty({static_cast<std::int64_t>(kMeasuredSets), d}, torch::kFloat64),
                  psi = at::empty({static_cast<std::int64_t>(kMeasuredSets), p}, torch::kFloat64),
                  given = at::empty({static_cast<std::int64_t>(kMeasuredSets), g}, torch::kFloat64);
    double *to_theta = theta.mutable_data_ptr<double>(), *to_psi = psi.mutable_data_ptr<double>(),
           *to_given = given.mutable_data_ptr<double>();
    for (const std::vector<double>& block : values) {
      const double* middle = block.data() + kPriorSets * static_cast<std::size_t>(d);
      to_theta = std::copy(block.data(), middle, to_theta);
      const double* end = middle + kPriorSets * static_cast<std::size_t>(p);
      to_psi = std::copy(middle, end, to_psi);
      to_given = std::copy(end, end + kPriorSets * static_cast<std::size_t>(g), to_given);
    }
    return {theta, psi, given};
  }

  Programs programs_;
  TaskFile file_;
  std::shared_ptr<const ReferenceFile> references_;  // null: there are none
  mutable std::mutex input_mutex_;
  mutable InputScale input_;  // measured; empty: not yet
  mutable std::mutex kept_mutex_;
  mutable std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<const std::vector<double>>> kept_;
};

}  // namespace

std::shared_ptr<const Task> make_simulated_task(const TaskFile& file) {
  return std::make_shared<SimulatedTask>(file);
}

}  // namespace pairs::own
