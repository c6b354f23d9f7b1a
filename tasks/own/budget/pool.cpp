#include "tasks/own/budget/pool.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/files/plain_npz.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/interruption.h"
#include "core/input_scale.h"
#include "core/report/number_text.h"
#include "tasks/own/budget/pool_program.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

constexpr const char *kFolder = "simulations", *kSettingsFile = "budget.json", *kComplete = "complete";
constexpr const char *kPart = "sets-", *kPartEnd = ".npz";
constexpr std::int64_t kDrawnAtOnce = 256;                     // θ that are checked together
constexpr std::int64_t kPriorWorkers = 1 + kDrawnAtOnce / 64;  // workers started to sample the prior, each for 64 θ
constexpr std::int64_t kMostTries = 2000;               // θ per set that no split needs, before the prior is given up
constexpr double kSavedEvery = 20, kSavedShare = 0.01;  // seconds between saved parts; as a share of the time so far
constexpr double kPartBytes = 256.0 * 1024 * 1024;      // per part
constexpr double kBatchSeconds = 4;                     // per question to the program

fs::path part_file(const fs::path& run, std::int64_t first) {
  return pool_folder(run) / fmt::format("{}{:09}{}", kPart, first, kPartEnd);
}

// The number of sets in the saved parts, which are consecutive.
std::int64_t sets_kept(const fs::path& run) {
  std::int64_t kept = 0;
  while (fs::exists(part_file(run, kept))) {
    const NpzReader part(part_file(run, kept));
    const auto theta = part.shapes().find("theta");
    PAIRS_CHECK(theta != part.shapes().end() && !theta->second.empty() && theta->second[0] > 0,
                "{} is damaged: it holds no sets; remove it, and its sets are simulated again",
                printable(part_file(run, kept).string(), 300));
    kept += theta->second[0];
  }
  return kept;
}

// Simulated sets that are not on disk yet.
class UnsavedSets {
 public:
  explicit UnsavedSets(fs::path run, std::int64_t first) : run_(std::move(run)), first_(first) {}

  void add(std::map<std::string, torch::Tensor> sets) {
    if (sets.at("theta").size(0) == 0) return;
    for (const auto& [name, values] : sets) bytes_ += static_cast<double>(values.nbytes());
    count_ += sets.at("theta").size(0);
    parts_.push_back(std::move(sets));
  }
  double bytes() const { return bytes_; }

  void save() {
    if (count_ == 0) return;
    std::map<std::string, torch::Tensor> whole;
    for (const auto& [name, values] : parts_.front()) {
      const bool offsets = name == "offsets" || name == "row_offsets";
      std::vector<torch::Tensor> all;
      for (const auto& part : parts_) {
        const torch::Tensor& one = part.at(name);
        if (!offsets) {
          all.push_back(one);
        } else if (all.empty()) {
          all.push_back(one);
        } else {
          all.push_back(one.narrow(0, 1, one.size(0) - 1) + all.back().select(0, -1));
        }
      }
      whole[name] = at::cat(all);
    }
    write_plain_npz(part_file(run_, first_), whole);
    first_ += count_;
    count_ = 0;
    bytes_ = 0;
    parts_.clear();
  }

 private:
  fs::path run_;
  std::int64_t first_, count_ = 0;
  double bytes_ = 0;
  std::vector<std::map<std::string, torch::Tensor>> parts_;
};

// Checks the settings that a pool was begun with: another seed or budget would be another pool.
void check_settings(const fs::path& run, std::uint64_t seed, std::int64_t budget) {
  const fs::path file = pool_folder(run) / kSettingsFile;
  const nlohmann::json now = {{"simulations", budget}, {"seed", seed}};
  if (!fs::exists(file)) {
    write_file(file, now.dump() + "\n");
    return;
  }
  const nlohmann::json before = parse_json(read_file(file));
  PAIRS_CHECK(before == now, "{} states that the simulations of this run are others ({}, now {}); start the run anew",
              printable(file.string(), 300), printable(before.dump(), 200), now.dump());
}

