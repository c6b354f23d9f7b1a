#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/text/error.h"

namespace pairs {

// Runs a loader on the fuzzer's bytes. Any outcome but a value or pairs::Error is a finding.
template <class Loader>
int fuzz(const std::uint8_t* data, std::size_t size, Loader&& load) {
  try {
    load(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace pairs
