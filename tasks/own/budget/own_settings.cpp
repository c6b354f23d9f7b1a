#include "tasks/own/budget/own_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "core/simulation_budget.h"

namespace pairs::own {
namespace {

constexpr const char* kVariant = "simulations ";

}  // namespace

std::vector<Field> OwnSettings::fields() {
  return {Field{kSimulationsSetting, &simulations,
                "Observations that the simulator makes for all of a run, once; 0 = new ones at every step", 0,
                static_cast<double>(kMostSimulations)}
              .titled("Simulations")};
}

std::string budget_variant(std::int64_t simulations) {
  return fmt::format("{}{}", kVariant, simulations);
}

std::int64_t budget_of(const TaskInfo& task) {
  const std::string_view variant = task.variant, head = kVariant;
  std::int64_t simulations = 0;
  if (variant.starts_with(head))
    std::from_chars(variant.data() + head.size(), variant.data() + variant.size(), simulations);
  return simulations;
}

}  // namespace pairs::own
