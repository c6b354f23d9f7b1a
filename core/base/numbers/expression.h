#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// An arithmetic expression of named numbers: + - * / ^ (which binds from the right), parentheses, numbers, and the
// functions sqrt, exp, log (natural), abs, sin, cos of one number and min, max of two.
class Expression {
 public:
  // Parses a text with the names that may occur in it. Throws a usage error that shows the text, the position of the
  // mistake, in characters from 1, and what could stand there.
  Expression(std::string_view text, const std::vector<std::string>& names);

  // The value where values[k] is the value of names[k]: as in IEEE arithmetic, infinite or NaN where it is undefined.
  // Thread-safe.
  double value(std::span<const double> values) const;

  enum class Act {
    number,
    name,
    negate,
    add,
    subtract,
    multiply,
    divide,
    power,
    root,
    exp,
    log,
    abs,
    sin,
    cos,
    min,
    max
  };
  // A step of the evaluation on a stack.
  struct Step {
    Act act;
    double number = 0;     // for Act::number
    std::size_t name = 0;  // for Act::name
  };

 private:
  std::vector<Step> steps_;
  std::size_t names_, depth_ = 0;  // number of names, and depth of the stack
};

}  // namespace pairs
