#include "core/base/text/error.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "core/base/text/text.h"

namespace pairs {

namespace {

// Extracts from a message of LibTorch's allocators how much memory was missing, as " for 12.0 GiB more at once"; empty
// for other messages.
std::string short_of_memory(const std::string& text) {
  const auto amount = [&](std::string_view before, std::string_view after) -> std::string {
    const std::size_t from = text.find(before);
    if (from == text.npos) return "";
    const std::size_t to = text.find(after, from + before.size());
    return to == text.npos ? "" : text.substr(from + before.size(), to - from - before.size());
  };
  if (text.find("DefaultCPUAllocator") != text.npos) {
    const std::string bytes = amount("you tried to allocate ", " bytes");
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), count);
    return error == std::errc() ? fmt::format(" for {} more at once", byte_text(count)) : " for more";
  }
  if (text.find("CUDA out of memory") != text.npos) {
    const std::string more = amount("Tried to allocate ", ". ");
    return " on the GPU" + (more.empty() ? "" : fmt::format(" for {} more at once", more));
  }
  return "";
}

std::string placed(const std::string& text, const ErrorPlace& place) {
  if (place.file.empty()) return text;
  return place.line > 0 ? fmt::format("{}, line {}: {}", place.file, place.line, text)
                        : fmt::format("{}: {}", place.file, text);
}

}  // namespace

Error::Error(const std::string& text, ErrorKind kind, std::vector<std::string> keys, ErrorPlace place)
    : std::runtime_error(placed(text, place)),
      kind_(kind),
      text_(text),
      keys_(std::move(keys)),
      place_(std::move(place)) {}

bool Error::is_about(const std::string& key) const {
  return std::find(keys_.begin(), keys_.end(), key) != keys_.end();
}

Error prefixed(const std::string& before, const Error& error) {
  return Error(fmt::format("{}: {}", before, error.what()), error.kind(), error.keys());
}

std::string sentence(const std::exception& error) {
  constexpr const char* less = "use smaller batches, smaller sets, fewer samples or a smaller network";
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return fmt::format("There is not enough memory; {}", less);
  if (const auto* files = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return fmt::format("{} cannot be used: {}; choose another path", files->path1().string(), files->code().message());
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
  if (const std::string device = short_of_memory(text); !device.empty())
    return fmt::format("There is not enough memory{}; {}", device, less);
  if (dynamic_cast<const c10::LinAlgError*>(&error) != nullptr)
    return "A matrix cannot be factorised: its entries are not finite or contradict each other, as those of weights "
           "that diverged; train again with a lower rate";
  const std::string line = text.substr(0, text.find('\n'));
  return dynamic_cast<const Error*>(&error) != nullptr ? text : "Unexpected failure: " + line;
}

}  // namespace pairs
