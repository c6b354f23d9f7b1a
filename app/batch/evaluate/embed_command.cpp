#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/question_options.h"
#include "app/batch/parts/result_file.h"
#include "app/posterior/set/set_embeddings.h"
#include "app/runs/task_words.h"
#include "app/text/table.h"
#include "core/base/files/npz.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs::batch {
namespace {

struct EmbedArguments {
  Question question;
  std::string sizes, out;
  OpenArguments open;
  bool overwrite = false;
};

// The sizes of --n; by default, the whole file, or for a simulated set the largest N in training.
std::vector<std::int64_t> sizes_of(const std::vector<std::int64_t>& asked, const ObservedSet& set,
                                   const LoadedRun& run) {
  if (asked.empty())
    return {set.simulated() || set.of_item() ? std::min(set.size(), run.estimator->max_n()) : set.size()};
  for (const std::int64_t n : asked)
    if (n > set.size())
      fail_usage("--n asks for the first {} observations, but {} holds {}; give at most {}", count_text(n),
                 printable(set.name(), 300), count_text(set.size()), set.size());
  return asked;
}

std::map<std::string, torch::Tensor> arrays_of(const SetEmbeddings& made, const std::vector<std::int64_t>& sizes,
                                               const ObservedSet& set) {
  std::map<std::string, torch::Tensor> arrays = {
      {"embeddings", made.embeddings}, {"aggregates", made.aggregates}, {"n", torch::tensor(sizes, torch::kInt64)}};
  if (const std::vector<double> theta = set.theta(); !theta.empty())
    arrays["theta"] = torch::tensor(theta, torch::kFloat64);
  if (const std::vector<double> psi = set.psi(); !psi.empty()) arrays["psi"] = torch::tensor(psi, torch::kFloat64);
  return arrays;
}

std::string shape_text(const torch::Tensor& array) {
  std::string text;
  for (const std::int64_t side : array.sizes()) text += (text.empty() ? "" : " × ") + count_text(side);
  return text;
}

Result embed(const EmbedArguments& arguments) {
  const std::filesystem::path out = arguments.out;
  std::vector<std::int64_t> asked;
  if (!arguments.sizes.empty()) asked = parse_sizes(arguments.sizes, "--n", "--n ");
  check_output(out, ".npz",
               arguments.question.set.simulated() ? std::vector<std::filesystem::path>()
                                                  : std::vector<std::filesystem::path>{arguments.question.set.file});
  const ResultFile file(out, {.made = arguments.question.run, .overwrite = arguments.overwrite});
  const LoadedRun run = open_run(arguments.question.run, arguments.open, arguments.question.set.simulated());
  SetChoice choice = arguments.question.set;
  choice.without_given = true;
  ObservedSet set(run.task, choice);
  for (const std::string& warning : set.warnings()) print(fmt::format("warning: {}\n", warning));
  const std::vector<std::int64_t> sizes = sizes_of(asked, set, run);
  if (!set.note().empty() && sizes.back() == set.size()) print(fmt::format("warning: {}\n", set.note()));
  const auto arrays = arrays_of(embed_set(run, set, sizes, keep_going), sizes, set);
  write_npz(out, arrays);
  file.written();
  Result result;
  result.document = {
      {"run", run.name}, {"task", run.task->info().name}, {"set", set.name()}, {"file", out.string()}, {"n", sizes}};
  Table table({{"array", false}, {"shape", false}});
  for (const auto& [name, array] : arrays) {
    result.document["arrays"][name] = array.sizes().vec();
    table.add({name, shape_text(array)});
  }
  result.text = fmt::format("{}: {} embedded by {}\n\n{}Embeddings: {}\n", run.task->info().title, set.name(), run.name,
                            table.text(2), out.string());
  return result;
}

}  // namespace

Action add_embed(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<EmbedArguments>();
  arguments->open.tasks = tasks;
  const auto options = std::make_shared<QuestionOptions>();
  QuestionOptionUse use;
  use.set.data = "A set of your own, as infer takes it (default: a simulated one)";
  use.set.without = {{"conditions", "it has no effect on embeddings, which are of observations alone: leave it out"}};
  add_question_options(app, *options, use);
  app.add_option("--n", arguments->sizes,
                 "Sizes at which the aggregate is written; the embeddings are those of the largest (default: all "
                 "observations of a file, else as many as training saw)")
      ->type_name("N,N,...");
  app.add_option("--out", arguments->out, "The file of the arrays")->type_name("FILE.npz")->required();
  add_machine_arguments(app, arguments->open);
  add_overwrite_option(app, arguments->overwrite);
  app.footer(with_task_names(
      "Examples:\n"
      "  pairs --batch embed {exact} --index 3 --n 1,10,100 --out embedded.npz\n"
      "  pairs --batch embed {first} --data events.csv --out embedded.npz\n"
      "The file holds embeddings [M, l], one row per observation, aggregates [K, l], their means over the first N for\n"
      "each of the K sizes n, and, of a set whose values are known, theta [d] and psi [p]. Aggregates are those that\n"
      "infer asks the head with, before they are standardized."));
  return [arguments, options] {
    arguments->question = options->question();
    return embed(*arguments);
  };
}

}  // namespace pairs::batch
