#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/sets/index_map.h"
#include "core/sets/permutation.h"
#include "core/stored_sets.h"
#include "tasks/file_reader.h"
#include "tasks/own/stored/simulations.h"
#include "tasks/parts/nuisance_range.h"
#include "tasks/parts/rows.h"

namespace pairs {
namespace {

class StoredTask;

std::int64_t sets_that_hold(const Simulations& simulations, std::int64_t n) {
  std::int64_t sum = 0;
  for (const Split split : kSplits) sum += simulations.sets(split, n);
  return sum;
}

// "but only up to N = 2 are stored for ...": why there are no sets of n observations for a purpose.
std::string too_few_text(const Simulations& simulations, std::int64_t n) {
  if (const std::int64_t held = sets_that_hold(simulations, n); held > 0)
    return fmt::format(
        "but only {} stored, too few for training, validation and evaluations each to have one (up to N = {} they do)",
        held == 1 ? "one is" : count_text(held) + " are", simulations.largest_n());
  return fmt::format("but only up to N = {} are stored for training, validation and evaluations",
                     simulations.largest_n());
}

// Data shared by all views of the same stored sets.
struct StoredWorld {
  std::shared_ptr<const Simulations> simulations;
  TaskInfo info;
  InputScale input;
  std::vector<FileColumn> columns;
  std::vector<std::optional<NuisanceTarget>> nuisances;
  std::vector<GivenRange> given;
  StoredFaces faces;
};

class StoredTask final : public Task,
                         public StoredSets,
                         public StandardizedInput,
                         public HasFileColumns,
                         public HasFileReader,
                         public HasGivenRanges,
                         public ChoosesTargets {
 public:
  StoredTask(std::shared_ptr<const StoredWorld> world, std::vector<SetDemand> demands)
      : world_(std::move(world)), demands_(std::move(demands)) {}

  const TaskInfo& info() const override { return world_->info; }
  const StoredSets* stored() const override { return this; }
  bool standardizes() const override { return !world_->input.empty(); }
  InputScale input_scale() const override { return world_->input; }
  const std::vector<FileColumn>& file_columns() const override { return world_->columns; }
  const std::vector<GivenRange>& given_ranges() const override { return world_->given; }
  std::string file_reader(const std::filesystem::path& path) const override {
    return world_->faces.reader ? world_->faces.reader(path) : "";
  }
  bool knows_sets() const override { return static_cast<bool>(world_->faces.reference_of); }
  std::unique_ptr<ReferencePosterior> reference_of(const std::vector<std::string>& names) const override {
    return world_->faces.reference_of ? world_->faces.reference_of(names) : nullptr;
  }
  std::vector<std::string> references() const override {
    return world_->faces.reference ? std::vector<std::string>{"exact"} : std::vector<std::string>();
  }
  std::unique_ptr<ReferencePosterior> reference(const std::string& name) const override {
    return name == "exact" && world_->faces.reference ? world_->faces.reference() : Task::reference(name);
  }
  std::vector<std::optional<NuisanceTarget>> nuisance_targets() const override { return world_->nuisances; }

  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto count = static_cast<std::int64_t>(indices.size());
    const std::int64_t d = shape().targets, p = shape().nuisances, g = shape().given;
    Latents out{at::empty({count, d}, torch::kFloat64), at::empty({count, p}, torch::kFloat64)};
    if (g > 0) out.given = at::empty({count, g}, torch::kFloat64);
    double* theta = out.theta.mutable_data_ptr<double>();
    double* psi = out.psi.mutable_data_ptr<double>();
    double* given = g > 0 ? out.given.mutable_data_ptr<double>() : nullptr;
    at::parallel_for(0, count, 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const StoredSet one = place(seed, purpose, indices[static_cast<std::size_t>(i)]);
        const SetFile& file = simulations().file(one.file);
        file.read_theta(one.set, 1, theta + i * d);
        file.read_psi(one.set, 1, psi + i * p);
        if (g > 0) file.read_given(one.set, 1, given + i * g);
      }
    });
    return out;
  }

  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const Rows rows(ranges, latents, info());
    check_unchanged(seed, purpose, ranges);
    check_latents(latents, seed, purpose, ranges);
    if (standardizes())
      return shape().rows ? observe_rows<double>(seed, purpose, ranges, device)
                          : observe_blocks<double>(rows, seed, purpose, ranges, device);
    return shape().rows ? observe_rows<float>(seed, purpose, ranges, device)
                        : observe_blocks<float>(rows, seed, purpose, ranges, device);
  }

  std::shared_ptr<const Task> serving(std::span<const SetDemand> demands) const override {
    for (const SetDemand& demand : demands)
      if (sets(demand.purpose, demand.n) == 0)
        fail_usage("{} needs sets of N = {} observations, {}; ask for smaller sets, or store {}", demand.use, demand.n,
                   too_few(demand.n), held_at_all(demand.n) > 0 ? "more of that size" : "larger ones");
    return std::make_shared<StoredTask>(world_, std::vector<SetDemand>(demands.begin(), demands.end()));
  }

  std::vector<SetService> service(std::span<const SetDemand> demands) const override {
    std::vector<SetService> out;
    for (const SetDemand& demand : demands) {
      SetService one{demand, sets(demand.purpose, demand.n), {}};
      const std::string held = count_text(one.held), n = count_text(demand.n), drawn = count_text(demand.sets);
      if (one.held == 0)
        one.text = fmt::format("{}: no stored set holds N = {} observations; N must stop at {}", demand.use, n,
                               count_text(largest_n()));
      else if (demand.purpose == Purpose::test)
        one.text = fmt::format("{}: {} of the {} stored sets that hold {} or more and that no stage sees", demand.use,
                               count_text(std::min(demand.sets, one.held)), held, n);
      else
        one.text = fmt::format("{}: {} stored sets of {} observations or more, of {} that are drawn{}", demand.use,
                               held, n, drawn, visits_text(demand, one.held));
      out.push_back(std::move(one));
    }
    return out;
  }

  bool in_order() const override { return simulations().simulated(); }
  std::int64_t sets(Purpose purpose, std::int64_t n) const override { return simulations().sets(split_of(purpose), n); }
  std::int64_t held(std::uint64_t seed, Purpose purpose, std::int64_t index) const override {
    const StoredSet one = place(seed, purpose, index);
    return simulations().file(one.file).observations(one.set);
  }
  std::int64_t largest_n() const override { return simulations().largest_n(); }

  std::int64_t observations(std::int64_t n, std::int64_t wanted) const override {
    if (n > largest_n()) return 0;
    std::int64_t most = wanted;
    for (const Split split : {Split::training, Split::validation}) {
      const std::int64_t half = (simulations().sets(split, n) + 1) / 2;
      if (simulations().sets(split, most) >= half) continue;
      for (const std::int64_t m : simulations().sizes(split))
        if (m < most && simulations().sets(split, m) >= half) {
          most = m;
          break;
        }
    }
    return std::max(n, most);
  }

  void prepare(const Preparation& preparation) const override { simulations().check_numbers(preparation); }

  std::vector<std::string> notes() const override { return simulations().notes(); }

  std::vector<StoredState> state() const override {
    std::vector<StoredState> out;
    for (std::int64_t f = 0; f < simulations().file_count(); ++f)
      for (const auto& file : simulations().file(f).files()) out.push_back({file->name(), file->state()});
    return out;
  }

 private:
  const Simulations& simulations() const { return *world_->simulations; }
  const SimulationShape& shape() const { return simulations().shape(); }

  // The number of sets in any split that hold n observations.
  std::int64_t held_at_all(std::int64_t n) const { return sets_that_hold(simulations(), n); }
  std::string too_few(std::int64_t n) const { return too_few_text(simulations(), n); }

  // ", each 3.5 times": how often sets are visited, and what differs between visits. The networks are invariant to the
  // order of a set's observations, so that only a subset of them is new.
  std::string visits_text(const SetDemand& demand, std::int64_t held) const {
    if (demand.sets <= held) return "";
    const std::int64_t larger = sets(demand.purpose, demand.n + 1);
    return fmt::format(", each {:.3g} times, {}", static_cast<double>(demand.sets) / static_cast<double>(held),
                       larger == held ? "every time another random subset of its observations"
                       : larger == 0  ? "which are repeats: they hold no further observations"
                                      : fmt::format("the {} larger ones with another random subset of their "
                                                     "observations, the others as repeats",
                                                    count_text(larger)));
  }

  // The observations that the sets of an index must hold, and the first index of its demand.
  std::pair<std::int64_t, std::int64_t> needed(Purpose purpose, std::int64_t index) const {
    for (const SetDemand& demand : demands_)
      if (demand.purpose == purpose && demand.first <= index && index < demand.end) return {demand.n, demand.first};
    const bool first_stage = purpose == Purpose::pretrain || purpose == Purpose::pretrain_validation;
    return {first_stage ? 2 : info().max_n, 0};
  }

  // The stored set for an index. Evaluations use the largest first, so that an index is the same set at every N; other
  // purposes visit all that hold enough again and again, each time in another order.
  StoredSet place(std::uint64_t seed, Purpose purpose, std::int64_t index) const {
    PAIRS_CHECK(index >= 0 && index < static_cast<std::int64_t>(index_map::kEnd),
                "{}: there is no set {}; indices start at 0 and stay below 2^48", info().name, index);
    const Split split = split_of(purpose);
    const std::uint64_t key = stream_key(stream_key(seed, purpose), Purpose::order);
    if (purpose == Purpose::test) {
      const std::int64_t k = index % simulations().sets(split, 1);
      const auto [first, end] = simulations().as_large_as(split, k);
      return simulations().set(split, first + shuffled(key, end - first, k - first));
    }
    const auto [n, first] = needed(purpose, index);
    const std::int64_t all = simulations().sets(split, n);
    PAIRS_CHECK(all > 0, "{}: no stored set of this split holds N = {} observations; stop at N = {}", info().name, n,
                largest_n());
    const std::int64_t round = (index - first) / all;
    return simulations().set(
        split, shuffled(key + 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(round), all, (index - first) % all));
  }

  static std::int64_t shuffled(std::uint64_t key, std::int64_t count, std::int64_t position) {
    return static_cast<std::int64_t>(
        permuted(key, static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(position)));
  }

  // Which of the M observations of its set belong to a range: a permutation that depends on the index.
  std::vector<std::int64_t> positions(std::uint64_t seed, Purpose purpose, const SetRange& range,
                                      std::int64_t held) const {
    PAIRS_CHECK(purpose == Purpose::check || range.first + range.count <= held,
                "{}: set {} holds {} observations, and {} were asked for; stop at N = {}", info().name, range.index,
                held, range.first + range.count, held);
    const std::uint64_t key =
        stream_key(stream_key(seed, purpose) + static_cast<std::uint64_t>(range.index), Purpose::blocks);
    std::vector<std::int64_t> out(static_cast<std::size_t>(range.count));
    for (std::int64_t j = 0; j < range.count; ++j)
      out[static_cast<std::size_t>(j)] = shuffled(key, held, (range.first + j) % held);
    return out;
  }

  // Calls visit(k, file, set, positions) for each range, on all threads.
  template <class Visit>
  void each_range(std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges, Visit visit) const {
    at::parallel_for(0, static_cast<std::int64_t>(ranges.size()), 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const SetRange& range = ranges[static_cast<std::size_t>(k)];
        if (range.count == 0) continue;
        const StoredSet one = place(seed, purpose, range.index);
        const SetFile& file = simulations().file(one.file);
        visit(static_cast<std::size_t>(k), file, one.set, positions(seed, purpose, range, file.observations(one.set)));
      }
    });
  }

  template <class Number>
  Observations observe_blocks(const Rows& rows, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                              const torch::Device& device) const {
    std::vector<std::int64_t> extents = {rows.total()};
    extents.insert(extents.end(), shape().observation.begin(), shape().observation.end());
    torch::Tensor x = at::empty(extents, c10::CppTypeToScalarType<Number>::value);
    Number* out = x.mutable_data_ptr<Number>();
    std::vector<std::int64_t> starts(ranges.size());
    for (std::size_t k = 1; k < ranges.size(); ++k) starts[k] = starts[k - 1] + ranges[k - 1].count;
    each_range(seed, purpose, ranges,
               [&](std::size_t k, const SetFile& file, std::int64_t set, const std::vector<std::int64_t>& at) {
                 file.read_observations(set, at, out + starts[k] * shape().numbers());
               });
    return Observations(x.to(device));
  }

  template <class Number>
  Observations observe_rows(std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                            const torch::Device& device) const {
    std::vector<std::vector<SetFile::RowSpan>> spans(ranges.size());
    each_range(seed, purpose, ranges,
               [&](std::size_t k, const SetFile& file, std::int64_t set, const std::vector<std::int64_t>& at) {
                 spans[k].resize(at.size());
                 file.row_spans(set, at, spans[k].data());
               });
    std::vector<std::int64_t> offsets = {0}, starts(ranges.size());
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      starts[k] = offsets.back();
      for (const SetFile::RowSpan& span : spans[k]) offsets.push_back(offsets.back() + span.count);
    }
    torch::Tensor x = at::empty({offsets.back(), shape().numbers()}, c10::CppTypeToScalarType<Number>::value);
    Number* out = x.mutable_data_ptr<Number>();
    each_range(seed, purpose, ranges,
               [&](std::size_t k, const SetFile& file, std::int64_t set, const std::vector<std::int64_t>&) {
                 file.read_rows(set, spans[k], out + starts[k] * shape().numbers());
               });
    torch::Tensor at = at::empty({static_cast<std::int64_t>(offsets.size())}, torch::kInt64);
    std::copy(offsets.begin(), offsets.end(), at.mutable_data_ptr<std::int64_t>());
    return Observations::ragged(x.to(device), at);
  }

  // Nothing can be simulated: observations exist only for the parameters that they were stored with.
  void check_latents(const Latents& latents, std::uint64_t seed, Purpose purpose,
                     std::span<const SetRange> ranges) const {
    std::vector<std::int64_t> indices;
    for (const SetRange& range : ranges) indices.push_back(range.index);
    const Latents own = this->latents(seed, purpose, indices);
    const auto same = [](const torch::Tensor& a, const torch::Tensor& b) {
      return std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
    };
    const bool other_given =
        own.given.defined() && (!latents.given.defined() || latents.given.sizes() != own.given.sizes() ||
                                !same(own.given, latents.given.to(torch::kFloat64).contiguous()));
    if (!same(own.theta, latents.theta) || !same(own.psi, latents.psi) || other_given)
      fail_usage(
          "The sets of {} are stored: none can be simulated for other parameters than theirs; choose one of the "
          "stored sets",
          info().title);
  }

  void check_unchanged(std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges) const {
    std::vector<char> asked(static_cast<std::size_t>(simulations().file_count()), 0);
    for (const SetRange& range : ranges) {
      char& seen = asked[static_cast<std::size_t>(place(seed, purpose, range.index).file)];
      if (std::exchange(seen, 1) == 0) simulations().file(place(seed, purpose, range.index).file).check_unchanged();
    }
  }

  std::shared_ptr<const StoredWorld> world_;
  std::vector<SetDemand> demands_;
};

