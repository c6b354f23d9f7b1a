#pragma once

#include <string>
#include <vector>

namespace pairs::batch {

// The figures that `figure` draws, in the order of `figure list`.
std::vector<std::string> figure_names();

}  // namespace pairs::batch
