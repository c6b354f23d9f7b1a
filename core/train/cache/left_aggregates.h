#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace pairs {

// Bytes of the aggregates that stage 2 left in a run's folder, 0 if there are none. Posteriors and evaluations do not
// need them; stage 3 is trained on them.
std::uint64_t aggregates_bytes(const std::filesystem::path& run);
// What resuming the run would do without its aggregates, a sentence without its full stop.
std::string without_aggregates(const std::filesystem::path& run);
// Removes the aggregates. Throws Error if another process holds the run.
void drop_aggregates(const std::filesystem::path& run);

}  // namespace pairs