// A pool made half by another program would be valid for neither: the first set, a pair, is simulated again.
void check_same_program(PoolProgram& program, const fs::path& run) {
  NpzReader part(part_file(run, 0));
  const PoolProgram::Sets now = program.simulate(0, 1);
  if (now.failure) std::rethrow_exception(now.failure);
  const torch::Tensor &x = now.arrays.at("x"),
                      before = part.read("x").narrow(0, 0, std::min(x.size(0), part.shapes().at("x")[0]));
  const bool same =
      before.sizes() == x.sizes() && at::allclose(before.to(torch::kFloat64), x.to(torch::kFloat64), 1e-6, 1e-9);
  PAIRS_CHECK(
      same,
      "The simulator answers otherwise than when the sets in {} were simulated; restore it, or start the run anew",
      printable(pool_folder(run).string(), 300));
}

void check_disk(const fs::path& run, const TaskInfo& info, std::int64_t observations) {
  const double bytes = 8.0 * static_cast<double>(observations) * info.observation_numbers();
  const auto room = static_cast<double>(free_disk_bytes(run));
  PAIRS_CHECK(bytes < room,
              "The simulations of this run need {} but only {} are free on the disk of {}; free some space",
              byte_text(static_cast<std::uint64_t>(bytes)), byte_text(static_cast<std::uint64_t>(room)),
              printable(run.string(), 300));
}

// How many workers may start: each needs observations for the check of its seeds, as did those that sampled the prior.
std::int64_t workers_within(const TaskFile& file, std::int64_t checks) {
  const std::int64_t most = checks / kCheckedObservations - kPriorWorkers;
  return std::clamp<std::int64_t>(Simulator(file).workers(), 1, most);
}

}  // namespace

fs::path pool_folder(const fs::path& run) {
  return run / kFolder;
}

SimulationFiles pool_files() {
  SimulationFiles files;
  files.files = {fmt::format("{}/{}*{}", kFolder, kPart, kPartEnd)};
  files.simulated = true;
  return files;
}

bool pool_complete(const fs::path& run) {
  std::error_code error;
  return fs::exists(pool_folder(run) / kComplete, error);
}

InvalidDraws pool_invalid(const fs::path& run, const TaskFile& file) {
  InvalidCount count;
  std::vector<std::string> names;
  for (const Target& target : file.info.targets) names.push_back(target.name);
  if (!file.simulator || !file.simulator->redraws) return {};
  for (std::int64_t kept = 0; fs::exists(part_file(run, kept));) {
    NpzReader part(part_file(run, kept));
    if (!part.shapes().contains(kPoolAttempts) || !part.shapes().contains(kPoolInvalid)) return {};
    const torch::Tensor theta = part.read("theta").to(torch::kFloat64).contiguous(),
                        attempts = part.read(kPoolAttempts).contiguous(),
                        invalid = part.read(kPoolInvalid).contiguous();
    const auto d = static_cast<std::size_t>(theta.size(1));
    for (std::int64_t k = 0; k < theta.size(0); ++k)
      count.add(theta.const_data_ptr<double>() + static_cast<std::size_t>(k) * d, d,
                attempts.const_data_ptr<std::int64_t>()[k], invalid.const_data_ptr<std::int64_t>()[k]);
    kept += theta.size(0);
  }
  return count.binned(names);
}

void mark_complete(const fs::path& run) {
  write_file(pool_folder(run) / kComplete, "All sets of the run's budget are here.\n");
}

