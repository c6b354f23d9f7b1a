#include "app/batch/parts/set_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/batch/parts/numbers.h"
#include "app/posterior/question/set_fields.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::batch {
namespace {

// Capitalizes a help text unless something precedes it.
std::string begun(std::string help) {
  if (!help.empty() && help.front() >= 'a' && help.front() <= 'z') help.front() += 'A' - 'a';
  return help;
}

}  // namespace

SetChoice SetOptions::choice(std::uint64_t seed) const {
  SetChoice set;
  for (const SetField& field : set_fields()) {
    const auto given = words_.find(field.option);
    if (given == words_.end()) continue;
    if (const auto why = without_.find(field.option); why != without_.end() && !why->second.empty())
      fail_usage("--{}: {}", field.option, why->second);
    if (given->second.empty() && std::string_view(field.option) == "data") fail_usage("--data names nothing");
    const bool bare = given->second.empty() && std::string_view(field.option) == "random";
    read_field_words(field, bare ? fmt::format("{}", seed) : given->second, set);
  }
  const std::string name = printable(set.file.string(), 300);
  for (const SetField& field : set_fields()) {
    if (!words_.contains(field.option)) continue;
    if (!field.of(SetKind::simulated) && set.simulated())
      fail_usage("--{} belongs to a set of your own; name one with --data", field.option);
    if (field.own() || set.simulated()) continue;
    if (std::string_view(field.option) == "index")
      fail_usage("--index chooses a simulated set; {} is one already", name);
    fail_usage("--theta and --psi make a set of their own; {} is one already", name);
  }
  return set;
}

void add_set_options(CLI::App& app, SetOptions& options, const SetOptionUse& use) {
  options.without_ = use.without;
  for (const SetField& field : set_fields()) {
    const std::string option = field.option;
    const auto without = use.without.find(option);
    if (without != use.without.end() && without->second.empty()) continue;
    const auto before = use.before.find(option);
    const std::string help = option == "data"             ? use.data
                             : before == use.before.end() ? begun(field.help)
                                                          : before->second + ": " + field.help;
    CLI::Option* const added = app.add_option_function<std::string>(
        "--" + option, [&options, option](const std::string& words) { options.words_[option] = words; }, help);
    added->type_name(field.type);
    if (option == "random") added->expected(0, 1);
    if (option == "up") added->check(CLI::IsMember({"x", "y", "z"}));
    if (option == "missing") added->check(CLI::IsMember({"refuse", "drop"}));
    if (option == "index") added->transform(whole_number(0, std::int64_t{1} << 40));
    if (option == "seed") added->transform(whole_number(0, 9007199254740992));
    if (option == "data" && use.needs_data) added->required();
    if (without != use.without.end()) added->group("");  // not listed, and refused with its sentence
  }
}

}  // namespace pairs::batch
