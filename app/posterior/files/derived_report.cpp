#include "app/posterior/files/derived_report.h"

#include <fmt/format.h>

#include <cmath>

#include "app/kinds/target/parameters_room.h"
#include "core/eval/metrics/interval.h"

namespace pairs {
namespace {

// As for a target, without lists of length one.
nlohmann::json document_of(const DerivedNumbers& one, IntervalKind interval) {
  nlohmann::json out = {{"undefined", one.undefined}};
  if (!std::isfinite(one.numbers.mean)) return out;
  const nlohmann::json listed = numbers_document({one.numbers}, interval);
  for (const char* key : {"mean", "sd"}) out[key] = listed[key][0];
  for (const auto& [level, values] : listed["quantiles"].items()) out["quantiles"][level] = values[0];
  for (const auto& [level, ends] : listed["intervals"].items())
    out["intervals"][level] = level == "kind" ? ends : ends[0];
  return out;
}

}  // namespace

void report_derived(const std::vector<DerivedNumbers>& all, IntervalKind interval, nlohmann::json& document,
                    Table& table) {
  for (const DerivedNumbers& one : all) {
    const bool known = std::isfinite(one.numbers.mean);
    const auto cell = [&](double value) { return known ? fmt::format("{:.5g}", value) : "–"; };
    table.add({one.name, one.ours ? "ours" : one.source, cell(one.numbers.mean), cell(one.numbers.sd),
               cell(one.numbers.quantiles[2]), known ? most_text(one.numbers, interval) : "–"});
    nlohmann::json& said = document["derived"][one.name];
    nlohmann::json numbers = document_of(one, interval);
    if (!one.ours) {
      said[one.source] = std::move(numbers);
      continue;
    }
    said.update(numbers);
    said["expression"] = one.expression;
  }
}

}  // namespace pairs
