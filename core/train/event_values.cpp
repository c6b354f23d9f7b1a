#include "core/train/event_values.h"

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

bool begins_stage(const Event& event) {
  return event.type == "resumed" || event.type == "stage-started";
}

}  // namespace pairs
