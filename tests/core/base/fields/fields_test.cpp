#include "core/base/fields/fields.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/base/files/files.h"
#include "core/base/numbers/random.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Settings {
  std::int64_t seed = 1;
  bool resume = false;
  double rate = 1e-3;
  std::string strategy = "pairs";
  std::vector<std::int64_t> sizes = {1, 2};
  std::vector<double> weights;
  std::int64_t width = 64;

  std::vector<Field> fields() {
    return {{"pretrain.rate", &rate, "learning rate", 0, 1},
            {"pretrain.sizes", &sizes, "set sizes", 1, 100000},
            {"seed", &seed, "seed"},
            {"strategy", &strategy, "which N", -1e300, 1e300, {"n1", "pairs", "gaussian"}},
            {"pretrain.resume", &resume, "go on"},
            {"head.width", &width, "units", 1, 4096},
            {"head.flow.weights", &weights, "weights", 0}};
  }
};

std::string toml_refusal(std::string_view text) {
  Settings settings;
  ErrorKind kind = ErrorKind::failed;
  const std::string message = message_of([&] { read_toml(text, settings.fields(), "preset"); }, &kind);
  EXPECT_EQ(kind, ErrorKind::usage) << message;
  return message;
}

std::string refused_setting(const std::string& assignment) {
  Settings settings;
  ErrorKind kind = ErrorKind::failed;
  const std::string message = message_of([&] { set_field(settings.fields(), assignment); }, &kind);
  EXPECT_EQ(kind, ErrorKind::usage) << message;
  return message;
}

TEST(ReadToml, ReadsEveryKind) {
  Settings settings;
  read_toml(
      "seed = -7\nstrategy = 'n1'\n[pretrain]\nrate = 1  # whole\nresume = true\nsizes = [3]\n"
      "[head]\nflow.weights = [1, 2.5]\n",
      settings.fields(), "preset");
  EXPECT_EQ(settings.seed, -7);
  EXPECT_EQ(settings.strategy, "n1");
  EXPECT_EQ(settings.rate, 1.0);
  EXPECT_TRUE(settings.resume);
  EXPECT_THAT(settings.sizes, ElementsAre(3));
  EXPECT_THAT(settings.weights, ElementsAre(1.0, 2.5));
  EXPECT_EQ(settings.width, 64);  // not named
}

TEST(ReadToml, UnknownKeysNameTheNearest) {
  EXPECT_THAT(toml_refusal("seed = 1\n\n[pretrain]\nrtae = 1\n"),
              AllOf(HasSubstr("preset, line 4"), HasSubstr("'pretrain.rtae'"), HasSubstr("'pretrain.rate'")));
  EXPECT_THAT(toml_refusal("rate = 1"), HasSubstr("did you mean 'pretrain.rate'"));  // its table was forgotten
  EXPECT_THAT(toml_refusal("[pretrian]\nrate = 1"), HasSubstr("did you mean 'pretrain.rate'"));
  EXPECT_THAT(toml_refusal("[finetune]"), HasSubstr("unknown key 'finetune'"));
  EXPECT_THAT(toml_refusal("quite_another_item = 1"), Not(HasSubstr("did you mean")));
  EXPECT_THAT(toml_refusal("[seed]\nx = 1"), HasSubstr("'seed' must be a whole number, not a table"));
  EXPECT_THAT(toml_refusal("strategy.x = 1"), HasSubstr("'strategy'"));
}

