// What a person asks survives as text: settings and sessions keep every field of it.
#include "app/posterior/question/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "app/posterior/question/set_fields.h"
#include "core/base/text/error.h"
#include "tests/app/posterior/question/varied_set.h"

namespace pairs {
namespace {

Question again(const Question& question) {
  std::ostringstream text;
  text << question_table(question);
  const std::string where = "text";
  const toml::table table = parse_toml(text.str(), where);
  TableReader reader(table, "", where);
  Question read = read_question(reader, where);
  reader.finish();
  return read;
}

std::string refusal(const std::string& text) {
  const std::string where = "mine.pairs";
  try {
    const toml::table table = parse_toml(text, where);
    TableReader reader(table, "", where);
    read_question(reader, where);
    reader.finish();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

constexpr const char* kWords[] = {"plain", "a \"quoted\" one", "two\nlines", "tab\tand \\ slash", "ψ = 2·θ", "'", "#"};

// One change to each field, with texts that TOML must quote.
std::vector<std::function<void(Question&)>> changes() {
  // A new field makes this fail to compile: add its change below.
  const Question all;
  [[maybe_unused]] const auto& [run, set, many, n, others, interval, product, source, derived, other_derived, prior,
                                tests, seed, predictive_seed, pinned] = all;
  std::vector<std::function<void(Question&)>> out = {
      [](Question& q) { q.n = 1; },
      [](Question& q) { q.n = 1'000'000; },
      [](Question& q) { q.interval = IntervalKind::highest_density; },
      [](Question& q) { q.interval = IntervalKind::upper_limit; },
      [](Question& q) { q.learned_product = true; },
      [](Question& q) { q.source = SourceWish::refined; },
      [](Question& q) { q.seed = 0; },
      [](Question& q) { q.predictive_seed = 17; },
      [](Question& q) {
        q.tests = {"local", "predictive", "observations", "confidence"};
      },
      [](Question& q) { q.many = true, q.set.file = "sets.csv", q.set.group = "run"; },
  };
  for (const std::string word : kWords) {
    out.push_back([word](Question& q) { q.others = {word, "bump-hunt"}; });
    out.push_back([word](Question& q) { q.derived = {"twice = 2*theta", word}; });
    out.push_back([word](Question& q) { q.run = word; });
    out.push_back([word](Question& q) { q.other_derived[{word, "psi"}] = {"twice = 2*psi", word}; });
    out.push_back([word](Question& q) { q.prior = word; });
    out.push_back([word](Question& q) { q.pinned = {{word, word, {.file = word}, 12, word, word}}; });
  }
  return out;
}

TEST(AQuestion, SurvivesAsTextWhateverItsFields) {
  EXPECT_EQ(again(Question()), Question());
  Question whole;
  for (const auto& change : changes()) {
    Question one;
    change(one);
    EXPECT_NE(one, Question());
    EXPECT_EQ(again(one), one) << question_table(one);
    change(whole);
  }
  EXPECT_EQ(again(whole), whole);
}

// Each field of a set, in the question and in a pin.
TEST(AQuestion, KeepsEachFieldOfItsSet) {
  int kept = 0;
  for (const SetField& field : set_fields()) {
    Question question;
    if (field.own()) question.set.file = "events.csv";
    vary_field(field, question.set);
    question.pinned = {{"pin", "bump-hunt", question.set, 3}};
    EXPECT_TRUE(field_words(field, question.set)) << field.option;
    EXPECT_EQ(again(question), question) << field.option;
    ++kept;
  }
  EXPECT_GE(kept, 15);
}

TEST(AQuestion, IsRefusedByNameOfTheKey) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal("interval = \"wide\"\n"), HasSubstr("'interval'"));
  EXPECT_THAT(refusal("predictive_seed = -1\n"), HasSubstr("'predictive_seed' must be a whole number from 0"));
  EXPECT_THAT(refusal("tests = [\"local\", \"lokal\"]\n"), HasSubstr("'tests' names 'lokal'; the tests are local,"));
  EXPECT_THAT(refusal("[set]\nmany = true\n"), HasSubstr("'set.file' is missing"));
  EXPECT_THAT(refusal("[set]\nfiel = \"a.csv\"\n"), HasSubstr("set.fiel"));
  EXPECT_THAT(refusal("[[other_derived]]\nquantities = [\"a = 1\"]\n"),
              HasSubstr("'other_derived.targets' names no target"));
  EXPECT_THAT(refusal("[[pinned]]\nn = 3\n"), HasSubstr("'pinned.run' is missing"));
  EXPECT_THAT(refusal("[[pinned]]\nrun = \"bump-hunt\"\nm = 3\n"), HasSubstr("pinned.m"));
}

TEST(AQuestion, NamesItsPathsAnew) {
  Question question;
  question.run = "r";
  question.others = {"a", "b"};
  question.set.file = "c";
  question.pinned = {{"pin", "d", {.file = "e"}, 1}};
  change_paths(
      question, [](const std::string& run) { return "run " + run; },
      [](const std::string& file) { return "file " + file; });
  EXPECT_EQ(question.run, "run r");
  EXPECT_EQ(question.others, (std::vector<std::string>{"run a", "run b"}));
  EXPECT_EQ(question.set.file, "file c");
  EXPECT_EQ(question.pinned[0].run, "run d");
  EXPECT_EQ(question.pinned[0].set.file, "file e");
}

TEST(AQuestion, IsUtf8WhereAllOfItIs) {
  const std::string bad = "caf\xe9.csv";
  for (const auto& change : std::vector<std::function<void(Question&)>>{
           [&](Question& q) { q.set.file = bad; }, [&](Question& q) { q.prior = bad; },
           [&](Question& q) { q.derived = {bad}; }, [&](Question& q) { q.other_derived[{"theta"}] = {bad}; },
           [&](Question& q) { q.others = {bad}; },
           [&](Question& q) {
             q.pinned = {{bad, "run", {}, 1}};
           },
           [&](Question& q) {
             q.pinned = {{"pin", "run", {.file = bad}, 1}};
           }}) {
    Question question;
    EXPECT_TRUE(is_utf8(question));
    change(question);
    EXPECT_FALSE(is_utf8(question));
  }
}

}  // namespace
}  // namespace pairs
