#include "core/base/text/json.h"

namespace pairs {
namespace {
constexpr int kMostLevels = 64;
}

nlohmann::json parse_json(std::string_view text) {
  bool deep = false;
  const nlohmann::json::parser_callback_t shallow = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    deep |= depth > kMostLevels;
    return !deep;
  };
  nlohmann::json value = nlohmann::json::parse(text, shallow, false);
  return deep ? nlohmann::json(nlohmann::json::value_t::discarded) : value;
}

}  // namespace pairs
