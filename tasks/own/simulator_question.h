#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tasks/own/simulator.h"

namespace pairs::own {

// What is asked of all workers together.
struct Simulator::Question {
  const char* kind;
  std::size_t draws;
  std::function<const Draw&(std::size_t draw)> draw;
  std::function<std::string(std::size_t first, std::size_t count)> payload;
  // Bytes of the answer; none: it says so itself, up to those of `observations` with many more rows than are typical.
  std::function<std::int64_t(std::size_t first, std::size_t count)> bytes;
  bool either = false;  // an answer of float64 has twice as many
  bool reference = false;
  std::size_t count = 0;  // that a request tells in place of its draws; 0: it tells these
  std::function<std::int64_t(std::size_t first, std::size_t count)> observations;
  std::function<void(std::size_t first, std::size_t count, std::string_view answer)> accept;  // throws Fault
  double answer_bytes;  // of an observation or a draw, about
  double* pace;
};

}  // namespace pairs::own
