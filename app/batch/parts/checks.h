#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tasks/catalog.h"

namespace pairs::batch {

// One self-check: the largest deviation found and the one allowed. A check that throws has failed.
struct Check {
  std::string name;
  double limit;
  std::function<double()> deviation;
  std::string skipped;  // why it cannot run here; empty when it can
};

// Random streams, file formats, operators and heads against float64 or closed forms, exact posteriors of known sets.
std::vector<Check> numeric_checks(const TaskCatalog& tasks);
// The operators on CUDA against the CPU; skipped with the reason where there is no usable device.
std::vector<Check> device_checks(const Catalog& tasks);

}  // namespace pairs::batch
