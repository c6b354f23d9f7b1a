#pragma once

namespace pairs::batch {

// Parses the command line and runs the command: results go to stdout, everything else to stderr. Returns the exit code:
// 0 done, 1 failed, 2 wrong usage, 128 + signal when stopped. Never throws.
int run_program(int argc, const char* const* argv);

}  // namespace pairs::batch
