#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/exit_on_signal.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/own_task.h"
#include "app/runs/task_words.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/stages/likelihood_stage.h"

namespace pairs::batch {
namespace {

struct LikelihoodArguments {
  std::string run;
  std::vector<std::string> numbers, set;  // "likelihood.steps=100"; of options, and of --set
  OpenArguments open;
};

Result likelihood(LikelihoodArguments arguments) {
  const std::filesystem::path folder = arguments.run;
  const std::string name = printable(folder.string(), 300);
  std::error_code code;
  if (!std::filesystem::exists(folder / run_file::config, code))
    fail_usage("{} is not the folder of a run, in which its likelihood is kept; train one with pairs --batch run",
               name);
  set_threads(arguments.open.threads);
  if (arguments.open.allow) allow_run(folder);
  const RunConfig config = read_run_toml(arguments.open.tasks, folder / run_file::config);
  if (!config.ensemble.empty())
    fail_usage("{} is the mean of {} runs; give the folder of one of them", name, config.ensemble.size());
  LikelihoodConfig wanted = config.likelihood;
  for (const std::vector<std::string>* some : {&arguments.numbers, &arguments.set})
    for (const std::string& one : *some) set_field(fields(wanted), one);
  ProgressPrinter printer = stderr_printer();
  const SavesOnSignal saves;
  if (!keep_going()) throw Stopped();
  const bool there = std::filesystem::exists(likelihood_folder(folder) / likelihood_file::weights, code);
  try {
    drive([&](Monitor& monitor) { train_likelihood(folder, config, wanted, monitor); }, printer);
  } catch (const Stopped&) {
    printer.line(fmt::format("continue with the same command: it goes on where it stopped"));
    throw;
  }
  const std::shared_ptr<const Task> task = config.make_task();
  const std::optional<RunLikelihood> made = load_likelihood(folder, *task);
  PAIRS_CHECK(made.has_value(), "{} holds no likelihood after its training", name);
  Result result;
  result.document = {
      {"run", folder.string()},
      {"task", task->info().name},
      {"simulations", made->simulations},
      {"validation", made->validation},
      {"independence",
       {{"rejected", made->independence.rejected}, {"p", made->independence.p}, {"n", made->independence.n}}}};
  if (!made->covariates.text.empty())
    result.document["covariates"] = {{"rejected", made->covariates.rejected}, {"p", made->covariates.p}};
  result.text =
      fmt::format("{}: likelihood of one observation of {}, learned from {} simulated observations{}\n\n{}.\n",
                  task->info().title, name, count_text(made->simulations),
                  there ? "; it was there already, and nothing was trained" : "", made->independence.text);
  if (!made->covariates.text.empty()) result.text += made->covariates.text + ".\n";
  result.text += !made->unusable().empty()
                     ? "Posteriors are not refined by it.\n"
                     : fmt::format("Next: pairs --batch evaluate {} --refine 200\n", shell_word(folder.string()));
  return result;
}

}  // namespace

Action add_likelihood(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<LikelihoodArguments>();
  arguments->open.tasks = tasks;
  app.add_option("RUN", arguments->run, "The folder of a run, which need not be finished")->required();
  const auto number = [&](const char* name, const char* key, double most, const std::string& help) {
    app.add_option_function<std::int64_t>(
           name,
           [arguments, key](std::int64_t value) { arguments->numbers.push_back(fmt::format("{}={}", key, value)); },
           help)
        ->type_name("N")
        ->transform(whole_number(1, static_cast<std::int64_t>(most)));
  };
  number("--steps", "likelihood.steps", 1e9, "Steps of the optimizer (default: the run's setting)");
  number("--simulations", "likelihood.simulations", 1e9,
         "Simulate so many observations once and use them again in every pass (default: new ones at each step)");
  number("--seed", "likelihood.seed", 1e15,
         "Seed of the networks and of the simulated observations (default: the run's)");
  std::string settings;
  LikelihoodConfig known;
  for (const Field& field : fields(known))
    if (field.key != "likelihood.enabled") settings += fmt::format("{}{}", settings.empty() ? "" : ", ", field.key);
  app.add_option("--set", arguments->set, fmt::format("Change another setting: {}; may be given again", settings))
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--threads", arguments->open.threads, "CPU threads (default: one per core)")
      ->type_name("N")
      ->transform(whole_number(0, 4096));
  add_allow_option(app, arguments->open.allow);
  app.footer(with_task_names(
      "Learns the density of one observation given all parameters of its set, q(x | θ, ψ), from simulations, and\n"
      "tests whether the observations of a set are independent given these. If they are, infer --refine multiplies\n"
      "the likelihoods of a set's observations: its posterior is often much sharper than the run's. It is for\n"
      "observations of up to 64 numbers, is kept in RUN/likelihood, and goes on where it was stopped.\n"
      "Example: pairs --batch likelihood runs/a"));
  return [arguments] { return likelihood(*arguments); };
}

}  // namespace pairs::batch
