#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace pairs {

// What tells one process from all others, on whatever machine and whenever: {"host", "process", "started", "space"}, of
// which `space` is this start of the machine and the container in which processes have their numbers.
nlohmann::json process_identity();

// Whether an identity that was written down is that of a process of this machine, and that has ended. False for one of
// another machine, of which nothing is known.
bool has_ended(const nlohmann::json& identity);
// Whether it is of a process of this machine that has not ended.
bool is_alive(const nlohmann::json& identity);

}  // namespace pairs
