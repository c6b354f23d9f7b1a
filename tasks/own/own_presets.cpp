#include "tasks/own/own_presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/text/error.h"
#include "tasks/own/budget/own_settings.h"
#include "tasks/own/budget/pool_layout.h"
#include "tasks/own/file/x_kind.h"

namespace pairs::own {
namespace {

enum class Scale { quick, small, paper };

Scale scale_of(const std::string& preset) {
  if (preset == "quick") return Scale::quick;
  if (preset == "small") return Scale::small;
  PAIRS_CHECK(preset == "paper", "There is no preset \"{}\"", preset);
  return Scale::paper;
}

std::string list(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

bool in_a_box(const TaskInfo& task) {
  return std::all_of(task.targets.begin(), task.targets.end(),
                     [](const Target& t) { return std::isfinite(t.low) && std::isfinite(t.high); });
}

// The likelihood of one observation is learned where it is a point of not too many numbers.
// Observations that are seen many times need weight decay.
std::string likelihood_text(const TaskInfo& task, Scale scale, double weight_decay) {
  if (!task.no_density().empty()) return "";
  return fmt::format("\n[likelihood]\nenabled = true\nsteps = {}\n{}", scale == Scale::quick ? 8000 : 24000,
                     weight_decay > 0 ? fmt::format("weight_decay = {}\n", weight_decay) : "");
}

std::string head_text(const TaskInfo& task, int transforms, int bins, int hidden, int context_layers) {
  return fmt::format(
      "kind = \"spline\"\ntransforms = {}\nbins = {}\nhidden = {}\ncontext_layers = {}\nblocks = 1\nsupport = "
      "\"{}\"\naffine = true\n",
      transforms, bins, hidden, context_layers, in_a_box(task) ? "box" : "real");
}

std::string head(const TaskInfo& task, Scale scale) {
  return scale == Scale::quick ? head_text(task, 2, 16, 128, 2) : head_text(task, 3, 16, 256, 3);
}

// Sizes of the groups of cached sets: 100, 1,000, ... and the largest N.
std::vector<std::int64_t> cached_sizes(std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 100; n < most; n *= 10) sizes.push_back(n);
  sizes.push_back(most);
  // Groups of nearly the same size are merged.
  if (sizes.size() > 1 && sizes[sizes.size() - 2] * 2 > most) sizes.erase(sizes.end() - 2);
  return sizes;
}

std::vector<std::int64_t> evaluated_sizes(std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t decade = 1; decade < most; decade *= 10)
    for (const std::int64_t digit : {1, 2, 5})
      if (decade * digit < most) sizes.push_back(decade * digit);
  sizes.push_back(most);
  return sizes;
}

std::string unlimited_preset(const TaskInfo& task, Scale scale) {
  // An image or many rows cost more than a point, so there are fewer sets.
  const bool heavy = task.observation_numbers() > 64;
  const auto pick = [&](auto quick, auto small, auto paper) {
    return scale == Scale::quick ? quick : scale == Scale::small ? small : paper;
  };
  const std::int64_t batch = heavy ? pick(64, 128, 256) : pick(1024, 1024, 2048);
  const std::int64_t most_sets = heavy ? pick(std::int64_t{4000}, std::int64_t{20000}, std::int64_t{200000})
                                       : pick(std::int64_t{60000}, std::int64_t{150000}, std::int64_t{1000000});
  const std::vector<std::int64_t> sizes = cached_sizes(task.max_n);
  std::vector<std::int64_t> sets;
  for (const std::int64_t n : sizes)
    sets.push_back(std::max<std::int64_t>(
        pick(400, 1000, 10000), n <= 100 ? most_sets
                                         : static_cast<std::int64_t>(static_cast<double>(most_sets) *
                                                                     std::pow(static_cast<double>(n) / 100.0, -0.7))));
  const std::string text = fmt::format(
      "encoding = \"log\"\n\n[embedder]\n{}\n[head]\n{}\n"
      "[pretrain]\nsizes = [1, 2]\nepochs = {}\nsteps = {}\nbatch = {}\nrate = {}\nwarmup = 0.02\nclip = {}\n"
      "validation_sets = {}\nema = {}\n\n"
      "[e2e.pretrain]\nbatch = {}\nvalidation_sets = {}\n\n"
      "[cache]\nmode = \"blocks\"\nsizes = {}\nsets = {}\npieces = 8\ncopies = 2\noversample = {}\nrefresh = {}\n\n"
      "[finetune]\nheads = \"amortized\"\nsize_distribution = \"root-uniform\"\nstart = \"pretrained\"\nepochs = "
      "{}\nsteps = {}\n"
      "batch = {}\nrate = {}\nwarmup = 0.02\nema = {}\nvalidation_draws = {}\n\n"
      "[evaluate]\nsizes = {}\nsets = [{}]\nsamples = {}\n",
      x_kind(task).embedder(task, scale == Scale::quick ? EmbedderSize::quick : EmbedderSize::large), head(task, scale),
      pick(15, 48, 200), pick(200, 250, 1024), batch, pick(2e-3, 1e-3, 1e-3), heavy ? "1.0" : "0.0",
      heavy ? pick(1000, 4000, 20000) : pick(40000, 100000, 100000), pick("0.0", "0.999", "0.999"),
      std::clamp<std::int64_t>((heavy ? 1024 : 25600) / task.max_n, 8, batch), heavy ? 300 : 2000, list(sizes),
      list(sets), heavy ? 1.25 : 2.0, scale == Scale::paper ? 10 : 0, pick(60, 80, 200), pick(200, 250, 1024),
      pick(512, 1024, 1024), pick(2e-3, 2e-3, 1e-3), pick("0.0", "0.999", "0.999"), pick(16384, 65536, 65536),
      list(evaluated_sizes(task.max_n)), heavy ? pick(200, 500, 1000) : pick(2000, 10000, 10000), pick(299, 499, 499));
  return text + likelihood_text(task, scale, 0);
}

// Preset for a budget of simulations, whose sets are reused many times: smaller networks with weight decay, enough
// steps to show each set about two hundred times, and groups of cached sets for each size of the pool, so that size N
// is learned from all sets that hold at least N observations. N is log-uniform because the pool has many sets where N
// is small.
std::string budgeted_preset(const TaskInfo& task, Scale scale, std::int64_t simulations) {
  constexpr std::int64_t kBatch = 256, kEpochs = 20, kVisits = 220, kCopies = 4;
  const PoolLayout layout = pool_layout(simulations, task.max_n, task.no_density().empty());
  const std::int64_t training = layout.sets(Split::training);
  const auto pick = [&](auto quick, auto small, auto paper) {
    return scale == Scale::quick ? quick : scale == Scale::small ? small : paper;
  };
  const std::int64_t steps =
      std::clamp<std::int64_t>(kVisits * training / (kEpochs * kBatch), 25, pick(200, 1000, 5000));
  std::vector<std::int64_t> sizes, sets;
  for (const PoolSize& size : layout.sizes) {
    sizes.push_back(size.n);
    // Several visits of each set, with other observations of larger ones; validation is a fifth.
    std::int64_t held = 0;
    for (const PoolSize& other : layout.sizes) held += other.n >= size.n ? other.of(Split::training) : 0;
    sets.push_back(std::clamp<std::int64_t>(kCopies * held, 500, pick(20000, 100000, 500000)));
  }
  const std::string text = fmt::format(
      "encoding = \"log\"\n\n[embedder]\n{}\n[head]\n{}\n"
      "[pretrain]\nsizes = [1, 2]\nepochs = {}\nsteps = {}\nbatch = {}\nrate = 2e-3\nwarmup = 0.02\nclip = {}\n"
      "weight_decay = 0.1\nvalidation_sets = {}\nema = 0.98\n\n"
      "[e2e.pretrain]\nbatch = {}\n\n"
      "[cache]\nmode = \"blocks\"\nsizes = {}\nsets = {}\npieces = 8\ncopies = 2\noversample = 2.0\nrefresh = 0\n\n"
      "[finetune]\nheads = \"amortized\"\nsize_distribution = \"log-uniform\"\nstart = \"pretrained\"\nepochs = {}\n"
      "steps = {}\nbatch = {}\nrate = 5e-4\nwarmup = 0.02\nweight_decay = 0.1\nema = 0.98\nvalidation_draws = 8192\n\n"
      "[evaluate]\nsizes = {}\nsets = [2000]\nsamples = {}\n",
      x_kind(task).embedder(task, EmbedderSize::few_sets), head_text(task, task.targets.size() > 1 ? 2 : 1, 8, 64, 2),
      kEpochs, steps, kBatch, task.observation_numbers() > 64 ? "1.0" : "0.0",
      std::max<std::int64_t>(256, 2 * layout.sets(Split::validation)),
      std::clamp<std::int64_t>(25600 / task.max_n, 8, kBatch), list(sizes), list(sets), kEpochs, steps, kBatch,
      list(evaluated_sizes(task.max_n)), pick(299, 499, 499));
  return text + likelihood_text(task, scale, 0.1);
}

}  // namespace

std::string preset_text(const TaskInfo& task, const std::string& preset) {
  const Scale scale = scale_of(preset);
  const std::int64_t simulations = budget_of(task);
  return simulations > 0 ? budgeted_preset(task, scale, simulations) : unlimited_preset(task, scale);
}

}  // namespace pairs::own
