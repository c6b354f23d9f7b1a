#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tasks/own/program/simulator.h"

namespace pairs::own {

// A question to all workers together.
struct Simulator::Question {
  const char* kind;
  std::size_t draws;
  std::function<const Draw&(std::size_t draw)> draw;
  std::function<std::string(std::size_t first, std::size_t count)> payload;
  // Size of the answer; empty: the answer states it itself, limited to `observations` with many more rows than typical.
  std::function<std::int64_t(std::size_t first, std::size_t count)> bytes;
  bool either = false;  // an answer in float64 has twice as many bytes
  bool reference = false;
  std::size_t count = 0;  // that a request states instead of its draws; 0: it states the draws
  std::function<std::int64_t(std::size_t first, std::size_t count)> observations;
  std::function<void(std::size_t first, std::size_t count, std::string_view answer)> accept;  // throws Fault
  double answer_bytes;  // approximate size per observation or draw
  double* pace;
};

}  // namespace pairs::own