TEST(ReadToml, WrongTypesAndRanges) {
  EXPECT_THAT(toml_refusal("\nseed = 1.5"),
              AllOf(HasSubstr("preset, line 2"), HasSubstr("'seed' must be a whole number, not 1.5")));
  EXPECT_THAT(toml_refusal("seed = '1'"), HasSubstr("not the text '1'"));
  EXPECT_THAT(toml_refusal("pretrain.resume = 1"), HasSubstr("must be true or false"));
  EXPECT_THAT(toml_refusal("pretrain.rate = 2"), HasSubstr("must lie between 0 and 1, not 2"));
  EXPECT_THAT(toml_refusal("pretrain.rate = nan"), HasSubstr("must lie between 0 and 1, not nan"));
  EXPECT_THAT(toml_refusal("pretrain.sizes = [1, 0]"), HasSubstr("between 1 and 100000, not 0"));
  EXPECT_THAT(toml_refusal("pretrain.sizes = [1, 2.5]"), HasSubstr("list of whole numbers, but one element is 2.5"));
  EXPECT_THAT(toml_refusal("pretrain.sizes = 3"), HasSubstr("must be a list of whole numbers, not 3"));
  EXPECT_THAT(toml_refusal("head.flow.weights = [-1]"), HasSubstr("must be at least 0"));
  EXPECT_THAT(toml_refusal("head.flow.weights = [inf]"), HasSubstr("must be at least 0"));
  EXPECT_THAT(toml_refusal("strategy = 'pair'"),
              AllOf(HasSubstr("one of n1, pairs, gaussian"), HasSubstr("did you mean 'pairs'")));
  EXPECT_THAT(toml_refusal("seed = 2020-01-01"), HasSubstr("a date or time"));
  EXPECT_THAT(toml_refusal("seed = 99999999999999999999"), HasSubstr("line 1"));
}

TEST(ReadToml, SyntaxErrorsNameTheLine) {
  EXPECT_THAT(toml_refusal("seed = 1\nseed = 2\n"), HasSubstr("preset, line 2"));
  EXPECT_THAT(toml_refusal("seed = \n"), HasSubstr("preset, line 1"));
  EXPECT_THAT(toml_refusal("seed = 1\n[pretrain\n"), HasSubstr("preset, line 2"));
}

TEST(ReadToml, AnErrorChangesNothing) {
  Settings settings;
  EXPECT_THROW(read_toml("seed = 9\npretrain.rate = 0.25\nhead.width = 0\n", settings.fields(), "x"), Error);
  EXPECT_EQ(settings.seed, 1);
  EXPECT_EQ(settings.rate, 1e-3);
}

TEST(ReadToml, HostileTexts) {
  std::string deep = "a";
  for (int i = 0; i < 100000; ++i) deep += ".a";
  EXPECT_THAT(toml_refusal("# fine\n" + deep + " = 1"), AllOf(HasSubstr("line 2"), HasSubstr("too many dotted parts")));
  EXPECT_THAT(toml_refusal("[" + deep + "]"), HasSubstr("too many dotted parts"));
  std::string quoted = "'='";
  for (int i = 0; i < 50; ++i) quoted += ".\"=\\\"\"";
  EXPECT_THAT(toml_refusal(quoted + " = 1"), HasSubstr("too many dotted parts"));
  EXPECT_THAT(toml_refusal("seed = " + std::string(5000, '[')), HasSubstr("line 1"));
  EXPECT_THAT(toml_refusal(std::string(2 << 20, '\n')), HasSubstr("larger than 1.0 MiB"));
  EXPECT_THAT(toml_refusal("s\xc3\xa9 = 1"), HasSubstr("beyond ASCII"));
  EXPECT_THAT(toml_refusal("seed = 1e\"\"\"\xd0\x91\"\"\""), HasSubstr("middle of a value"));
  EXPECT_THAT(toml_refusal("strategy = \"\"\"\\ \n \xd0\x91\"\"\""), HasSubstr("backslash"));
  for (const std::string& header :
       {std::string("[\0train]", 8), std::string("seed = 1\n [[ ?a]]"), std::string("[=]"), std::string("[[\n")})
    EXPECT_THAT(toml_refusal(header), HasSubstr("name must begin with"));
  EXPECT_THAT(toml_refusal("train = { rate = 1, dn = { sizes = [  } }"), HasSubstr("closes nothing"));
  EXPECT_THAT(toml_refusal("seed = 0rub['\xc4\x8d"), HasSubstr("bracket stands in the middle"));
  EXPECT_THAT(toml_refusal("seed = 0.'\xc4\x8d"), HasSubstr("quote stands in the middle"));
  EXPECT_THAT(toml_refusal(std::string("seed = 1\0", 9)), HasSubstr("control character"));
}

