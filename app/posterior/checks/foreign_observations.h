#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "app/posterior/caveats/verdict.h"
#include "core/likelihood/single_observations.h"
#include "core/report/figure.h"

namespace pairs {

// The verdict with the test of single observations: it rejects the model from a p-value of 0.01 on.
ModelVerdict foreign_verdict(ModelVerdict other, const SingleObservations& found);

// "5 of 300 observations are foreign to the model: number 13 (y = 6.2, p = 3e-05), …". `x`: the observations.
std::string foreign_text(const SingleObservations& found, const TaskInfo& info, const Observations& x);

// Marks the foreign ones in a picture of the first observations (ObservedSet::picture), and adds their number to its
// title.
void mark_foreign(const SingleObservations& found, Figure& picture);

// {"count", "foreign": numbers from 1, "p", "simulated", "without": {"mean", "sd"} or "not_without", "text"}
nlohmann::json foreign_document(const SingleObservations& found, const TaskInfo& info, const Observations& x);

// Writes a row for each observation: its number from 1, the columns of x, log_density, p,
// influence, pareto_k, foreign. Cells of numbers that are not finite are empty.
void write_foreign(const std::filesystem::path& file, const SingleObservations& found, const TaskInfo& info,
                   const Observations& x);

}  // namespace pairs
