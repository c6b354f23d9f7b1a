#include "app/runs/run_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/runs/strategy_look.h"
#include "core/base/text/error.h"
#include "core/train/settings/unread.h"

namespace pairs {
namespace {

bool only_seeds_differ(const LabeledRun& a, const LabeledRun& b) {
  if (!a.config.ensemble.empty() || !b.config.ensemble.empty()) return false;
  if (a.finetuned != b.finetuned || a.config.seed == b.config.seed) return false;
  const std::vector<SettingRow> rows = setting_rows({a.config, b.config});
  return std::none_of(rows.begin(), rows.end(),
                      [](const SettingRow& row) { return row.differs && decides_weights(row.key); });
}

// The seeds of an ensemble's runs, "1, 2, 3".
std::string seeds_of(const RunConfig& config) {
  std::vector<std::int64_t> seeds;
  for (const EnsembleMember& one : config.ensemble) seeds.push_back(one.seed);
  return fmt::format("{}", fmt::join(seeds, ", "));
}

// The number of runs that each ensemble averages.
SettingRow ensemble_row(const std::vector<RunConfig>& configs) {
  SettingRow row{"ensemble.runs", {}, false};
  for (const RunConfig& config : configs) {
    row.values.push_back(config.ensemble.empty() ? "–" : std::to_string(config.ensemble.size()));
    row.differs |= row.values.back() != row.values.front();
  }
  return row;
}

}  // namespace

std::vector<SettingRow> setting_rows(std::vector<RunConfig> configs) {
  std::vector<std::vector<Field>> tables;
  for (RunConfig& config : configs) tables.push_back(fields(config));
  std::vector<SettingRow> rows;
  for (std::size_t i = 0; !tables.empty() && i < tables[0].size(); ++i) {
    SettingRow row{tables[0][i].key, {}, false};
    bool read = false;
    for (std::size_t r = 0; r < tables.size(); ++r) {
      const bool here = unread_because(configs[r], row.key).empty();
      row.values.push_back(!here                                               ? "–"
                           : row.key == "seed" && !configs[r].ensemble.empty() ? seeds_of(configs[r])
                                                                               : field_text(tables[r][i]));
      read |= here;
    }
    if (!read) continue;
    row.differs = std::any_of(row.values.begin(), row.values.end(), [&](const auto& v) { return v != row.values[0]; });
    rows.push_back(std::move(row));
  }
  rows.push_back(ensemble_row(configs));
  if (!rows.back().differs) rows.pop_back();
  std::stable_partition(rows.begin(), rows.end(), [](const SettingRow& row) { return row.differs; });
  return rows;
}

std::vector<std::string> seed_labels(const std::vector<LabeledRun>& runs) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& group) {
      return std::all_of(group.begin(), group.end(),
                         [&](std::size_t k) { return only_seeds_differ(runs[k], runs[i]); });
    });
    if (same == groups.end())
      groups.push_back({i});
    else
      same->push_back(i);
  }
  std::vector<std::string> labels(runs.size());
  for (const std::vector<std::size_t>& group : groups) {
    const LabeledRun& first = runs[group.front()];
    const auto alike = std::count_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& other) {
      return runs[other.front()].config.strategy == first.config.strategy;
    });
    std::string name = first.name;
    if (group.size() > 1) {
      name = strategy_title(first.config.strategy);
      name = name.substr(0, name.find(" ("));  // the number of seeds follows in brackets
      if (alike > 1) name += " like " + first.name;
    }
    // Folders of the same name may be in different places.
    const std::string plain = name;
    for (int copy = 2; std::find(labels.begin(), labels.end(), name) != labels.end(); ++copy)
      name = fmt::format("{} ({})", plain, copy);
    for (const std::size_t i : group) labels[i] = name;
  }
  return labels;
}

}  // namespace pairs
