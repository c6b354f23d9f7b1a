#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace pairs {

// Identifies a process uniquely across machines and time: {"host", "process", "started", "space"}, where `space` names
// this boot of the machine and the container whose process numbers apply.
nlohmann::json process_identity();

// Whether a recorded identity is that of a process of this machine that has ended. False for another machine, whose
// processes are unknown.
bool has_ended(const nlohmann::json& identity);
// Whether a recorded identity is that of a process of this machine that has not ended.
bool is_alive(const nlohmann::json& identity);

}  // namespace pairs
