#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pairs::gui {

// The row above a posterior: Play, N as a number and on a slider, a button for other data, Loop. Its widgets are
// "<name>/play", "/n-text", "/n", "/new" and "/loop".
class NRow {
 public:
  struct Shown {
    std::int64_t n = 1, most = 1;
    bool playing = false, loop = false;
    std::string_view other, other_tip;  // the button's label and tip
    std::string_view n_tip;
    std::string_view blocked;  // why N cannot be changed; "" if it can
    float room = 0;            // free space at the right end
  };
  struct Asked {
    std::optional<std::int64_t> n;
    std::optional<bool> loop;
    bool play = false, other = false;
    int steps = 0;  // steps to the next or previous round N
  };

  explicit NRow(std::string name) : name_(std::move(name)) {}
  Asked draw(const Shown& shown);

 private:
  std::string name_, typed_;  // N as it is being typed
  bool typing_ = false;
};

}  // namespace pairs::gui
