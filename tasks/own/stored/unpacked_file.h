#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tasks/own/stored/stored_file.h"

namespace pairs {

using BytesTaker = std::function<void(std::string_view bytes)>;

// A file of `bytes` bytes that `fill` hands over one after the other. It lies in the folder of caches under no name, so
// that nothing is left of it when the last reader lets go of it, or is killed. `where` names what is unpacked. Throws
// Error where there is no room for it, or `fill` hands over another number of bytes.
std::shared_ptr<const StoredFile> unpacked_file(const std::string& where, std::uint64_t bytes,
                                                const std::function<void(const BytesTaker& take)>& fill);

}  // namespace pairs
