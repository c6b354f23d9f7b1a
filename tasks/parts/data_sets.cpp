#include "tasks/parts/data_sets.h"

#include <algorithm>
#include <map>

namespace pairs {

std::int64_t FoundData::missing() const {
  return std::count_if(files.begin(), files.end(), [](const File& file) { return file.at.empty(); });
}

std::vector<DataAccount::Reason> DataAccount::reasons() const {
  std::vector<Reason> out;
  std::map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < set_aside.size(); ++k) {
    const auto [place, fresh] = places.emplace(set_aside[k].reason, out.size());
    if (fresh) out.push_back({set_aside[k].reason, 0, k});
    ++out[place->second].number;
  }
  std::stable_sort(out.begin(), out.end(), [](const Reason& a, const Reason& b) { return a.number > b.number; });
  return out;
}

}  // namespace pairs
