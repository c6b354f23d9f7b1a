#pragma once

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/parts/items.h"
#include "tests/core/train/toy_task.h"
#include "tests/tasks/in_place_of.h"

namespace pairs {

inline constexpr std::int64_t kPebbles = 60;  // the largest set

// The toy task that makes sets of things as well: "pebble:1.5", "[1.5]", or a file FILE.pebble with the number, whose
// observations are N(number, 1). Numbers above 3 come with a warning, and θ of those below 0 is another
// quantity.
class PebbleTask : public ToyTask, public Items {
 public:
  explicit PebbleTask(bool with_parts = true) : ToyTask("gaussian"), own_(ToyTask::info()), with_parts_(with_parts) {
    own_.max_n = kPebbles;
  }
  const TaskInfo& info() const override { return own_; }

  std::string item() const override { return "pebble"; }
  std::string item_help() const override { return "pebble:NUMBER, or a file of one (.pebble)"; }
  bool is_item(const std::string& text) const override {
    return text.starts_with("pebble:") || text.starts_with('[') || is_file(text);
  }
  std::vector<std::string> ups() const override { return {"z", "y"}; }
  ItemSet read_item(const std::string& text, std::int64_t n, std::uint64_t seed,
                    const std::string& up = "") const override {
    const std::string number = is_file(text)           ? bytes_of(text)
                               : text.starts_with('[') ? text.substr(1, text.find(']') - 1)
                                                       : text.substr(7);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size())
      fail("{} is no pebble: write pebble:1.5", printable(text, 100));
    if (n == 0) n = own_.max_n;
    ItemSet out;
    out.title = is_file(text) ? std::filesystem::path(text).filename().string() : fmt::format("pebble {:g}", value);
    out.latents.theta = torch::full({1, 1}, value, torch::kFloat64);
    out.latents.psi = torch::zeros({1, 1}, torch::kFloat64);
    const SetRange range[] = {{0, 0, n}};
    out.x = observe(out.latents, seed, Purpose::explore, range, torch::kCPU);
    if (value > 3) out.warnings.push_back(fmt::format("{} is a heavy one", out.title));
    out.kind = value > 3 ? "large pebble" : "small pebble";
    if (value >= 100) out.parts = {{static_cast<std::uint64_t>(value), 3, fmt::format("a mark {:g}", value)}};
    if (value < 0) out.other = {"weight of its hole"};
    out.read_as = fmt::format("{} is read as {}-up", out.title, up.empty() ? "z" : up);
    return out;
  }

  // Hands on 20 pebbles of stage 1, of which two have the mark 150, and 50 held-out ones, of which one has it. All
  // others have the mark 100.
  void training_parts(const std::function<bool(std::vector<ItemPart>&&, bool)>& next) const override {
    for (std::uint64_t k = 0; k < (with_parts_ ? 70 : 0); ++k)
      next({{k == 3 || k == 4 || k == 21 ? 150u : 100u, 3}}, k >= 20);
  }

 private:
  static bool is_file(const std::string& text) { return std::filesystem::path(text).extension() == ".pebble"; }
  static std::string bytes_of(const std::string& file) { return read_file(file); }

  TaskInfo own_;
  bool with_parts_;
};

// In the place of the task "gaussian".
inline Catalog pebbles(bool with_parts = true) {
  return in_place_of("gaussian", [with_parts](const TaskOptions&) { return std::make_shared<PebbleTask>(with_parts); });
}

}  // namespace pairs
