#include "app/runs/task_words.h"

#include <utility>

#include "tasks/registry.h"

namespace pairs {

std::string with_task_names(std::string text) {
  constexpr std::pair<const char*, TaskRole> roles[] = {{"{first}", TaskRole::first},
                                                        {"{exact}", TaskRole::exact},
                                                        {"{data}", TaskRole::data},
                                                        {"{views}", TaskRole::views}};
  for (const auto& [word, role] : roles)
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
      text.replace(at, std::string(word).size(), task_in_role(role));
  return text;
}

}  // namespace pairs
