#include "core/train/run/rank_monitor.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/train/run/run.h"

namespace pairs {
namespace {

// The files that ranks must see identically: each stage's files with their sizes, and the settings. The log and the
// lock belong to the first rank.
nlohmann::json seen_files(const std::filesystem::path& run) {
  nlohmann::json seen = nlohmann::json::object();
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || !entry.is_regular_file()) continue;
    const std::string kind = entry.path().extension().string();
    if (kind == ".safetensors" || kind == ".cache")
      seen[name] = std::filesystem::file_size(entry.path());
    else if (kind == ".toml")
      seen[name] = checksum(read_file(entry.path()));
  }
  return seen;
}

// A file that this rank and the first see differently; "" if there is none.
std::string unlike(const nlohmann::json& here, const nlohmann::json& first) {
  for (const auto& [name, state] : first.items())
    if (!here.contains(name) || here[name] != state) return name;
  for (const auto& [name, state] : here.items())
    if (!first.contains(name)) return name;
  return "";
}

}  // namespace

void in_turn(Monitor& monitor, const std::function<void()>& first, const std::function<void()>& rest) {
  Ranks* const ranks = monitor.ranks();
  if (writes_run(monitor)) first();
  if (ranks == nullptr) return;
  ranks->meet();
  if (!ranks->leads() && rest) rest();
}

void see_alike(const std::filesystem::path& run, Monitor& monitor) {
  Ranks* const ranks = monitor.ranks();
  if (ranks == nullptr) return;
  const std::vector<std::string> reported =
      ranks->gather_text(ranks->leads() ? seen_files(std::filesystem::absolute(run)).dump() : "");
  if (!ranks->leads()) {
    const nlohmann::json first = parse_json(reported[0]);
    const auto until = std::chrono::steady_clock::now() + ranks->disk_patience();
    for (;;) {
      std::error_code missing;
      const bool there = std::filesystem::is_directory(run, missing);
      const std::string name = there ? unlike(seen_files(run), first) : run.string();
      if (name.empty()) break;
      ranks->check();
      PAIRS_CHECK(std::chrono::steady_clock::now() < until,
                  "{} does not see {} of the run {} as {} does; all ranks need the run's folder on one shared disk",
                  ranks->name(ranks->rank()), name, run.string(), ranks->name(0));
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  ranks->meet();
}

std::vector<double> shared_values(Monitor& monitor, std::int64_t count,
                                  const std::function<double(std::int64_t)>& value) {
  Ranks* const ranks = monitor.ranks();
  const std::int64_t size = ranks ? ranks->size() : 1, own = ranks ? ranks->rank() : 0;
  const std::int64_t each = (count + size - 1) / size;
  torch::Tensor mine = at::zeros({each}, torch::kFloat64);
  for (std::int64_t k = 0; k < each && k * size + own < count; ++k) {
    if (monitor.should_stop()) throw Stopped();
    mine[k] = value(k * size + own);
  }
  torch::Tensor all = mine.view({1, each});
  if (ranks) {
    all = ranks->gather(mine, monitor.wants_stop());
    if (monitor.should_stop()) throw Stopped();
  }
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) values[static_cast<std::size_t>(k)] = all[k % size][k / size].item<double>();
  return values;
}

void check_alike(Monitor& monitor, const std::map<std::string, torch::Tensor>& tensors) {
  Ranks* const ranks = monitor.ranks();
  if (ranks == nullptr) return;
  std::uint32_t sum = 0;
  for (const auto& [name, tensor] : tensors) {
    const torch::Tensor bytes = tensor.detach().to(torch::kCPU).contiguous();
    sum = checksum({static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()}, sum);
  }
  const torch::Tensor all = ranks->gather(torch::tensor({static_cast<std::int64_t>(sum)}, torch::kInt64));
  for (int rank = 1; rank < ranks->size(); ++rank)
    PAIRS_CHECK(all[rank][0].item<std::int64_t>() == all[0][0].item<std::int64_t>(),
                "{} has other weights than {}: their machines compute differently; give the run machines of one kind, "
                "with the same program and as many threads a rank",
                ranks->name(rank), ranks->name(0));
}

}  // namespace pairs
