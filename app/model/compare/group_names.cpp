#include "app/model/compare/group_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/runs/run_labels.h"
#include "app/runs/strategy_look.h"
#include "app/studies/study_runs.h"
#include "core/train/unread.h"
namespace pairs::model {
#include "core/train/unread.h"
namespace {
#include "core/train/unread.h"
// Settings that every run reads and that differ, as "key=".
#include "core/train/unread.h"
std::vector<std::string> differing(const std::vector<const RunRecord*>& runs, const std::string& except) {
#include "core/train/unread.h"
  struct Seen {
#include "core/train/unread.h"
    std::set<std::string> values;
#include "core/train/unread.h"
    std::size_t runs = 0;
#include "core/train/unread.h"
  };
#include "core/train/unread.h"
  std::map<std::string, Seen> seen;
#include "core/train/unread.h"
  std::size_t read = 0;
#include "core/train/unread.h"
  // Where a person has several, those that came with the program do not decide.
#include "core/train/unread.h"
  const auto own = std::count_if(runs.begin(), runs.end(), [](const RunRecord* run) { return !run->listed.shipped; });
#include "core/train/unread.h"
  for (const RunRecord* run : runs) {
#include "core/train/unread.h"
    if (!run->facts || run->facts->settings.empty() || (own > 1 && run->listed.shipped)) continue;
#include "core/train/unread.h"
    ++read;
#include "core/train/unread.h"
    for (const auto& [key, text] : run->facts->settings) {
#include "core/train/unread.h"
      seen[key].values.insert(text);
#include "core/train/unread.h"
      ++seen[key].runs;
#include "core/train/unread.h"
    }
#include "core/train/unread.h"
  }
#include "core/train/unread.h"
  std::vector<std::string> keys;
#include "core/train/unread.h"
  for (const auto& [key, one] : seen)
#include "core/train/unread.h"
    if (decides_weights(key) && key != "strategy" && key != except && one.values.size() > 1 && one.runs == read)
#include "core/train/unread.h"
      keys.push_back(key + "=");
#include "core/train/unread.h"
  return keys;
#include "core/train/unread.h"
}
#include "core/train/unread.h"
std::string name_of(const RunRecord& run, const std::vector<std::string>& keys) {
#include "core/train/unread.h"
  std::string name = strategy_title(run.listed.strategy);
#include "core/train/unread.h"
  name = name.substr(0, name.find(" ("));  // the number of runs follows in brackets
#include "core/train/unread.h"
  if (!run.facts) return name;
#include "core/train/unread.h"
  for (const std::string& assigned : keys) {
#include "core/train/unread.h"
    const std::string key = assigned.substr(0, assigned.size() - 1);
#include "core/train/unread.h"
    if (const auto at = run.facts->settings.find(key);
#include "core/train/unread.h"
        at != run.facts->settings.end() && !plain_text(at->second).empty())
#include "core/train/unread.h"
      name += fmt::format(", {} {}", short_key(key, keys), plain_text(at->second));
#include "core/train/unread.h"
  }
#include "core/train/unread.h"
  return name;
#include "core/train/unread.h"
}
#include "core/train/unread.h"
}  // namespace
#include "core/train/unread.h"
std::string plain_text(const std::string& toml) {
#include "core/train/unread.h"
  const bool wrapped =
#include "core/train/unread.h"
      toml.size() >= 2 && ((toml.front() == '"' && toml.back() == '"') || (toml.front() == '[' && toml.back() == ']'));
#include "core/train/unread.h"
  return wrapped ? toml.substr(1, toml.size() - 2) : toml;
#include "core/train/unread.h"
}
#include "core/train/unread.h"
std::vector<std::string> group_names(const std::vector<const RunRecord*>& firsts, const std::string& except) {
#include "core/train/unread.h"
  const std::vector<std::string> keys = differing(firsts, except);
#include "core/train/unread.h"
  std::vector<std::string> plain, names;
#include "core/train/unread.h"
  for (const RunRecord* run : firsts) plain.push_back(name_of(*run, keys));
#include "core/train/unread.h"
  for (std::size_t i = 0; i < firsts.size(); ++i)
#include "core/train/unread.h"
    names.push_back(std::count(plain.begin(), plain.end(), plain[i]) > 1
#include "core/train/unread.h"
                        ? fmt::format("{} like {}", plain[i], firsts[i]->listed.name)
#include "core/train/unread.h"
                        : plain[i]);
#include "core/train/unread.h"
  return names;
#include "core/train/unread.h"
}
#include "core/train/unread.h"
}  // namespace pairs::model
#include "core/train/unread.h"
