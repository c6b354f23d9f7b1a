// Settings that nothing reads, of every task, preset and strategy.
#include "core/train/settings/unread.h"

#include <gmock/gmock.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

// A legal value that differs from the field's; "" where none is known.
std::string other_value(const Field& field) {
  const std::string now = field_text(field);
  for (const std::string& choice : field.choices)
    if (now != '"' + choice + '"') return choice;
  if (std::holds_alternative<bool*>(field.slot)) return now == "true" ? "false" : "true";
  if (const auto* whole = std::get_if<std::int64_t*>(&field.slot)) {
    for (const std::int64_t value : {**whole + 2, **whole - 2})
      if (static_cast<double>(value) >= field.low && static_cast<double>(value) <= field.high)
        return std::to_string(value);
  }
  if (const auto* real = std::get_if<double*>(&field.slot)) {
    for (const double value : {**real * 0.5 + 0.01, **real + 1})
      if (value >= field.low && value <= field.high) return fmt::format("{}", value);
  }
  if (std::holds_alternative<std::vector<std::int64_t>*>(field.slot)) return now == "[2]" ? "[4]" : "[2]";
  return "";
}

std::string refusal(const TaskInfo& info, const std::string& preset, const std::string& strategy,
                    const std::string& assignment) {
  try {
    load_preset(built_in_tasks(), info, preset, strategy, {assignment});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Unread, SettingsAreRefusedOfEveryTaskPresetAndStrategy) {
  int refused = 0;
  for (const std::string& task : built_in_tasks()->names())
    for (const std::string& preset : preset_names())
      for (const Strategy& strategy : strategies()) {
        const TaskInfo info = built_in_tasks()->make(task)->info();
        if (info.image_target() && !strategy.head.empty()) continue;  // no regression of an image
        RunConfig config = load_preset(built_in_tasks(), info, preset, strategy.name, {});
        for (const Field& field : fields(config)) {
          const std::string why = unread_because(config, field.key), value = other_value(field);
          if (why.empty() || value.empty()) continue;
          // Without pretrain.sizes, end-to-end training takes the largest of cache.sizes.
          if (field.key == "cache.sizes" &&
              preset_values(built_in_tasks(), info, preset, strategy.name).pretrain.sizes.empty())
            continue;
          const std::string text = refusal(info, preset, strategy.name, field.key + "=" + value);
          EXPECT_THAT(text, HasSubstr("nothing reads " + field.key)) << task << preset << strategy.name;
          EXPECT_THAT(text, HasSubstr(why));
          ++refused;
        }
      }
  EXPECT_GT(refused, 1000);
}

TEST(Unread, SaysWhy) {
  const TaskInfo gaussian = built_in_tasks()->make("gaussian")->info();
  EXPECT_THAT(refusal(gaussian, "quick", "pairs", "embedder.cutoff=5"),
              HasSubstr("nothing reads embedder.cutoff, since embedder.kind is \"mlp\"; leave it out"));
  EXPECT_THAT(refusal(gaussian, "quick", "pairs", "head.quadrature=30"), HasSubstr("head.kind is \"spline\""));
  EXPECT_THAT(refusal(gaussian, "quick", "e2e", "finetune.rate=1e-3"), HasSubstr("e2e has no stages 2 and 3"));
  EXPECT_THAT(refusal(gaussian, "quick", "gaussian", "finetune.rate=1e-3"), HasSubstr("which trains nothing"));
  EXPECT_EQ(refusal(gaussian, "quick", "pairs", "finetune.rate=1e-3"), "");
}

// Once the kind is another, what it reads counts, in whatever order they are given.
TEST(Unread, FollowsTheKindThatIsChosen) {
  const TaskInfo info = built_in_tasks()->make("gaussian")->info();
  EXPECT_NO_THROW(load_preset(built_in_tasks(), info, "quick", "pairs", {"head.quadrature=30", "head.kind=umnn"}));
  EXPECT_NO_THROW(
      load_preset(built_in_tasks(), info, "quick", "gaussian", {"finetune.rate=1e-3", "finetune.regression=trained"}));
  EXPECT_NO_THROW(
      load_preset(built_in_tasks(), info, "quick", "gaussian", {"finetune.regression=umnn", "head.quadrature=30"}));
}

TEST(Unread, RunTomlHoldsOnlyWhatIsRead) {
  const TemporaryFolder folder;
  const auto file = folder / "run.toml";
  RunConfig config = load_preset(built_in_tasks(), built_in_tasks()->make("gaussian")->info(), "small", "pairs", {});
  const std::string text = write_run_toml(config, "cpu");
  std::int64_t lines = 0;  // a blank one stands before each table
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) lines += text[at] != '\n';
  EXPECT_LE(lines, 75) << text;
  EXPECT_EQ(text.find("cutoff"), text.npos);
  write_file(file, text);
  EXPECT_EQ(write_run_toml(read_run_toml(built_in_tasks(), file), "cpu"), text);
  std::string edited = text;
  edited.insert(edited.find("[embedder]\n") + 11, "cutoff = 5\n");
  write_file(file, edited);
  try {
    read_run_toml(built_in_tasks(), file);
    ADD_FAILURE() << "it was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("run.toml: nothing reads embedder.cutoff, since embedder.kind is \"mlp\""));
  }
}

