#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tasks/own/file/task_file.h"

// The content of a simulator's requests and answers, and checks of the answers.
namespace pairs::own {

// What is wrong with an answer, and with which draw of the request.
struct Fault {
  std::size_t draw;
  std::string cause;
};

// The bytes of numbers in memory.
template <class Number>
std::string bytes_of(const Number* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(Number)};
}

// The number of values per set from the prior, and per observation (per row if it is ragged rows).
std::size_t prior_numbers(const TaskFile& task);
std::int64_t numbers_of(const TaskInfo& info);

// Throws Fault if values of one draw from the prior, θ [rows, d], then ψ [rows, p], then conditions [rows, g], are not
// finite or outside their supports.
void check_prior(const TaskFile& task, const double* values, std::size_t rows, std::size_t draw,
                 std::uint64_t first_set);

// The invalid observations of one draw, ascending: those with a number that is not finite as float32. Observation k has
// lengths[k] numbers, or `each` if that is null. Throws Fault at the first one unless they are `kept`.
template <class Number>
std::vector<std::int64_t> invalid_observations(const Number* values, std::int64_t observations,
                                               const std::int64_t* lengths, std::int64_t each, std::size_t draw,
                                               bool kept) {
  std::vector<std::int64_t> out;
  for (std::int64_t k = 0; k < observations; ++k) {
    const std::int64_t count = lengths ? lengths[k] * each : each;
    std::int64_t at = 0;
    while (at < count && std::isfinite(static_cast<float>(values[at]))) ++at;
    if (at < count && !kept)
      throw Fault{draw, fmt::format("observation {} holds {}; where a simulator may fail now and then, invalid = "
                                    "\"redraw\" under [simulator] in task.toml draws such an observation again",
                                    k + 1, values[at])};
    if (at < count) out.push_back(k);
    values += count;
  }
  return out;
}

// Reads numbers of x from an answer, which holds them as float32 or, if `wide`, as float64.
template <class Number>
void take_numbers(std::string_view& answer, bool wide, std::int64_t count, Number* to) {
  const auto take = [&]<class Held>(Held) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(Held);
    if constexpr (std::is_same_v<Held, Number>) {
      std::memcpy(to, answer.data(), bytes);
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        Held value;
        std::memcpy(&value, answer.data() + static_cast<std::size_t>(i) * sizeof(Held), sizeof(Held));
        to[i] = static_cast<Number>(value);
      }
    }
    answer.remove_prefix(bytes);
  };
  if (wide)
    take(double{});
  else
    take(float{});
}

}  // namespace pairs::own
