#include "core/base/error.h"

#include <c10/util/Exception.h>

#include <filesystem>
#include <new>

namespace pairs {

std::string sentence(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return "There is not enough memory for this; use smaller batches or fewer samples";
  if (const auto* files = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return fmt::format("{} cannot be used: {}; choose another path", files->path1().string(), files->code().message());
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
  const std::string line = text.substr(0, text.find('\n'));
  return dynamic_cast<const Error*>(&error) != nullptr ? text : "Unexpected failure: " + line;
}

}  // namespace pairs
