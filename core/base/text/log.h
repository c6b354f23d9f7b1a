#pragma once

#include <spdlog/spdlog.h>

namespace pairs {

// Sends the default spdlog logger to stderr in the program's format. Level from PAIRS_LOG (debug, info, warn, error;
// info when unset); throws a usage Error on any other. Call once at the start of main.
void init_log();

}  // namespace pairs
