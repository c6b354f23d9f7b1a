#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pairs {

// How a panel or a command handles an error: failed exits 1, usage exits 2.
enum class ErrorKind { failed, usage };

// A setting's dotted key in a sentence, "pretrain.epochs"_key. An error collects its keys from these arguments.
struct SettingKey {
  std::string name;
};
inline SettingKey operator""_key(const char* name, std::size_t size) {
  return {std::string(name, size)};
}

// Where an error lies: a file (or what stands in for one, such as "setting 'seed=x'") and its line; 0: the whole file.
struct ErrorPlace {
  ErrorPlace() = default;
  explicit ErrorPlace(std::string where, std::integral auto number)
      : file(std::move(where)), line(static_cast<std::int64_t>(number)) {}
  explicit ErrorPlace(std::string where) : file(std::move(where)) {}
  std::string file;
  std::int64_t line = 0;
};

// The one exception of Pairs Studio. what() is one sentence: the place (first, if there is one), the problem, and the
// remedy.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text, ErrorKind kind = ErrorKind::failed, std::vector<std::string> keys = {},
                 ErrorPlace place = {});
  ErrorKind kind() const { return kind_; }
  const std::string& text() const { return text_; }               // the sentence without the place
  const ErrorPlace& place() const { return place_; }              // file is "" if there is none
  const std::vector<std::string>& keys() const { return keys_; }  // dotted keys of the settings that it is about
  bool is_about(const std::string& key) const;

 private:
  ErrorKind kind_;
  std::string text_;
  std::vector<std::string> keys_;
  ErrorPlace place_;
};

// The error with a prefix: "{before}: {its sentence}".
Error prefixed(const std::string& before, const Error& error);

// One readable line for any exception: LibTorch appends a stack to its messages, and running out of memory comes
// without a message.
std::string sentence(const std::exception& error);

// Thrown by a loop that saw its stop token; carries no message because the stop was requested.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

}  // namespace pairs

template <>
struct fmt::formatter<pairs::SettingKey> : fmt::formatter<std::string_view> {
  auto format(const pairs::SettingKey& key, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(key.name, context);
  }
};

namespace pairs {

namespace detail {

template <class Argument>
void add_key(std::vector<std::string>& keys, const Argument& argument) {
  if constexpr (std::is_same_v<Argument, SettingKey>) keys.push_back(argument.name);
}

template <class... Args>
Error error_of(ErrorKind kind, ErrorPlace place, fmt::format_string<Args...> text, Args&&... args) {
  std::vector<std::string> keys;
  (add_key(keys, args), ...);
  return Error(fmt::format(text, std::forward<Args>(args)...), kind, std::move(keys), std::move(place));
}

}  // namespace detail

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw detail::error_of(ErrorKind::failed, {}, text, std::forward<Args>(args)...);
}

template <class... Args>
[[noreturn]] void fail(ErrorPlace place, fmt::format_string<Args...> text, Args&&... args) {
  throw detail::error_of(ErrorKind::failed, std::move(place), text, std::forward<Args>(args)...);
}

// Reports a mistake in what the caller requested (an unknown option, a wrong value) rather than in what happened.
template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> text, Args&&... args) {
  throw detail::error_of(ErrorKind::usage, {}, text, std::forward<Args>(args)...);
}

template <class... Args>
[[noreturn]] void fail_usage(ErrorPlace place, fmt::format_string<Args...> text, Args&&... args) {
  throw detail::error_of(ErrorKind::usage, std::move(place), text, std::forward<Args>(args)...);
}

}  // namespace pairs

// Throws pairs::Error with the formatted sentence, after its place if one is given, unless `condition` holds.
#define PAIRS_CHECK(condition, ...) \
  do {                              \
    if (!(condition)) [[unlikely]]  \
      ::pairs::fail(__VA_ARGS__);   \
  } while (false)