// Bounds of one column of θ or ψ.
struct ColumnSupport {
  std::string name;
  double low, high;
};

// Checks every row of θ or ψ, in parts.
void check_support(const std::vector<ColumnSupport>& columns, const std::string& where, std::int64_t sets,
                   const std::function<void(std::int64_t, std::int64_t, double*)>& read) {
  constexpr std::int64_t kAtOnce = 1 << 14;
  const auto d = static_cast<std::int64_t>(columns.size());
  std::vector<double> values(static_cast<std::size_t>(kAtOnce * d));
  for (std::int64_t first = 0, count; d > 0 && first < sets; first += count) {
    count = std::min(kAtOnce, sets - first);
    read(first, count, values.data());
    for (std::int64_t i = 0; i < count * d; ++i) {
      const ColumnSupport& column = columns[static_cast<std::size_t>(i % d)];
      const double value = values[static_cast<std::size_t>(i)];
      PAIRS_CHECK(value >= column.low && value <= column.high,
                  "{}: row {} holds {} = {}, outside its support {} to {}; widen the support in task.toml, or store "
                  "the sets of this prior alone",
                  where, first + i / d, column.name, value, column.low, column.high);
    }
  }
}

void check_supports(const SetFile& file, const TaskInfo& info,
                    const std::vector<std::pair<double, double>>& psi_supports, const std::vector<GivenRange>& ranges) {
  std::vector<ColumnSupport> theta, psi, given;
  for (const Target& target : info.targets) theta.push_back({target.name, target.low, target.high});
  for (std::size_t k = 0; k < psi_supports.size(); ++k)
    psi.push_back({info.nuisances[k].name, psi_supports[k].first, psi_supports[k].second});
  for (std::size_t k = 0; k < ranges.size(); ++k) given.push_back({info.given[k].name, ranges[k].low, ranges[k].high});
  check_support(theta, file.theta_where(), file.sets(),
                [&](std::int64_t first, std::int64_t count, double* out) { file.read_theta(first, count, out); });
  check_support(psi, file.psi_where(), file.sets(),
                [&](std::int64_t first, std::int64_t count, double* out) { file.read_psi(first, count, out); });
  check_support(given, file.given_where(), file.sets(),
                [&](std::int64_t first, std::int64_t count, double* out) { file.read_given(first, count, out); });
}

}  // namespace

