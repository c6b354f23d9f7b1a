#include "core/train/events/event_values.h"

#include <fmt/format.h>

#include "core/report/number_text.h"

namespace pairs {

double event_number(const Event& event, const char* key, double missing) {
  const auto value = event.values.find(key);
  return value != event.values.end() && value->is_number() ? value->get<double>() : missing;
}

std::int64_t event_count(const Event& event, const char* key) {
  const auto value = event.values.find(key);
  return value != event.values.end() && value->is_number_integer() ? value->get<std::int64_t>() : 0;
}

std::string event_text(const Event& event, const char* key) {
  const auto value = event.values.find(key);
  return value != event.values.end() && value->is_string() ? value->get<std::string>() : "";
}

std::vector<double> event_numbers(const Event& event, const char* key) {
  std::vector<double> out;
  const auto list = event.values.find(key);
  if (list == event.values.end() || !list->is_array()) return out;
  for (const nlohmann::json& one : *list) out.push_back(one.is_number() ? one.get<double>() : NAN);
  return out;
}

std::string prepared_text(const Event& event) {
  std::string made;
  for (const auto& [what, count] : event.values.items())
    if (count.is_number_integer())
      made += fmt::format("{}{} {}", made.empty() ? "" : ", ", count_text(count.get<std::int64_t>()), what);
  return fmt::format("prepared {} in {}", made, duration_text(event.seconds));
}

std::string taken_text(const Event& event) {
  const std::string from = event_text(event, "from");
  return event.stage == Stage::pretrain ? fmt::format("pretrain is that of {}", from)
                                        : fmt::format("pretrain and cache are those of {}", from);
}

bool begins_stage(const Event& event) {
  return event.type == EventType::resumed || event.type == EventType::stage_started;
}

}  // namespace pairs
