#include "app/posterior/question/set_arguments.h"

#include <fmt/format.h>

#include <string_view>

#include "app/posterior/question/set_fields.h"
#include "core/base/text/text.h"

namespace pairs {

std::string set_arguments(const SetChoice& set, SetCommand command) {
  const bool simulated = set.simulated();
  std::string words = simulated ? fmt::format(" --index {}", set.index) : "";
  for (const SetField& field : set_fields()) {
    const std::string_view option = field.option;
    const bool named = option == "index" || (option == "seed" && command == SetCommand::infer);
    if (named || !(simulated ? field.of(SetKind::simulated) : field.own())) continue;
    const auto value = field_words(field, set);
    if (!value) continue;
    // A list may begin with a negative number, and any text with a "-".
    const bool joined = std::string_view(field.type).find(',') != std::string_view::npos || value->starts_with('-');
    words += fmt::format(" --{}{}{}", option, joined ? "=" : " ", shell_word(*value));
  }
  return words;
}

}  // namespace pairs
