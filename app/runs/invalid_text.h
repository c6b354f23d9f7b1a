#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/text/table.h"
#include "core/base/files/files.h"
#include "core/base/text/json.h"
#include "core/invalid_draws.h"
#include "core/report/number_text.h"
#include "core/train/events/events.h"
#include "core/train/run/run.h"

namespace pairs {

// The counts of invalid observations during a run's training, as to_json(InvalidDraws); null if its simulator never
// redraws.
inline nlohmann::json invalid_of_run(const std::filesystem::path& run) {
  nlohmann::json found;
  std::error_code error;
  if (const std::filesystem::path record = run / "simulations" / kInvalidRecord; std::filesystem::exists(record, error))
    return parse_json(read_file(record));
  if (!std::filesystem::exists(run / run_file::events, error)) return found;
  for (const Event& event : read_events((run / run_file::events).string()))
    if (event.type == EventType::stage_done && event.values.contains("invalid")) found = event.values["invalid"];
  return found;
}

// The sentence and, if any were invalid, a table of their share by each target; "" for null.
inline std::string invalid_text(const nlohmann::json& draws) {
  if (!draws.is_object()) return "";
  const auto whole = [](const nlohmann::json& of, const char* key) { return of.value(key, std::int64_t{0}); };
  const std::int64_t attempts = whole(draws, "attempts"), invalid = whole(draws, "invalid");
  if (invalid == 0) return fmt::format("Invalid: none of {} simulated observations\n", count_text(attempts));
  std::string text = fmt::format("Invalid: {}.\n", invalid_sentence(attempts, invalid));
  Table table({{"target", false}, {"from"}, {"to"}, {"observations"}, {"invalid"}, {"share"}});
  for (const nlohmann::json& target : draws.value("targets", nlohmann::json::array()))
    for (const nlohmann::json& bin : target.value("bins", nlohmann::json::array())) {
      const auto validated = static_cast<double>(whole(bin, "attempts"));
      table.add({target.value("name", ""), number_text(bin.value("low", NAN), 3),
                 number_text(bin.value("high", NAN), 3), count_text(whole(bin, "attempts")),
                 count_text(whole(bin, "invalid")),
                 validated > 0 ? fmt::format("{:.2g} %", 100 * static_cast<double>(whole(bin, "invalid")) / validated)
                               : "–"});
    }
  return text + table.text(2);
}

}  // namespace pairs
