#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pairs {

// Shortens a run's name for limited room: "simulat…1530-pairs", keeping the part that distinguishes it from the names
// `others`. The whole name if it fits; as much of its end as fits if nothing distinguishes it.
std::string fitted_name(const std::string& name, const std::vector<std::string>& others,
                        const std::function<bool(const std::string&)>& fits);

}  // namespace pairs
