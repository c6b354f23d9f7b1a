#include "app/model/compare/group_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/runs/strategy_look.h"
#include "app/studies/study_runs.h"
#include "core/train/settings/unread.h"

namespace pairs::model {
namespace {

// Settings that every run reads and that differ, as "key=".
std::vector<std::string> differing(const std::vector<const RunRecord*>& runs, const std::string& except) {
  struct Seen {
    std::set<std::string> values;
    std::size_t runs = 0;
  };
  std::map<std::string, Seen> seen;
  std::size_t read = 0;
  // If the user has several runs, shipped ones are ignored.
  const auto own = std::count_if(runs.begin(), runs.end(), [](const RunRecord* run) { return !run->listed.shipped; });
  for (const RunRecord* run : runs) {
    if (!run->facts || run->facts->settings.empty() || (own > 1 && run->listed.shipped)) continue;
    ++read;
    for (const auto& [key, text] : run->facts->settings) {
      seen[key].values.insert(text);
      ++seen[key].runs;
    }
  }
  std::vector<std::string> keys;
  for (const auto& [key, one] : seen)
    if (decides_weights(key) && key != "strategy" && key != except && one.values.size() > 1 && one.runs == read)
      keys.push_back(key + "=");
  return keys;
}

std::string name_of(const RunRecord& run, const std::vector<std::string>& keys) {
  std::string name = strategy_title(run.listed.strategy);
  name = name.substr(0, name.find(" ("));  // the number of runs follows in brackets
  if (!run.facts) return name;
  for (const std::string& assigned : keys) {
    const std::string key = assigned.substr(0, assigned.size() - 1);
    if (const auto at = run.facts->settings.find(key);
        at != run.facts->settings.end() && !plain_text(at->second).empty())
      name += fmt::format(", {} {}", short_key(key, keys), plain_text(at->second));
  }
  return name;
}

}  // namespace

std::string plain_text(const std::string& toml) {
  const bool wrapped =
      toml.size() >= 2 && ((toml.front() == '"' && toml.back() == '"') || (toml.front() == '[' && toml.back() == ']'));
  return wrapped ? toml.substr(1, toml.size() - 2) : toml;
}

std::vector<std::string> group_names(const std::vector<const RunRecord*>& firsts, const std::string& except) {
  const std::vector<std::string> keys = differing(firsts, except);
  std::vector<std::string> plain, names;
  for (const RunRecord* run : firsts) plain.push_back(name_of(*run, keys));
  for (std::size_t i = 0; i < firsts.size(); ++i)
    names.push_back(std::count(plain.begin(), plain.end(), plain[i]) > 1
                        ? fmt::format("{} like {}", plain[i], firsts[i]->listed.name)
                        : plain[i]);
  return names;
}

}  // namespace pairs::model
