#pragma once

#include <string_view>

namespace pairs {

// LibTorch's arithmetic library ends a program that is started in a folder which no longer exists, before main and with
// a message about itself. All our programs check this first, and end with this sentence and exit code 2.
inline constexpr std::string_view kNoWorkingFolder =
    "pairs: the folder that this was started in no longer exists; change to another (cd) and start again\n";

}  // namespace pairs
