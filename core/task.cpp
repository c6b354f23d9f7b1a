#include "core/task.h"

#include <fmt/ranges.h>

#include <limits>

#include "core/base/text/error.h"

namespace pairs {

std::string quantity_title(const std::string& label, const std::string& meaning, const std::string& unit) {
  return label + (meaning.empty() ? "" : ", " + meaning) + (unit.empty() ? "" : " / " + unit);
}

std::string QuestionText::text(std::int64_t n, const std::string& count) const {
  if (n == 1) return one;
  std::string asked = many;
  if (const auto at = asked.find("{}"); at != std::string::npos) asked.replace(at, 2, count);
  return asked;
}

double TaskInfo::observation_numbers() const {
  double numbers = rows > 0 ? rows : 1;
  for (const std::int64_t n : observation_shape) numbers *= static_cast<double>(n);
  return numbers;
}

std::string TaskInfo::no_density() const {
  constexpr double kMostNumbers = 64;
  if (targets.empty()) return "its target is an image, and a likelihood needs parameters";
  if (rows > 0) return "its observations have different numbers of rows, for which it has no density";
  if (observation_shape.size() != 1) return "its observations are images, whose density it cannot learn";
  if (observation_numbers() > kMostNumbers)
    return fmt::format("its observations have {} numbers, and it learns the density of {} at most",
                       observation_numbers(), kMostNumbers);
  return "";
}

std::unique_ptr<ReferencePosterior> Task::reference(const std::string& name) const {
  const std::vector<std::string> known = references();
  if (known.empty()) fail("The task {} has no reference posterior, so \"{}\" cannot be computed", info().name, name);
  fail("The task {} has no reference called \"{}\"; choose one of: {}", info().name, name, fmt::join(known, ", "));
}

void Task::constrain(Latents&, Component) const {}

torch::Tensor Task::density(const Latents&, const Observations&) const {
  return {};
}

torch::Tensor Task::target_map(const torch::Tensor&) const {
  return {};
}

PoolDraws Task::pool_draws(const Latents&, std::uint64_t, Purpose, std::span<const SetRange>) const {
  return {};
}

Observations Task::pool_members(Purpose, std::int64_t, std::int64_t, const torch::Device&) const {
  fail("Observations of the task {} are no members of a pool", info().name);
}

double Task::exact_nll(std::int64_t) const {
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace pairs
