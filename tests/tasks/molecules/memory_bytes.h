#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "tasks/molecules/formats/byte_source.h"

namespace pairs {

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : rest_(bytes) {}
  double share() const override { return rest_.empty() ? 1.0 : 0.0; }

 protected:
  std::string_view next() override { return std::exchange(rest_, {}); }

 private:
  std::string_view rest_;
};

// Bytes in memory, which must outlive it.
inline std::unique_ptr<ByteSource> memory_bytes(std::string_view bytes) {
  return std::make_unique<MemoryBytes>(bytes);
}

}  // namespace pairs
