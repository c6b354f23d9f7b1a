#include "core/base/numbers/expression.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

using Act = Expression::Act;
using Step = Expression::Step;

constexpr std::size_t kLongest = 1000;  // bytes in a text
constexpr int kDeepest = 100;           // nesting of parentheses, signs and powers

struct Function {
  std::string_view name;
  Act act;
  int arguments;
};
constexpr Function kFunctions[] = {{"sqrt", Act::root, 1}, {"exp", Act::exp, 1}, {"log", Act::log, 1},
                                   {"abs", Act::abs, 1},   {"sin", Act::sin, 1}, {"cos", Act::cos, 1},
                                   {"min", Act::min, 2},   {"max", Act::max, 2}};

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool digit(char c) {
  return c >= '0' && c <= '9';
}

class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& names) : text_(text), names_(names) {}

  std::vector<Step> all() {
    if (text_.size() > kLongest) refuse(0, fmt::format("it is longer than {} bytes", kLongest));
    sum(0);
    if (at_ < text_.size()) refuse(at_, next() == ')' ? "this parenthesis was never opened" : "an operator is missing");
    return std::move(steps_);
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& why) const {
    const auto characters = std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at),
                                          [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    fail_usage("\"{}\" cannot be read at character {}: {}", printable(text_, 200), characters + 1, why);
  }

  // The next character that is not blank, '\0' at the end; at_ moves to it.
  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void push(Act act) { steps_.push_back({act}); }

  void deeper(int depth) const {
    if (depth > kDeepest) refuse(at_, "it is nested too deeply");
  }

  void sum(int depth) {
    product(depth);
    for (;;)
      if (take('+')) {
        product(depth);
        push(Act::add);
      } else if (take('-')) {
        product(depth);
        push(Act::subtract);
      } else {
        return;
      }
  }

  void product(int depth) {
    signed_power(depth);
    for (;;)
      if (take('*')) {
        signed_power(depth);
        push(Act::multiply);
      } else if (take('/')) {
        signed_power(depth);
        push(Act::divide);
      } else {
        return;
      }
  }

  // A sign applies to the whole power after it: -x^2 is -(x^2).
  void signed_power(int depth) {
    deeper(depth);
    if (take('+')) return signed_power(depth + 1);
    if (take('-')) {
      signed_power(depth + 1);
      return push(Act::negate);
    }
    single(depth);
    if (take('^')) {
      signed_power(depth + 1);
      push(Act::power);
    }
  }

  void single(int depth) {
    deeper(depth);
    const char c = next();
    if (take('(')) {
      const std::size_t opened = at_ - 1;
      sum(depth + 1);
      if (!take(')')) refuse(opened, "this parenthesis is never closed");
    } else if (digit(c) || c == '.') {
      number();
    } else if (begins_word(c)) {
      word(depth);
    } else if (at_ == text_.size()) {
      refuse(at_, "it ends where a value belongs");
    } else {
      refuse(at_, "a value belongs here: a number, a name or a parenthesis");
    }
  }

  void number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (code == std::errc::result_out_of_range) refuse(at_, "this number is too large or too small");
    if (code != std::errc()) refuse(at_, "this is no number");
    steps_.push_back({Act::number, value});
    at_ += static_cast<std::size_t>(end - begin);
  }

  bool within_word(std::size_t at) const { return at < text_.size() && (begins_word(text_[at]) || digit(text_[at])); }

  // Returns the index of the longest name that begins here and ends where a word ends, or names_.size() if there is
  // none. Names may contain hyphens: "a-b" is read as one name if that name exists, else as the difference of a and b.
  std::size_t name_here() const {
    std::size_t found = names_.size();
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (text_.substr(at_).starts_with(names_[k]) && !within_word(at_ + names_[k].size()) &&
          (found == names_.size() || names_[k].size() > names_[found].size()))
        found = k;
    return found;
  }

  void word(int depth) {
    const std::size_t begin = at_, known = name_here();
    while (within_word(at_)) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (next() == '(') return call(word, begin, depth);
    if (known < names_.size()) {
      at_ = begin + names_[known].size();
      return steps_.push_back({Act::name, 0, known});
    }
    const bool function =
        std::any_of(std::begin(kFunctions), std::end(kFunctions), [&](const Function& f) { return f.name == word; });
    if (function) refuse(at_, fmt::format("{} takes its argument in parentheses", word));
    refuse(begin, fmt::format("unknown name \"{}\"; available: {}", printable(word, 60), fmt::join(names_, ", ")));
  }

  void call(const std::string& word, std::size_t begin, int depth) {
    const auto* const known =
        std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const Function& f) { return f.name == word; });
    if (known == std::end(kFunctions))
      refuse(begin, fmt::format("there is no function \"{}\"; there are sqrt, exp, log, abs, sin, cos, min and max",
                                printable(word, 60)));
    const auto wrong = [&] {
      refuse(at_, fmt::format("{} takes {}", word, known->arguments == 1 ? "one value" : "two values, e.g. max(a, b)"));
    };
    take('(');
    for (int k = 0; k < known->arguments; ++k) {
      if (next() == ')' || (k > 0 && !take(','))) wrong();
      sum(depth + 1);
    }
    if (next() == ',') wrong();
    if (!take(')')) refuse(begin, fmt::format("the parenthesis of {} is never closed", word));
    push(known->act);
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  std::size_t at_ = 0;
  std::vector<Step> steps_;
};

int arguments_of(Act act) {
  switch (act) {
    case Act::number:
    case Act::name:
      return 0;
    case Act::negate:
    case Act::root:
    case Act::exp:
    case Act::log:
    case Act::abs:
    case Act::sin:
    case Act::cos:
      return 1;
    default:
      return 2;
  }
}

double applied(Act act, double a, double b) {
  switch (act) {
    case Act::negate:
      return -a;
    case Act::root:
      return std::sqrt(a);
    case Act::exp:
      return std::exp(a);
    case Act::log:
      return std::log(a);
    case Act::abs:
      return std::abs(a);
    case Act::sin:
      return std::sin(a);
    case Act::cos:
      return std::cos(a);
    case Act::add:
      return a + b;
    case Act::subtract:
      return a - b;
    case Act::multiply:
      return a * b;
    case Act::divide:
      return a / b;
    case Act::power:
      return std::pow(a, b);
    // Propagates NaN from either argument.
    case Act::min:
      return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    case Act::max:
      return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case Act::number:
    case Act::name:
      break;
  }
  fail("A step of an expression takes no arguments");
}

}  // namespace

Expression::Expression(std::string_view text, const std::vector<std::string>& names)
    : steps_(Parser(text, names).all()), names_(names.size()) {
  std::size_t height = 0;
  for (const Step& step : steps_) {
    height += 1 - static_cast<std::size_t>(arguments_of(step.act));
    depth_ = std::max(depth_, height);
  }
}

double Expression::value(std::span<const double> values) const {
  PAIRS_CHECK(values.size() == names_, "An expression of {} names was given {} values", names_, values.size());
  std::vector<double> stack;
  stack.reserve(depth_);
  for (const Step& step : steps_) {
    const int arguments = arguments_of(step.act);
    if (arguments == 0) {
      stack.push_back(step.act == Act::number ? step.number : values[step.name]);
      continue;
    }
    const double last = stack.back();
    if (arguments == 2) stack.pop_back();
    stack.back() = arguments == 2 ? applied(step.act, stack.back(), last) : applied(step.act, last, 0);
  }
  return stack.back();
}

}  // namespace pairs
