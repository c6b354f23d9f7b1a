#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace pairs {

// What the edge (a panel, a command) does with an error: failed exits 1, usage exits 2.
enum class ErrorKind { failed, usage };

// The one exception of Pairs Studio. Its message is one sentence: what is wrong, where, and what to do.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ErrorKind kind = ErrorKind::failed)
      : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// One line for people of any exception: LibTorch appends a stack to its messages, and running out of memory has no
// words.
std::string sentence(const std::exception& error);

// Thrown by a loop that saw its stop token; carries no message because a person asked for it.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(fmt::format(text, std::forward<Args>(args)...));
}

// A mistake in what the caller asked for (an unknown option, a wrong value) rather than in what happened.
template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(fmt::format(text, std::forward<Args>(args)...), ErrorKind::usage);
}

}  // namespace pairs

// Throws pairs::Error with the formatted sentence unless `condition` holds.
#define PAIRS_CHECK(condition, ...) \
  do {                              \
    if (!(condition)) [[unlikely]]  \
      ::pairs::fail(__VA_ARGS__);   \
  } while (false)
