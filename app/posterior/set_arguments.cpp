#include "app/posterior/set_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/base/text.h"

namespace pairs {
namespace {

std::string numbers_option(const char* option, const std::vector<double>& numbers) {
  return numbers.empty() ? "" : fmt::format(" --{}={}", option, fmt::join(numbers, ","));
}

}  // namespace

std::string set_arguments(const SetChoice& set, SetCommand command) {
  const bool infer = command == SetCommand::infer;
  std::string words = set.file.empty()
                          ? fmt::format(" --index {}", set.index)
                          : fmt::format(" {} {}", infer ? "--data" : "--file", shell_word(set.file.string()));
  if (!set.reader.empty()) words += " --reader " + shell_word(set.reader);
  if (!set.group.empty()) words += " --group " + shell_word(set.group);
  if (!set.member.empty()) words += " --member " + shell_word(set.member);
  if (!set.columns.empty()) words += " --columns=" + shell_word(fmt::format("{}", fmt::join(set.columns, ",")));
  if (set.random) words += infer ? " --random" : fmt::format(" --random {}", *set.random);
  if (!set.up.empty()) words += " --up " + set.up;
  if (!set.given.empty()) words += " --given=" + shell_word(set.given);
  if (infer && set.camera)
    words += fmt::format(" --camera={},{}", set.camera->azimuth * 180 / M_PI, set.camera->elevation * 180 / M_PI);
  return words + numbers_option("theta", set.theta) + numbers_option("psi", set.psi);
}

}  // namespace pairs