TEST(ReadToml, TextsBeyondAsciiInStringsAndComments) {
  std::string name;
  const std::vector<Field> fields = {{"a.name", &name, ""}};
  read_toml("\xef\xbb\xbf# caf\xc3\xa9 .................\na.name = \"caf\xc3\xa9 \\\" # ...................\"\n",
            fields, "x");
  EXPECT_EQ(name, "caf\xc3\xa9 \" # ...................");
  read_toml("a.name = '''one\n\xef\xb8\x8f'two''''", fields, "x");
  EXPECT_EQ(name, "one\n\xef\xb8\x8f'two'");
}

TEST(ReadToml, ManyDecimalsOnOneLine) {
  Settings settings;
  std::string list = "head.flow.weights = [0.5";
  for (int i = 0; i < 500; ++i) list += ", 0.5";
  read_toml(list + "]", settings.fields(), "x");
  EXPECT_EQ(settings.weights.size(), 501u);
}

TEST(ReadToml, UnderATable) {
  Settings settings;
  read_toml("version = '1'\n[config]\nseed = 3\n[config.head]\nwidth = 5\n", settings.fields(), "run", "config");
  EXPECT_EQ(settings.seed, 3);
  EXPECT_EQ(settings.width, 5);
  EXPECT_THAT(message_of([&] { read_toml("seed = 1", settings.fields(), "run", "config"); }),
              HasSubstr("run has no table [config]"));
}

TEST(ReadTomlFile, NamesTheFile) {
  const TemporaryFolder folder;
  Settings settings;
  write_file(folder / "p.toml", "seed = 4");
  read_toml_file(folder / "p.toml", settings.fields());
  EXPECT_EQ(settings.seed, 4);
  write_file(folder / "p.toml", "sed = 4");
  EXPECT_THAT(message_of([&] { read_toml_file(folder / "p.toml", settings.fields()); }),
              AllOf(HasSubstr((folder / "p.toml").string()), HasSubstr("'seed'")));
}

TEST(SetField, TomlValuesAndShorthands) {
  Settings settings;
  const auto fields = settings.fields();
  set_field(fields, "seed=12");
  set_field(fields, " pretrain.rate = 2.5e-1 ");
  set_field(fields, "strategy=gaussian");
  set_field(fields, "pretrain.resume=true");
  set_field(fields, "pretrain.sizes=1,2, 10");
  set_field(fields, "head.flow.weights=[0.5, 1]");
  EXPECT_EQ(settings.seed, 12);
  EXPECT_EQ(settings.rate, 0.25);
  EXPECT_EQ(settings.strategy, "gaussian");
  EXPECT_TRUE(settings.resume);
  EXPECT_THAT(settings.sizes, ElementsAre(1, 2, 10));
  EXPECT_THAT(settings.weights, ElementsAre(0.5, 1.0));
  set_field(fields, "strategy='n1'");
  set_field(fields, "pretrain.sizes=5");
  EXPECT_EQ(settings.strategy, "n1");
  EXPECT_THAT(settings.sizes, ElementsAre(5));
}

TEST(SetField, Refusals) {
  EXPECT_THAT(refused_setting("seed"), HasSubstr("key=value"));
  EXPECT_THAT(refused_setting("=3"), HasSubstr("key=value"));
  EXPECT_THAT(refused_setting("sed=3"), HasSubstr("did you mean 'seed'"));
  EXPECT_THAT(refused_setting("seed=abc"), HasSubstr("cannot be read"));
  EXPECT_THAT(refused_setting("seed="), HasSubstr("cannot be read"));
  EXPECT_THAT(refused_setting("seed=1\nother=2"), HasSubstr("cannot be read"));
  EXPECT_THAT(refused_setting("head.width=0"), HasSubstr("between 1 and 4096"));
  EXPECT_THAT(refused_setting("strategy=piars"), HasSubstr("did you mean 'pairs'"));
}

TEST(WriteToml, RootKeysFirstThenTablesInOrder) {
  Settings settings;
  EXPECT_EQ(write_toml(settings.fields()),
            "seed = 1\nstrategy = \"pairs\"\n\n[pretrain]\nrate = 0.001\nsizes = [1, 2]\nresume = false\n\n"
            "[head]\nwidth = 64\n\n[head.flow]\nweights = []\n");
  Settings again;
  again.seed = 99;
  read_toml(write_toml(settings.fields(), "config"), again.fields(), "x", "config");
  EXPECT_EQ(again.seed, 1);
}