std::shared_ptr<const Task> make_stored_task(std::shared_ptr<const Simulations> simulations, TaskInfo info,
                                             const std::vector<std::pair<double, double>>& psi_supports,
                                             InputScale input, std::vector<FileColumn> columns,
                                             std::vector<GivenRange> given, StoredFaces faces) {
  PAIRS_CHECK(psi_supports.empty() || psi_supports.size() == info.nuisances.size(),
              "{} supports do not fit {} nuisances", psi_supports.size(), info.nuisances.size());
  PAIRS_CHECK(info.target_size() == static_cast<std::int64_t>(info.targets.size()),
              "{}: stored simulations have numbers as targets", info.name);
  PAIRS_CHECK(given.size() == info.given.size(), "{} ranges do not fit {} given quantities", given.size(),
              info.given.size());
  const SimulationShape shape = simulation_shape(info);
  PAIRS_CHECK(shape.targets == simulations->shape().targets && shape.nuisances == simulations->shape().nuisances &&
                  shape.observation == simulations->shape().observation && shape.rows == simulations->shape().rows,
              "{}: the stored simulations were opened as those of another task", info.name);
  if (info.max_n > simulations->largest_n())
    fail_usage("max_n = {} asks for sets of as many observations, {}; set max_n = {}, or store {}", info.max_n,
               too_few_text(*simulations, info.max_n), simulations->largest_n(),
               sets_that_hold(*simulations, info.max_n) > 0 ? "more of that size" : "larger sets");
  for (std::int64_t f = 0; f < simulations->file_count(); ++f)
    check_supports(simulations->file(f), info, psi_supports, given);
  if (info.data_source.empty()) info.data_source = simulations->source_text();
  // Without supports, which the caller may omit, a nuisance cannot be a target.
  std::vector<std::optional<NuisanceTarget>> nuisances(info.nuisances.size());
  for (std::size_t k = 0; k < psi_supports.size(); ++k)
    nuisances[k] = target_of_range(info.nuisances[k], psi_supports[k].first, psi_supports[k].second);
  auto world = std::make_shared<const StoredWorld>(
      StoredWorld{std::move(simulations), std::move(info), std::move(input), std::move(columns), std::move(nuisances),
                  std::move(given), std::move(faces)});
  return std::make_shared<StoredTask>(std::move(world), std::vector<SetDemand>());
}

}  // namespace pairs