void flatten(const toml::table& table, const std::string& prefix, std::vector<std::string>& keys) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const toml::table* inner = node.as_table())
      flatten(*inner, key + '.', keys);
    else
      keys.push_back(key);
  }
}

// A setting that several kinds have has one default, one range and the same choices, whichever kind is in use.
TEST(Unread, SettingsOfSeveralKindsAgree) {
  const auto check = [](const auto& kinds, auto config) {
    std::map<std::string, Field> known;
    int shared = 0;
    for (const auto& kind : kinds)
      for (const Field& field : kind.settings.fields(config)) {
        const auto [at, fresh] = known.emplace(field.key, field);
        if (fresh) continue;
        ++shared;
        EXPECT_EQ(field_text(at->second), field_text(field)) << kind.name << " " << field.key;
        EXPECT_EQ(at->second.low, field.low) << kind.name << " " << field.key;
        EXPECT_EQ(at->second.high, field.high) << kind.name << " " << field.key;
        EXPECT_EQ(at->second.choices, field.choices) << kind.name << " " << field.key;
      }
    return shared;
  };
  EXPECT_GT(check(embedder_kinds(), EmbedderConfig()), 3);
  EXPECT_GT(check(head_kinds(), HeadConfig()), 3);
}

// Some strategy reads each value that a preset sets for all strategies; a value for one strategy is read by that one.
TEST(Unread, PresetsSayNothingThatNobodyReads) {
  for (const std::string& task : built_in_tasks()->names())
    for (const std::string& preset : preset_names()) {
      const TaskInfo info = built_in_tasks()->make(task)->info();
      std::vector<std::string> keys;
      flatten(toml::parse(read_file(assets_folder() / "presets" / task / (preset + ".toml"))), "", keys);
      std::map<std::string, RunConfig> configs;
      for (const Strategy& strategy : strategies())
        if (!info.image_target() || strategy.head.empty())
          configs.emplace(strategy.name, load_preset(built_in_tasks(), info, preset, strategy.name, {}));
      for (const std::string& key : keys) {
        bool read = false;
        for (const auto& [name, config] : configs) {
          const bool own = key.starts_with(name + ".");
          const bool others = std::any_of(strategies().begin(), strategies().end(),
                                          [&](const Strategy& other) { return key.starts_with(other.name + "."); });
          if (others && !own) continue;
          read |= unread_because(config, own ? key.substr(name.size() + 1) : key).empty();
        }
        EXPECT_TRUE(read) << task << " " << preset << ": " << key;
      }
    }
}

}  // namespace
}  // namespace pairs