std::vector<PooledSet> pooled_sets(const Task& task, const PoolLayout& layout, std::uint64_t seed) {
  std::array<std::vector<std::int64_t>, 3> wanted;  // sizes, per split
  std::int64_t left = 0;
  for (const PoolSize& size : layout.sizes)
    for (const Split split : kSplits) {
      auto& sizes = wanted[static_cast<std::size_t>(split)];
      const bool of_groups = split == Split::training && size.n == layout.repeated_n;
      const std::int64_t different =
          size.of(split) - (of_groups ? (PoolLayout::kRepeats - 1) * layout.groups : std::int64_t{0});
      sizes.insert(sizes.end(), static_cast<std::size_t>(different), size.n);
      left += different;
    }
  std::vector<PooledSet> out;
  std::array<std::size_t, 3> taken{};
  std::int64_t unwanted = 0, repeated = 0;
  for (std::int64_t first = 0; left > 0; first += kDrawnAtOnce) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(kDrawnAtOnce));
    for (std::int64_t k = 0; k < kDrawnAtOnce; ++k) indices[static_cast<std::size_t>(k)] = first + k;
    const Latents latents = task.latents(seed, Purpose::pretrain, indices);
    const auto d = static_cast<std::size_t>(latents.theta.size(1));
    for (std::int64_t k = 0; k < kDrawnAtOnce && left > 0; ++k) {
      const double* theta = latents.theta.const_data_ptr<double>() + static_cast<std::size_t>(k) * d;
      const auto split = static_cast<std::size_t>(split_of_content(content_hash({theta, d})));
      if (taken[split] == wanted[split].size()) {
        ++unwanted;
        continue;
      }
      out.push_back({first + k, wanted[split][taken[split]++]});
      if (static_cast<Split>(split) == Split::training && out.back().n == layout.repeated_n &&
          repeated++ < layout.groups)
        for (std::int64_t repeat = 1; repeat < PoolLayout::kRepeats; ++repeat)
          out.push_back({first + k, layout.repeated_n, repeat});
      --left;
      unwanted = 0;
    }
    PAIRS_CHECK(
        unwanted < kMostTries,
        "The prior draws too few different θ for training, validation and evaluations each to have some: sets of "
        "one θ stay together; train without a budget");
  }
  std::stable_sort(out.begin(), out.end(), [](const PooledSet& a, const PooledSet& b) { return a.n < b.n; });
  return out;
}

void simulate_pool(const TaskFile& file, const Task& task, const fs::path& run, const PoolLayout& layout,
                   std::uint64_t seed, std::int64_t budget, const Preparation& preparation) {
  const Interruptible within(preparation.stop);
  fs::create_directories(pool_folder(run));
  check_settings(run, seed, budget);
  const std::vector<PooledSet> sets = pooled_sets(task, layout, seed);
  const auto all = static_cast<std::int64_t>(sets.size());
  std::int64_t done = 0, observations = 0;
  const std::int64_t total = layout.observations(), kept = sets_kept(run);
  PAIRS_CHECK(kept <= all, "{} holds more sets than its budget makes; start the run anew",
              printable(pool_folder(run).string(), 300));
  PoolProgram program(file, task, sets, seed, workers_within(file, layout.checks));
  const auto report = [&] {
    if (preparation.progress) preparation.progress("simulations", observations, total);
  };
  for (; done < kept; ++done) observations += sets[static_cast<std::size_t>(done)].n;
  check_disk(run, task.info(), total - observations);
  if (kept > 0 && kept < all) check_same_program(program, run);
  report();
  UnsavedSets unsaved(run, kept);
  Stopwatch watch, since;
  std::int64_t at_once = kPoolBlock;  // observations per question
  try {
    while (done < all) {
      if (preparation.stop && preparation.stop()) throw Stopped();
      std::int64_t count = 0, asked = 0;
      while (done + count < all && asked < at_once) asked += sets[static_cast<std::size_t>(done + count++)].n;
      const Stopwatch question;
      PoolProgram::Sets answered = program.simulate(done, count);
      unsaved.add(std::move(answered.arrays));
      if (answered.failure) std::rethrow_exception(answered.failure);
      if (question.seconds() < kBatchSeconds / 2) at_once = std::min<std::int64_t>(2 * at_once, 1 << 16);
      done += count;
      observations += asked;
      if (unsaved.bytes() > kPartBytes || since.seconds() > std::max(kSavedEvery, kSavedShare * watch.seconds())) {
        unsaved.save();
        since.restart();
      }
      report();
    }
  } catch (...) {
    unsaved.save();
    throw;
  }
  unsaved.save();
}

}  // namespace pairs::own
