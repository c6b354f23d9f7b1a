#include "app/posterior/question/set_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/text/error.h"
#include "tests/app/posterior/question/varied_set.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

SetChoice varied(const SetField& field) {
  SetChoice set;
  vary_field(field, set);
  return set;
}

SetChoice from_toml(const std::string& text) {
  const toml::table table = parse_toml(text, "set.toml");
  const std::string where = "set.toml";
  TableReader reader(table, "set", where);
  const SetChoice set = read_set_toml(reader);
  reader.finish();
  return set;
}

TEST(SetFields, EachFieldSurvivesWordsAndToml) {
  std::set<std::string> keys, options;
  for (const SetField& field : set_fields()) {
    SCOPED_TRACE(field.key);
    EXPECT_TRUE(keys.insert(field.key).second);
    EXPECT_TRUE(options.insert(field.option).second);
    const SetChoice set = varied(field);
    EXPECT_FALSE(set == SetChoice()) << "the field counts where sets are compared";
    EXPECT_FALSE(field_words(field, SetChoice())) << "as usual";
    const auto words = field_words(field, set);
    ASSERT_TRUE(words);
    SetChoice read;
    read_field_words(field, *words, read);
    EXPECT_TRUE(read == set) << *words;
    EXPECT_TRUE(from_toml(set_toml(set)) == set) << set_toml(set);
  }
  EXPECT_TRUE(from_toml(set_toml(SetChoice())) == SetChoice());
}

TEST(SetFields, AllTogetherSurviveToml) {
  SetChoice own = varied_set(true), simulated = varied_set(false);
  EXPECT_TRUE(from_toml(set_toml(own)) == own);
  EXPECT_TRUE(from_toml(set_toml(simulated)) == simulated);
  own.theta = {1};
  EXPECT_THROW(from_toml(set_toml(own)), Error) << "a file has no θ set by hand";
}

TEST(SetFields, CamerasOfWholeDegreesAreTheSameToTheBit) {
  const SetField& field = set_field("camera");
  for (int azimuth = -360; azimuth <= 360; azimuth += 7)
    for (int elevation = -90; elevation <= 90; elevation += 9) {
      SetChoice set, again;
      read_field_words(field, fmt::format("{},{}", azimuth, elevation), set);
      read_field_words(field, *field_words(field, set), again);
      ASSERT_TRUE(set == again) << azimuth << " " << elevation;
    }
}

TEST(SetFields, WrongWordsNameTheOption) {
  const auto wrong = [](const char* option, const std::string& words) -> std::string {
    SetChoice set;
    try {
      read_field_words(set_field(option), words, set);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(wrong("index", "-1"), HasSubstr("--index -1 is not a whole number"));
  EXPECT_THAT(wrong("random", "1.5"), HasSubstr("--random"));
  EXPECT_THAT(wrong("theta", "1,x"), HasSubstr("--theta"));
  EXPECT_THAT(wrong("camera", "400,1"), HasSubstr("--camera 400,1 is not an azimuth"));
  EXPECT_THAT(wrong("missing", "guess"), HasSubstr("--missing is \"refuse\" or \"drop\""));
}

}  // namespace
}  // namespace pairs
