// Errors of settings know which settings they are about: panels mark those fields.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/base/text/error.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

// Values that some check may refuse, alone or together with others.
std::vector<std::string> odd_values(const Field& field) {
  std::vector<std::string> values = field.choices;
  if (std::holds_alternative<std::vector<std::int64_t>*>(field.slot))
    return {"[]", "[2, 1]", "[1, 1]", "[1000000000]", "[3]", "[7, 9]"};
  if (std::holds_alternative<bool*>(field.slot)) return {"true", "false"};
  if (std::holds_alternative<std::string*>(field.slot)) {
    values.insert(values.end(), {"none", "x: 10 %", "no such"});
    return values;
  }
  return {"0", "-1", "1", "3", "1e9", "0.5", "1.5"};
}

TEST(RefusedSettings, KnowTheKeysThatTheirSentencesName) {
  std::set<std::string> sentences;
  for (const std::string& task : built_in_tasks()->names()) {
    const TaskInfo info = built_in_tasks()->make(task)->info();
    RunConfig config = load_preset(built_in_tasks(), info, "quick", "pairs", {});
    const std::vector<Field> all = fields(config);
    for (const Field& field : all)
      for (const std::string& value : odd_values(field)) {
        try {
          load_preset(built_in_tasks(), info, "quick", "pairs", {field.key + "=" + value});
        } catch (const Error& error) {
          if (!sentences.insert(error.text()).second || error.text().starts_with("nothing reads")) continue;
          for (const Field& other : all) {
            if (other.key.find('.') == std::string::npos) continue;  // a word of its own: "seed"
            const std::regex word("(^|[^a-z_.])" + std::regex_replace(other.key, std::regex("\\."), "\\.") +
                                  "([^a-z_]|$)");
            if (std::regex_search(error.text(), word)) {
              EXPECT_TRUE(error.is_about(other.key)) << task << ": " << error.what();
            }
          }
        }
      }
  }
  EXPECT_GT(sentences.size(), 150u);
}

}  // namespace
}  // namespace pairs
