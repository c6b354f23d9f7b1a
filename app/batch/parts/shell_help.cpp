#include "app/batch/parts/shell_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <vector>

namespace pairs::batch {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); });
}

std::vector<const CLI::Option*> shown_options(const CLI::App& app) {
  std::vector<const CLI::Option*> shown;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) shown.push_back(option);
  return shown;
}

// Escapes a text for man: no line is a request, and hyphens stay hyphens.
std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool first = i == 0 || text[i - 1] == '\n';
    if (first && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

// "--out FILE", "RUN".
std::string option_words(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const std::string type = option.get_type_name();
  if (names.empty()) return option.get_name();
  return fmt::format("{}{}", fmt::join(names, ", "), type.empty() ? "" : " " + type);
}

void add_options(std::string& page, const CLI::App& app) {
  for (const CLI::Option* option : shown_options(app))
    page += fmt::format(".TP\n.B {}\n{}\n", roff(option_words(*option)), roff(option->get_description()));
}

// Verbatim lines.
std::string as_it_stands(const std::string& text) {
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text));
}

// "{dark,light}" in the description of an option's values.
std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> words;
  if (open == std::string::npos || close == std::string::npos || close < open) return words;
  std::istringstream stream(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::string long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : shown_options(app))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::vector<std::string> words_of(const WordsByName& known, const std::string& name) {
  const auto found = known.find(name);
  return found == known.end() ? std::vector<std::string>() : found->second;
}

// Cases of a shell's "COMMAND --option" that complete to the option's choices.
std::string choice_cases(const CLI::App& app, const std::string& command, const WordsByName& known) {
  std::string cases;
  for (const CLI::Option* option : shown_options(app))
    for (const std::string& name : option->get_lnames()) {
      std::vector<std::string> words = choices(*option);
      if (words.empty()) words = words_of(known, "--" + name);
      if (words.empty()) words = words_of(known, option->get_type_name());
      if (!words.empty()) cases += fmt::format("    '{} --{}') words='{}' ;;\n", command, name, fmt::join(words, " "));
    }
  return cases;
}

// The case of a shell's COMMAND that completes its arguments; "" if none are known.
std::string argument_case(const CLI::App& app, const WordsByName& known) {
  std::vector<std::string> words;
  for (const CLI::Option* option : shown_options(app))
    if (option->get_positional()) {
      std::vector<std::string> own = words_of(known, app.get_name() + " " + option->get_name());
      if (own.empty()) own = words_of(known, option->get_name());
      words.insert(words.end(), own.begin(), own.end());
    }
  return words.empty() ? "" : fmt::format("        {}) words='{}' ;;\n", app.get_name(), fmt::join(words, " "));
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& version, const std::string& date) {
  std::string page = fmt::format(
      ".TH PAIRS 1 {} \"Pairs Studio {}\" \"User Commands\"\n.SH NAME\npairs \\- {}\n.SH SYNOPSIS\n.B pairs\n[RUN] "
      "[\\-\\-theme THEME]\n.br\n.B pairs \\-\\-session\nFILE\n.br\n.B pairs \\-\\-batch\nCOMMAND [OPTION]...\n.SH "
      "DESCRIPTION\n{}\n",
      date, version, "train and explore posteriors from sets of observations", roff(app.get_description()));
  page += as_it_stands(app.get_footer()) + ".SH OPTIONS\n";
  add_options(page, app);
  page += ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    page += fmt::format(".SS {}\n{}.\n", roff(command->get_name()), roff(command->get_description()));
    add_options(page, *command);
    page += as_it_stands(command->get_footer());
  }
  page += ".SH EXIT STATUS\n0 where all is well, 1 where data, files or training are wrong, 2 where the words are.\n";
  return page;
}

std::string bash_completion(const CLI::App& app, const WordsByName& known) {
  std::vector<std::string> names;
  std::string options, arguments, cases = choice_cases(app, "", known);
  for (const CLI::App* command : commands_of(app)) {
    names.push_back(command->get_name());
    options += fmt::format("    {}) words='{}' ;;\n", command->get_name(), long_options(*command));
    cases += choice_cases(*command, command->get_name(), known);
    arguments += argument_case(*command, known);
  }
  return fmt::format(R"(# Completes the words behind `pairs` in bash.
_pairs() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command='' batch='' words='' files='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      --batch) batch=1 ;;
      {0}) [[ $command ]] || command=${{COMP_WORDS[i]}} ;;
    esac
  done
  COMPREPLY=()
  case "$command $before" in
{1}  esac
  if [[ ! $words ]]; then
    if [[ $current != -* ]]; then
      [[ $batch && ! $command ]] && words='{2}'
      [[ $command && $before == -* ]] || case $command in
{5}      esac
      [[ $command ]] && files=1
    else
      case $command in
{3}        *) words='{4}' ;;
      esac
    fi
  fi
  if [[ $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [[ ! $files ]] || compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -o bashdefault -F _pairs pairs
)",
                     fmt::join(names, "|"), cases, fmt::join(names, " "), options, long_options(app), arguments);
}

}  // namespace pairs::batch
