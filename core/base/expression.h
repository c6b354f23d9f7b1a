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
  // Of a text and the names that may stand in it. Throws a usage error that names the text, the position of what is
  // wrong with it, in characters from 1, and what could stand there.
  Expression(std::string_view text, const std::vector<std::string>& names);

  // Its value where values[k] is that of names[k]: as IEEE arithmetic has it, infinite or not a number where it is not
  // defined. Thread-safe.
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
  // A step of its evaluation on a stack.
  struct Step {
    Act act;
    double number = 0;     // of Act::number
    std::size_t name = 0;  // of Act::name
  };

 private:
  std::vector<Step> steps_;
  std::size_t names_, depth_ = 0;  // of the stack
};

}  // namespace pairs