TEST(WriteToml, DoublesRoundTripExactly) {
  std::vector<double> values = {0.0,  -0.0, 1.0,          0.1, 1e300, 5e-324, -2.2250738585072014e-308,
                                1e15, 1e16, 123456789.125};
  Stream stream(stream_key(1, Purpose::check), 0);
  while (values.size() < 5000) {
    const double value = std::bit_cast<double>(stream.bits64());
    if (std::isfinite(value)) values.push_back(value);
  }
  std::vector<double> again;
  const double limit = std::numeric_limits<double>::max();
  read_toml(write_toml({{"a.values", &values, "", -limit, limit}}), {{"a.values", &again, "", -limit, limit}}, "x");
  ASSERT_EQ(again.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(values[i]), std::bit_cast<std::uint64_t>(again[i])) << values[i];
}

TEST(WriteToml, IntegersAndTextsRoundTrip) {
  std::int64_t low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max(), a = 0,
               b = 0;
  using namespace std::string_literals;
  std::string text = "\"quote\\ \n\t\x01\x7f \0 caf\xc3\xa9 '''"s, again;
  read_toml(write_toml({{"low", &low, ""}, {"high", &high, ""}, {"t.text", &text, ""}}),
            {{"low", &a, ""}, {"high", &b, ""}, {"t.text", &again, ""}}, "x");
  EXPECT_EQ(a, low);
  EXPECT_EQ(b, high);
  EXPECT_EQ(again, text);
  text = "bad \xff";
  EXPECT_THAT(message_of([&] { write_toml({{"text", &text, ""}}); }), HasSubstr("UTF-8"));
}

// "width" is read by two kinds, "depth" by the second alone.
TEST(AddKind, WhatKindsShareStandsOnceAndIsBoundToAll) {
  std::int64_t first = 1, second = 1, depth = 2;
  const auto bound = [&](bool second_in_use) {
    std::vector<Field> all;
    add_kind(all, "net", {{"width", &first, "Of the first", 1, 10}}, !second_in_use);
    add_kind(all, "net", {{"width", &second, "Of the second", 1, 20}, {"depth", &depth, "Layers", 1, 5}},
             second_in_use);
    return all;
  };
  std::vector<Field> all = bound(false);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].key, "net.width");
  EXPECT_EQ(all[0].help, "Of the first");
  set_field(all, "net.width=7");
  EXPECT_EQ(first, 7);
  EXPECT_EQ(second, 7);
  EXPECT_THROW(set_field(all, "net.width=15"), Error);
  all = bound(true);
  EXPECT_EQ(all[0].help, "Of the second");
  read_toml("[net]\nwidth = 15\ndepth = 3\n", all, "here");
  EXPECT_EQ(first, 15);
  EXPECT_EQ(second, 15);
  EXPECT_EQ(depth, 3);
  // What is written is what the kind in use has.
  second = 4;
  EXPECT_EQ(field_text(all[0]), "4");
}

TEST(Nearest, EditDistance) {
  EXPECT_EQ(nearest("gausian", {"pairs", "gaussian", "n1"}), "gaussian");
  EXPECT_EQ(nearest("pairs", {"pears", "pairs"}), "pairs");
  EXPECT_EQ(nearest("completely-different", {"pairs", "n1"}), "");
  EXPECT_EQ(nearest("xy", {"ab"}), "");
  EXPECT_EQ(nearest("", {"ab"}), "");
  EXPECT_EQ(nearest("a", {}), "");
}

TEST(Fields, FindsTheTextAtAKey) {
  EXPECT_EQ(find_toml_text("[task]\nname = 'b'\nsise = 3\n", "task.name", "x"), "b");
  EXPECT_EQ(find_toml_text("[task]\nname = 3\n", "task.name", "x"), "");
  EXPECT_EQ(find_toml_text("other = 3\n", "task.name", "x"), "");
  EXPECT_THROW(find_toml_text("task = 'a", "task", "x"), Error);
}

}  // namespace
}  // namespace pairs
