#include "app/posterior/question/set_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "core/base/text/error.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

// Values that differ from the usual and are hard to write.
void vary(std::int64_t& value) {
  value = 1234567890123;
}
void vary(std::uint64_t& value) {
  value = 9007199254740991;
}
void vary(std::vector<double>& values) {
  values = {-1.0 / 3, 1e-300, 5};
}
void vary(std::filesystem::path& path) {
  path = "/data/ö \"two\" 'one'.csv";
}
void vary(std::optional<std::uint64_t>& value) {
  value = 0;
}
void vary(std::vector<std::string>& names) {
  names = {"U [mV]", "a,b", "say \"x\"", " blank ", "column 2", "-1"};
}
void vary(std::string& text) {
  text = "-5 = \"x\", 'y'; ψ\\";
}
void vary(Missing& missing) {
  missing = Missing::drop;
}
void vary(std::optional<render::Camera>& camera) {
  camera = render::Camera{-37.3 * (std::numbers::pi / 180), 12.7 * (std::numbers::pi / 180)};
}

SetChoice varied(const SetField& field) {
  SetChoice set;
  std::visit([&](auto member) { vary(set.*member); }, field.member);
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
  SetChoice own, simulated;
  for (const SetField& field : set_fields()) {
    if (field.own()) std::visit([&](auto member) { vary(own.*member); }, field.member);
    if (field.of(SetKind::simulated)) std::visit([&](auto member) { vary(simulated.*member); }, field.member);
  }
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
