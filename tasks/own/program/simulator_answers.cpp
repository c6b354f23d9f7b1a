#include "tasks/own/program/simulator_answers.h"

namespace pairs::own {

std::size_t prior_numbers(const TaskFile& task) {
  return task.info.targets.size() + task.info.nuisances.size() + task.given_by_prior();
}

std::int64_t numbers_of(const TaskInfo& info) {
  std::int64_t numbers = 1;
  for (const std::int64_t n : info.observation_shape) numbers *= n;
  return numbers;
}

void check_prior(const TaskFile& task, const double* values, std::size_t rows, std::size_t draw,
                 std::uint64_t first_set) {
  const std::size_t d = task.info.targets.size(), p = task.info.nuisances.size();
  const auto check = [&](double value, const std::string& name, double low, double high, std::size_t row) {
    if (std::isfinite(value) && value >= low && value <= high) return;
    throw Fault{draw, std::isfinite(value)
                          ? fmt::format("prior drew {} = {} for set {}, outside of its support [{}, {}]", name, value,
                                        first_set + row, low, high)
                          : fmt::format("prior drew {} = {} for set {}", name, value, first_set + row)};
  };
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < d; ++k) {
      const Target& t = task.info.targets[k];
      check(values[row * d + k], t.name, t.low, t.high, row);
    }
    for (std::size_t k = 0; k < p; ++k)
      check(values[rows * d + row * p + k], task.info.nuisances[k].name, task.nuisance_low[k], task.nuisance_high[k],
            row);
    const std::size_t g = task.given_by_prior();
    for (std::size_t k = 0; k < g; ++k)
      check(values[rows * (d + p) + row * g + k], task.info.given[k].name, task.given_ranges[k].low,
            task.given_ranges[k].high, row);
  }
}

}  // namespace pairs::own
