#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tasks/own/stored/stored_file.h"

namespace pairs {

using BytesTaker = std::function<void(std::string_view bytes)>;

// A file of `bytes` bytes that `fill` provides in order. It is an unnamed file in the folder of caches, so that nothing
// is left of it when the last reader releases it or is killed. `where` names the source in errors. Throws Error if
// there is no room for it, or if `fill` provides another number of bytes.
std::shared_ptr<const StoredFile> unpacked_file(const std::string& where, std::uint64_t bytes,
                                                const std::function<void(const BytesTaker& take)>& fill);

}  // namespace pairs
