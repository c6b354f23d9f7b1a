#include "app/batch/batch.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <torch/version.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <sstream>

#include "app/batch/figure/figure_names.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/exit_on_signal.h"
#include "app/batch/parts/shell_help.h"
#include "app/runs/task_words.h"
#include "app/session/session.h"
#include "core/base/fields/fields.h"
#include "core/base/fields/renamed_keys.h"
#include "core/base/gpu/devices.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/stop.h"
#include "core/eval/metrics/interval.h"
#include "core/train/settings/config.h"
#include "core/version.h"

namespace pairs::batch {
namespace {

constexpr int kFailed = 1, kUsage = 2;

std::string document_text(const nlohmann::json& document, bool one_line = false) {
  return document.dump(one_line ? -1 : 2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// One line, since an error may also end a stream of documents.
std::string error_document(const std::string& sentence) {
  return fmt::format("{{\"error\": {}}}\n",
                     nlohmann::json(sentence).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

int report_error(const std::string& sentence, bool json, int code) {
  if (json) (void)answer(error_document(sentence));
  // One line for any names and arguments.
  print(fmt::format("pairs: {}\n", printable(sentence, 2000)));
  return code;
}

std::string stop_sentence() {
  return fmt::format("Stopped by {}", signal_name(last_signal()));
}

int report_stop(bool json) {
  return report_error(stop_sentence(), json, 128 + last_signal());
}

// Prints a command's result.
int report(const std::string& text, int code) {
  if (answer(text)) return code;
  return report_error("The results could not be written to stdout: it is closed, full or has lost its reader", false,
                      kFailed);
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : fmt::format(" (did you mean {}?)", near);
}

// The error for arguments that no option accepts.
std::string unexpected_argument(const CLI::App& app, const CLI::App* command) {
  const std::vector<std::string> left = app.remaining(true);
  const std::string word = left.empty() ? "" : left.front();
  const CLI::App& owner = command ? *command : app;
  const std::string place = command ? "pairs --batch " + command->get_name() : "pairs";
  if (word.size() > 1 && word[0] == '-') {
    std::vector<std::string> options;
    for (const CLI::Option* option : owner.get_options())
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("{} has no option {}{}", place, printable(name), did_you_mean(name, options));
  }
  return fmt::format("{} did not expect the argument {}", place, printable(word));
}

std::string unknown_command(const std::string& word, const std::vector<CommandEntry>& known) {
  std::vector<std::string> names;
  for (const CommandEntry& entry : known) names.push_back(entry.name);
  return fmt::format("There is no command {}{}; pairs --help lists them", printable(word), did_you_mean(word, names));
}

// The versions of the program and of everything that determines its numbers on this machine's CPU.
nlohmann::json version_document() {
  return {{"pairs", kVersion}, {"libtorch", TORCH_VERSION}, {"numerics", numerics_fingerprint(torch::kCPU)}};
}

// "2026-11-27": today, or the date of a reproducible build.
std::string build_day() {
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t when = epoch != nullptr ? std::strtoll(epoch, nullptr, 10) : std::time(nullptr);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(when));
}

// Whether the window could open the word.
bool opens(const TaskCatalog& tasks, const std::string& path) {
  const std::vector<std::string> names = tasks.names();
  std::error_code error;
  return path.empty() || std::find(names.begin(), names.end(), path) != names.end() ||
         std::filesystem::exists(path, error);
}

int open_window(const TaskCatalog& tasks, const Extension& extension, const std::string& path, const std::string& theme,
                bool json) {
  if (!extension.open)
    return report_error(
        "This program was built without the window; use a command, for example pairs --batch demo, and "
        "pairs --help for all of them",
        json, kUsage);
  if (!opens(tasks, path)) {
    std::vector<std::string> known = tasks.names();
    for (const CommandEntry& entry : commands()) known.push_back(entry.name);
    return report_error(fmt::format("{} is neither a run folder nor a task nor a data file{}; commands need --batch",
                                    printable(path, 300), did_you_mean(path, known)),
                        json, kUsage);
  }
  try {
    extension.open(path, theme);
    return last_signal() == 0 ? 0 : 128 + last_signal();
  } catch (const std::exception& error) {
    return report_error(sentence(error), json, kFailed);
  }
}

// Reports an unreadable session before the window opens.
int open_session(const TaskCatalog& tasks, const Extension& extension, const std::string& path,
                 const std::string& theme, bool json) {
  if (!is_session(path))
    return report_error(fmt::format("{} is no session: its name must end in {}", printable(path, 300), kSessionEnding),
                        json, kUsage);
  try {
    read_session(path);
  } catch (const std::exception& error) {
    return report_error(sentence(error), json, kFailed);
  }
  return open_window(tasks, extension, path, theme, json);
}

// Reports a signal that ends the process at once, while another thread may be printing.
void report_stop(bool json, bool answered) {
  const std::string sentence = stop_sentence();
  if (json && !answered) answer_at_once(error_document(sentence));
  // Clears a line of progress.
  print(fmt::format("{}pairs: {}\n", ::isatty(STDERR_FILENO) == 1 ? kClearLine : "", sentence));
}

int perform(const Action& action, bool json) {
  // Destroyed before anything is printed, so that only one document is.
  const auto act = [&] {
    const ExitOnSignal exits([json] { report_stop(json, false); });
    const Interruptible within([] { return !keep_going(); });
    return action();
  };
  try {
    const Result result = act();
    const ExitOnSignal exits([json] { report_stop(json, true); });
    if (result.silent) return result.exit_code;
    return report(json ? document_text(result.document, result.one_line) : result.text, result.exit_code);
  } catch (const Stopped&) {
    return report_stop(json);
  } catch (const Error& error) {
    return report_error(error.what(), json, error.kind() == ErrorKind::usage ? kUsage : kFailed);
  } catch (const std::exception& error) {
    return report_error(sentence(error), json, kFailed);
  }
}

// Bash completions that help describes only in sentences.
WordsByName known_words(const TaskCatalog& tasks) {
  WordsByName known = {{"TASK", tasks.names()},
                       {"RUN", tasks.names()},
                       {"--preset", preset_names()},
                       {"--ranks", {"2", "4", "8", "launched"}}};
  for (const Strategy& strategy : strategies()) known["--strategy"].push_back(strategy.name);
  for (const IntervalName& kind : kIntervalNames) known["--interval"].emplace_back(kind.word);
  known["figure NAME"] = figure_names();
  return known;
}

// The usage of the program itself: with a window, and without.
class ProgramFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_parent() != nullptr) return CLI::Formatter::make_usage(app, name);
    return "Usage: pairs [RUN] [--session FILE] [--theme THEME]\n"
           "       pairs --batch COMMAND [OPTIONS]\n";
  }
};

}  // namespace

int run_program(const Catalog& tasks, int argc, const char* const* argv, const Extension& extension) {
  const bool json = std::any_of(argv + 1, argv + argc, [](const char* a) { return std::string_view(a) == "--json"; });
  CLI::App app{"Pairs Studio: posteriors from sets of exchangeable observations by pretraining on pairs"};
  app.name("pairs --batch");
  app.formatter(std::make_shared<ProgramFormatter>());
  std::string path, session, theme;
  app.add_option("RUN", path, "Without --batch: the run folder, task or data file that the window opens");
  app.add_option("--session", session, "Without --batch: a session that the window has saved")->type_name("FILE");
  app.add_option("--theme", theme, "Without --batch: dark or light")->check(CLI::IsMember({"dark", "light"}));
  app.set_version_flag("--version", fmt::format("pairs {}", kVersion));
  app.footer(
      with_task_names("pairs alone opens the window, pairs RUN with that run, pairs --session FILE as it was saved.\n"
                      "Commands need --batch: pairs --batch COMMAND --help explains each.\n"
                      "Example: pairs --batch run {exact} --preset quick"));
  bool batch = false, json_flag = false, man = false, completes = false;
  app.add_flag("--completion", completes, "Print what makes bash complete these words: source <(pairs --completion)");
  app.add_flag("--man", man, "Print the manual page")->group("");
  app.add_flag("--batch", batch, "Run a command without a window");
  app.require_subcommand(0, 1);
  app.add_flag("--json", json_flag, "As behind the command")->group("");
  std::map<const CLI::App*, Action> parsed;
  std::vector<CommandEntry> all = commands();
  all.insert(all.end(), extension.commands.begin(), extension.commands.end());
  for (const CommandEntry& entry : all) {
    CLI::App* command = app.add_subcommand(entry.name, entry.summary);
    command->add_flag("--json", json_flag, "Print one JSON document on stdout instead of text");
    parsed[command] = entry.add(*command, tasks);
  }
  const auto chosen = [&]() -> const CLI::App* {
    const auto named = app.get_subcommands();
    return named.empty() ? nullptr : named.front();
  };
  // Names of earlier versions, before a missing option would be reported in their place.
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('='));
    const bool command = i > 1 && std::string_view(argv[i - 1]) == "--batch";
    if (const std::string now = present_option(name); !now.empty() && (name.starts_with("--") || command))
      return report_error(fmt::format("{} is called {} now", name, now), json, kUsage);
  }
  // Without it, the libraries would end the process.
  std::error_code lost;
  (void)std::filesystem::current_path(lost);
  if (lost) return report_error("The current folder does not exist any more; change to another", json, kFailed);
  // Empty words are unset variables of a script; CLI11 takes the next word for the value of "--data=".
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.empty()) return report_error("An argument is empty; leave it out or give it a value", json, kUsage);
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      return report_error(fmt::format("{0} has no value; write {0}VALUE or leave it out", printable(word)), json,
                          kUsage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return report(json ? document_text(version_document(), true) : fmt::format("{}\n", version.what()), 0);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    app.exit(help, text, text);
    return report(text.str(), 0);
  } catch (const CLI::ExtrasError&) {
    // A value further on may be the name of a command: "train --out run".
    const char* const* first = std::find_if(argv + 1, argv + argc, [](const char* word) { return word[0] != '-'; });
    if (batch && !path.empty() && (!chosen() || (first != argv + argc && path == *first)))
      return report_error(unknown_command(path, all), json, kUsage);
    return report_error(unexpected_argument(app, chosen()), json, kUsage);
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = chosen();
    return report_error(fmt::format("{}; see pairs {}--help", error.what(),
                                    command ? fmt::format("--batch {} ", command->get_name()) : ""),
                        json, kUsage);
  }
  if (completes) return report(bash_completion(app, known_words(*tasks)), 0);
  if (man) return report(man_page(app, kVersion, build_day()), 0);
  const CLI::App* command = chosen();
  if (!batch && command)
    return report_error(fmt::format("The command {0} needs --batch: pairs --batch {0}", command->get_name()), json,
                        kUsage);
  if (!session.empty() && !path.empty())
    return report_error("A session names the run it shows; leave out the one or the other", json, kUsage);
  if (!batch && !session.empty()) return open_session(*tasks, extension, session, theme, json);
  if (!batch) return open_window(*tasks, extension, path, theme, json);
  if (!path.empty()) return report_error(unknown_command(path, all), json, kUsage);
  if (!session.empty())
    return report_error("--session belongs to the window; pairs --batch session FILE lists what one holds", json,
                        kUsage);
  if (!theme.empty()) return report_error("--theme belongs to the window; leave out --batch", json, kUsage);
  if (!command)
    return report_error("--batch needs a command, for example pairs --batch tasks; pairs --help lists them", json,
                        kUsage);
  return perform(parsed.at(command), json);
}

}  // namespace pairs::batch
