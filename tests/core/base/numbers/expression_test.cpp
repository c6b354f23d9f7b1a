#include "core/base/numbers/expression.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kNames = {"a", "b", "théta", "a-b", "max"};
const std::vector<double> kValues = {3, -0.5, 2, 100, 7};

double value_of(const std::string& text) {
  return Expression(text, kNames).value(kValues);
}

std::string refusal_of(const std::string& text) {
  try {
    Expression(text, kNames);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(Expression, IsWorkedOutAsMathematicsIsWritten) {
  const std::vector<std::pair<std::string, double>> all = {
      {"1", 1},
      {".5e1", 5},
      {"2 + 3*4", 14},
      {"(2 + 3)*4", 20},
      {"8/4/2", 1},
      {"2 - 3 - 4", -5},
      {"2^3^2", 512},
      {"-a^2", -9},
      {"(-a)^2", 9},
      {"2^-1", 0.5},
      {"--a", 3},
      {"-+-a", 3},
      {"3*-a", -9},
      {"a/b", -6},
      {" a\t* b ", -1.5},
      {"théta*a", 6},
      {"sqrt(a*a + 16)", 5},
      {"exp(log(a))", 3},
      {"abs(b)", 0.5},
      {"sin(b)^2 + cos(b)^2", 1},
      {"min(a, b) + max (a, b)", 2.5},
      {"min(1, max(2, 3))", 1},
      {"max", 7},
      {"max(max, 8)", 8},
      {"a-b", 100},  // a name of its own
      {"a - b", 3.5},
      {"a-bb", NAN},
      {"3a", NAN},
  };
  for (const auto& [text, expected] : all) {
    if (std::isnan(expected))
      EXPECT_NE(refusal_of(text), "") << text;
    else
      EXPECT_NEAR(value_of(text), expected, 1e-14 * std::abs(expected)) << text;
  }
}

TEST(Expression, WhatIsNotDefinedIsNoFiniteNumber) {
  for (const char* text : {"1/(a - 3)", "log(b)", "sqrt(b)", "b^0.5", "log(0)", "min(a, log(b))", "max(log(b), a)"})
    EXPECT_FALSE(std::isfinite(value_of(text))) << text;
}

TEST(Expression, NonsenseIsRefusedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"", "at character 1: it ends where a value belongs"},
      {"a +", "at character 4: it ends where a value belongs"},
      {"a b", "at character 3: an operator is missing"},
      {"3a", "at character 2: an operator is missing"},
      {"(a", "at character 1: this parenthesis is never closed"},
      {"a)", "at character 2: this parenthesis was never opened"},
      {"a ++* b", "at character 5: a value belongs here"},
      {"théta + teta", "at character 9: unknown name \"teta\"; available: a, b, théta, a-b, max"},
      {"tan(a)", "at character 1: there is no function \"tan\"; there are sqrt, exp"},
      {"sqrt", "at character 5: sqrt takes its argument in parentheses"},
      {"sqrt()", "at character 6: sqrt takes one value"},
      {"sqrt(a, b)", "at character 7: sqrt takes one value"},
      {"min(a)", "at character 6: min takes two values"},
      {"max(a, b, 1)", "at character 9: max takes two values"},
      {"sqrt(a", "at character 1: the parenthesis of sqrt is never closed"},
      {"1e999", "at character 1: this number is too large or too small"},
      {".", "at character 1: this is no number"},
      {"a = b", "at character 3: an operator is missing"},
      {"a; b", "at character 2: an operator is missing"},
      {std::string(2000, '1'), "it is longer than 1000 bytes"},
      {std::string(500, '(') + "a", "it is nested too deeply"},
      {std::string(500, '-') + "a", "it is nested too deeply"},
  };
  for (const auto& [text, sentence] : all) EXPECT_THAT(refusal_of(text), HasSubstr(sentence)) << text;
}

// Trees of random operations, written with all parentheses and blanks, have the value of the tree.
TEST(Expression, RandomTreesKeepTheirValues) {
  Stream stream(stream_key(3, Purpose::check), 1);
  struct Written {
    std::string text;
    double value;
  };
  const std::function<Written(int)> tree = [&](int depth) -> Written {
    const std::uint64_t pick = stream.below(depth <= 0 ? 2 : 9);
    if (pick == 0) {
      const double number = std::floor(stream.uniform64() * 1000) / 64;
      return {fmt::format("{}", number), number};
    }
    if (pick == 1) {
      const std::size_t k = stream.below(3);
      return {kNames[k], kValues[k]};
    }
    const Written x = tree(depth - 1);
    if (pick == 2) return {"abs(" + x.text + ")", std::abs(x.value)};
    if (pick == 3) return {"-(" + x.text + ")", -x.value};
    const Written y = tree(depth - 1);
    if (pick == 4) return {"(" + x.text + ") + (" + y.text + ")", x.value + y.value};
    if (pick == 5) return {"(" + x.text + ")-(" + y.text + ")", x.value - y.value};
    if (pick == 6) return {"(" + x.text + ")*(" + y.text + ")", x.value * y.value};
    if (pick == 7) return {"(" + x.text + ") / (" + y.text + ")", x.value / y.value};
    return {"max(" + x.text + ", " + y.text + ")",
            std::isnan(x.value) || std::isnan(y.value) ? NAN : std::max(x.value, y.value)};
  };
  int read = 0;
  for (int k = 0; k < 2000; ++k) {
    const Written one = tree(4);
    if (one.text.size() > 1000) continue;
    ++read;
    const double value = value_of(one.text);
    EXPECT_TRUE(value == one.value || (std::isnan(value) && std::isnan(one.value))) << one.text;
  }
  EXPECT_GT(read, 1500);
}

// Random pieces are read, or refused with a place within the text: nothing else happens.
TEST(Expression, RandomPiecesAreReadOrRefused) {
  const std::vector<std::string> pieces = {"a", "b",  "théta", "(",    ")",   ",", "+",   "-",    "*", "/", "^",
                                           "1", ".5", "1e",    "sqrt", "min", " ", "max", "\xff", "=", "e9"};
  Stream stream(stream_key(4, Purpose::check), 1);
  int read = 0, refused = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text;
    for (std::uint64_t n = stream.below(9); n > 0; --n) text += pieces[stream.below(pieces.size())];
    const std::string refusal = refusal_of(text);
    if (refusal.empty())
      ++read;
    else
      ++refused;
    if (!refusal.empty()) {
      EXPECT_THAT(refusal, HasSubstr("cannot be read at character")) << text;
    }
  }
  EXPECT_GT(read, 500);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace pairs
