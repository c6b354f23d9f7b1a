#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pairs {

// A run's name where there is no room for all of it: "simulat…1530-pairs", cut where what tells it from the names
// `others` stays. The whole name when it fits; as much as fits of its end when nothing tells it apart.
std::string fitted_name(const std::string& name, const std::vector<std::string>& others,
                        const std::function<bool(const std::string&)>& fits);

}  // namespace pairs
