#include "core/train/settings/unread.h"

#include <algorithm>
#include <set>

namespace pairs {
namespace {

// Whether a setting affects only stage 3's own training, which a regression that stays as stage 1 left it does not
// have.
bool trains_stage_3(const std::string& key) {
  for (const char* name : {"epochs", "steps", "batch", "rate", "floor", "weight_decay", "warmup", "clip", "patience",
                           "ema", "heads", "start", "validation_draws"})
    if (key == std::string("finetune.") + name) return true;
  return false;
}

bool of_blocks(const std::string& key) {
  return key == "cache.oversample" || key == "cache.copies" || key == "cache.pieces";
}

}  // namespace

std::string unread_because(const RunConfig& c, const std::string& key) {
  if (key.starts_with("likelihood.") && key != "likelihood.enabled" && !c.likelihood.enabled)
    return "likelihood.enabled is false";
  if (key.starts_with("embedder.")) return unread_because(c.estimator.embedder, key);
  const auto& known = strategies();
  if (std::none_of(known.begin(), known.end(), [&](const Strategy& one) { return one.name == c.strategy; })) return "";
  const HeadConfig first = head_of_stage(c, false), last = head_of_stage(c, true);
  if (key.starts_with("head.")) {
    const std::string why = unread_because(first, key), later = unread_because(last, key);
    if (why.empty() || later.empty()) return "";
    return why == later ? why : why + ", and later " + later;
  }
  if (key == "restrict" && head_kind(last.kind).images) return "head.kind is \"" + last.kind + "\"";
  if (key == "restrict" && confines(last)) return "head.support is \"box\"";
  // End-to-end training without a size uses the largest of the cache's sizes.
  if (key == "cache.sizes" && c.pretrain.sizes.empty()) return "";
  if (key == "standardize" && keeps_regression(c)) return "finetune.regression is \"sigma\", which keeps aggregates";
  if ((key == "standardize" || key.starts_with("cache.") || key.starts_with("finetune.")) &&
      !strategy(c.strategy).stages_2_and_3)
    return "the strategy " + c.strategy + " has no stages 2 and 3";
  if (key == "finetune.regression" && !head_kind(first.kind).sees_log_n) return "head.kind is \"" + first.kind + "\"";
  if (key == "pretrain.validation_sets" && c.pretrain.sets > 0) return "pretrain.sets is not 0";
  if (key == "pretrain.validation_sets" && c.pretrain.budget > 0) return "pretrain.budget is not 0";
  if (trains_stage_3(key) && keeps_regression(c)) return "finetune.regression is \"sigma\", which trains nothing";
  if (of_blocks(key) && c.cache.mode == "fixed") return "cache.mode is \"fixed\"";
  if (key == "cache.copies" && c.finetune.size_distribution == "list") return "finetune.size_distribution is \"list\"";
  return "";
}

bool decides_weights(const std::string& key) {
  static const std::set<std::string> incidental = {"seed",       "device", "threads", "recorded_steps",
                                                   "checkpoint", "note",   "data"};
  return !incidental.contains(key) && !key.starts_with("evaluate.") && !key.starts_with("likelihood.");
}

std::vector<std::string> read_assignments(const RunConfig& config, const std::vector<std::string>& assignments) {
  RunConfig changed = config;
  for (const std::string& one : assignments) set_field(fields(changed), one);
  std::vector<std::string> read = assignments;
  std::erase_if(read, [&](const std::string& one) { return !unread_because(changed, assigned_key(one)).empty(); });
  return read;
}

std::vector<Field> read_fields(RunConfig& config) {
  std::vector<Field> all = fields(config);
  std::erase_if(all, [&](const Field& field) { return !unread_because(config, field.key).empty(); });
  return all;
}

}  // namespace pairs
