#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/latest.h"

namespace pairs::model {

// A folder that a person named, looked into in the background before it is used.
class CheckedFolder {
 public:
  // What keeps a folder from being used, a sentence, thrown as an Error or returned; "" for nothing.
  using Check = std::function<std::string(const std::filesystem::path& folder)>;

  explicit CheckedFolder(std::function<void()> wake) : found_(std::move(wake)) {}

  // "": none is wanted, which is always right.
  void name(const std::filesystem::path& folder, Check check) {
    problem_.clear();
    found_.forget();
    found_.ask([folder, check = std::move(check)](const auto&) {
      if (!folder.empty())
        if (const std::string problem = check(folder); !problem.empty()) fail_usage("{}", problem);
      return std::make_shared<const std::filesystem::path>(folder);
    });
  }
  // Being looked into, or not taken yet.
  bool busy() const { return found_.waits(); }
  // There is something to take.
  bool fresh() const { return found_.fresh(); }
  // Once, the folder that was found right: it is to be used from now on.
  std::optional<std::filesystem::path> take() {
    const auto found = found_.take();
    if (!found) return std::nullopt;
    problem_ = found->failure;
    return found->value ? std::optional(*found->value) : std::nullopt;
  }
  // Why the one that was taken last cannot be used, a sentence; empty when it can.
  const std::string& problem() const { return problem_; }
  void forget_problem() { problem_.clear(); }

 private:
  std::string problem_;
  Latest<std::filesystem::path> found_;
};

}  // namespace pairs::model
