#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// A folder chosen by the user, checked in the background before it is used.
class CheckedFolder {
 public:
  // Why a folder cannot be used: a sentence, thrown as an Error or returned; "" if it can.
  using Check = std::function<std::string(const std::filesystem::path& folder)>;

  explicit CheckedFolder(std::function<void()> wake) : found_(std::move(wake)) {}

  // "": no folder, which is always valid.
  void name(const std::filesystem::path& folder, Check check) {
    problem_.clear();
    found_.forget();
    found_.ask([folder, check = std::move(check)](const auto&) {
      if (!folder.empty())
        if (const std::string problem = check(folder); !problem.empty()) fail_usage("{}", problem);
      return std::make_shared<const std::filesystem::path>(folder);
    });
  }
  // Whether the check is running or its result has not been taken.
  bool busy() const { return found_.waits(); }
  // Whether a result can be taken.
  bool fresh() const { return found_.fresh(); }
  // Returns a valid folder once; it is to be used from now on.
  std::optional<std::filesystem::path> take() {
    const auto found = found_.take();
    if (!found) return std::nullopt;
    problem_ = found->failure;
    return found->value ? std::optional(*found->value) : std::nullopt;
  }
  // Why the last folder cannot be used, as a sentence; empty if it can.
  const std::string& problem() const { return problem_; }
  void forget_problem() { problem_.clear(); }

 private:
  std::string problem_;
  Latest<std::filesystem::path> found_;
};

}  // namespace pairs::model
