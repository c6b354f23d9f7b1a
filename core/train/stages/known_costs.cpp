#include "core/train/stages/known_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "core/base/files/files.h"
#include "core/base/gpu/devices.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/train/settings/config.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kCostsVersion = 1, kServes = 90 * 86400;  // seconds
constexpr std::size_t kMostKept = 100;
constexpr std::uint64_t kLargest = 4 << 20;  // bytes

fs::path file_of_costs() {
  return caches_folder() / "costs.json";
}

double number_in(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_number() ? found->get<double>() : NAN;
}

}  // namespace

KnownCosts::KnownCosts() : machine_(numerics_fingerprint(torch::kCPU)) {
  try {
    document_ = parse_json(read_file(file_of_costs(), kLargest));
  } catch (const Error&) {
    document_ = nullptr;
  }
  const auto is_table = [&](const char* key) { return document_.contains(key) && document_[key].is_object(); };
  if (!document_.is_object() || document_.value("version", nlohmann::json()) != kCostsVersion || !is_table("costs") ||
      !is_table("probes"))
    document_ = {{"version", kCostsVersion}, {"costs", nlohmann::json::object()}, {"probes", nlohmann::json::object()}};
}

std::string KnownCosts::key_of(const RunConfig& config, const std::string& device) const {
  RunConfig copy = config;
  copy.note.clear();
  copy.seed = 1;
  // A custom task may depend on all files in the folder of its description.
  const std::string state = config.task_file.empty() ? "" : folder_state(fs::path(config.task_file).parent_path());
  const std::string text = fmt::format("{}\n{}\n{}\n{}", machine_, device, training_settings(copy), state);
  return fmt::format("{} {:08x}{:08x} {}", config.task, checksum(text), checksum("costs", checksum(text)), text.size());
}

// The key depends on the program alone, because its pace depends on no setting of the run.
std::string KnownCosts::program_key(const RunConfig& config) const {
  const std::string state = config.task_file.empty() ? "" : folder_state(fs::path(config.task_file).parent_path());
  const std::string text = fmt::format("{}\n{}", machine_, state);
  return fmt::format("{} {:08x}{:08x}", config.task, checksum(text), checksum("paces", checksum(text)));
}

std::optional<KnownCosts::Pace> KnownCosts::pace(const RunConfig& config) const {
  const auto paces = document_.find("paces");
  if (paces == document_.end() || !paces->is_object()) return {};
  const auto found = paces->find(program_key(config));
  if (found == paces->end() || !found->is_object()) return {};
  const double each = number_in(*found, "seconds_each"), by = number_in(*found, "measured_by"),
               when = number_in(*found, "measured");
  const auto now = static_cast<double>(std::time(nullptr));
  if (!(each > 0) || !std::isfinite(each) || !(by >= 1) || !(by < 1e9) || !(when <= now + 86400) ||
      !(now - when < static_cast<double>(kServes)))
    return {};
  return Pace{each, static_cast<std::int64_t>(by), static_cast<std::int64_t>(when)};
}

void KnownCosts::keep_pace(const RunConfig& config, const Pace& pace) {
  nlohmann::json& paces = document_["paces"];
  if (!paces.is_object() || paces.size() > kMostKept) paces = nlohmann::json::object();
  paces[program_key(config)] = {
      {"seconds_each", pace.seconds_each}, {"measured_by", pace.measured_by}, {"measured", pace.measured}};
  write();
}

std::optional<ExpectedCost> KnownCosts::find(const RunConfig& config, const std::string& device) const {
  const nlohmann::json& costs = document_["costs"];
  const auto found = costs.find(key_of(config, device));
  if (found == costs.end() || !found->is_object()) return {};
  ExpectedCost cost{};
  struct Number {
    const char* key;
    double ExpectedCost::*member;
  };
  for (const Number& one : {Number{"pretrain_seconds", &ExpectedCost::pretrain_seconds},
                            Number{"cache_seconds", &ExpectedCost::cache_seconds},
                            Number{"finetune_seconds", &ExpectedCost::finetune_seconds},
                            Number{"likelihood_seconds", &ExpectedCost::likelihood_seconds},
                            Number{"cache_bytes", &ExpectedCost::cache_bytes}, Number{"gflop", &ExpectedCost::gflop},
                            Number{"draw_seconds", &ExpectedCost::draw_seconds}, Number{"draws", &ExpectedCost::draws},
                            Number{"others", &ExpectedCost::others}, Number{"cores", &ExpectedCost::cores}}) {
    const double value = number_in(*found, one.key);
    if (!std::isfinite(value) || value < 0) return {};
    cost.*one.member = value;
  }
  const double when = number_in(*found, "measured");
  const auto now = static_cast<double>(std::time(nullptr));
  if (!(when <= now + 86400) || !(now - when < static_cast<double>(kServes))) return {};
  cost.measured = static_cast<std::int64_t>(when);
  return cost;
}

void KnownCosts::keep(const RunConfig& config, const std::string& device, const ExpectedCost& cost) {
  nlohmann::json& costs = document_["costs"];
  costs[key_of(config, device)] = {{"pretrain_seconds", cost.pretrain_seconds},
                                   {"cache_seconds", cost.cache_seconds},
                                   {"finetune_seconds", cost.finetune_seconds},
                                   {"likelihood_seconds", cost.likelihood_seconds},
                                   {"cache_bytes", cost.cache_bytes},
                                   {"gflop", cost.gflop},
                                   {"draw_seconds", cost.draw_seconds},
                                   {"draws", cost.draws},
                                   {"others", cost.others},
                                   {"cores", cost.cores},
                                   {"measured", cost.measured}};
  while (costs.size() > kMostKept) {
    auto oldest = costs.begin();
    for (auto at = costs.begin(); at != costs.end(); ++at)
      if (!(number_in(*at, "measured") >= number_in(*oldest, "measured"))) oldest = at;
    costs.erase(oldest);
  }
  write();
}

double KnownCosts::probe_seconds(int threads) const {
  const double known = number_in(document_["probes"], fmt::format("{} {}", machine_, threads).c_str());
  return known > 0 && std::isfinite(known) ? known : 0;
}

void KnownCosts::keep_probe(int threads, double seconds) {
  nlohmann::json& probes = document_["probes"];
  if (probes.size() > kMostKept) probes = nlohmann::json::object();
  const double known = probe_seconds(threads);
  if (seconds > 0 && (known == 0 || seconds < known)) probes[fmt::format("{} {}", machine_, threads)] = seconds;
}

void KnownCosts::write() const {
  try {
    const fs::path file = file_of_costs();
    fs::create_directories(file.parent_path());
    write_file(file, document_.dump(1) + "\n");
  } catch (const std::exception&) {
    // A lost measurement can be repeated.
  }
}

}  // namespace pairs
