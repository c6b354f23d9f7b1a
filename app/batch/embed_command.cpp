#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "app/batch/arguments.h"
#include "app/batch/command.h"
#include "app/batch/drive.h"
#include "app/batch/numbers.h"
#include "app/posterior/set_embeddings.h"
#include "app/runs/task_words.h"
#include "app/text/table.h"
#include "core/base/error.h"
#include "core/base/npz.h"
#include "core/base/streams.h"
#include "core/base/text.h"
#include "core/report/number_text.h"

namespace pairs::batch {
namespace {

struct EmbedArguments {
  std::string run, data, sizes, camera, up, given, out;
  std::vector<std::string> columns;
  OpenArguments open;
  std::int64_t index = 0;
};

SetChoice choice_of(const EmbedArguments& arguments) {
  if (!arguments.given.empty())
    fail_usage("--given has no effect on embeddings, which are of observations alone: leave it out");
  if (arguments.data.empty() && !(arguments.columns.empty() && arguments.camera.empty() && arguments.up.empty()))
    fail_usage("--columns, --camera and --up belong to a set of your own; name it with --data");
  SetChoice choice;
  choice.index = arguments.index;
  choice.file = arguments.data;
  choice.columns = arguments.columns;
  choice.up = arguments.up;
  choice.without_given = true;
  if (!arguments.camera.empty()) choice.camera = parse_camera(arguments.camera, "--camera");
  return choice;
}

// Those of --n; without it all of a file's, and of a simulated set as many as training saw.
std::vector<std::int64_t> sizes_of(const std::vector<std::int64_t>& asked, const ObservedSet& set,
                                   const LoadedRun& run) {
  if (asked.empty())
    return {set.simulated() || set.of_thing() ? std::min(set.size(), run.estimator->max_n()) : set.size()};
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
               arguments.data.empty() ? std::vector<std::filesystem::path>()
                                      : std::vector<std::filesystem::path>{arguments.data});
  const LoadedRun run = open_run(arguments.run, arguments.open, arguments.data.empty());
  ObservedSet set(run.task, choice_of(arguments));
  for (const std::string& warning : set.warnings()) tell(fmt::format("warning: {}\n", warning));
  if (!set.note().empty()) tell(fmt::format("warning: {}\n", set.note()));
  const std::vector<std::int64_t> sizes = sizes_of(asked, set, run);
  const auto arrays = arrays_of(embed_set(run, set, sizes, keep_going), sizes, set);
  write_npz(out, arrays);
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

Action add_embed(CLI::App& app, const Catalogue& tasks) {
  const auto arguments = std::make_shared<EmbedArguments>();
  arguments->open.tasks = tasks;
  app.add_option("RUN", arguments->run, "A run folder, or a task's name for its shipped weights")->required();
  app.add_option("--data", arguments->data, "A set of your own, as infer --data takes it (default: a simulated one)")
      ->type_name("FILE|DIR|THING");
  app.add_option("--index", arguments->index, "Which simulated set, as figure posterior --index shows it")
      ->type_name("I")
      ->transform(whole_number(0, std::int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--n", arguments->sizes,
                 "Sizes at which the aggregate is told; the embeddings are those of the largest (default: all "
                 "observations of a file, else as many as training saw)")
      ->type_name("N,N,...");
  app.add_option("--out", arguments->out, "The file of the arrays")->type_name("FILE.npz")->required();
  app.add_option("--columns", arguments->columns, "Of a CSV file of points use these columns, as infer --columns does")
      ->type_name("NAME,...")
      ->delimiter(',');
  app.add_option("--camera", arguments->camera, "Of a folder of views: the camera that is asked about, as infer has it")
      ->type_name("AZ,EL");
  app.add_option("--up", arguments->up, "Of a mesh: the axis of the file that points up, as infer --up has it")
      ->type_name("AXIS")
      ->check(CLI::IsMember({"x", "y", "z"}));
  app.add_option("--given", arguments->given, "Refused: embeddings do not depend on what is given of the set")
      ->type_name("NAME=V,...");
  add_machine_arguments(app, arguments->open);
  app.footer(with_task_names(
      "Examples:\n"
      "  pairs --batch embed {exact} --index 3 --n 1,10,100 --out embedded.npz\n"
      "  pairs --batch embed {first} --data events.csv --out embedded.npz\n"
      "The file holds embeddings [M, l], a row an observation, aggregates [K, l], their means over the first N for\n"
      "each of the K sizes n, and, of a set whose values are known, theta [d] and psi [p]. Aggregates are those that\n"
      "infer asks the head with, before they are standardised."));
  return [arguments, &app] {
    if (!arguments->data.empty() && app.count("--index") > 0)
      fail_usage("--index chooses a simulated set; {} is one already", printable(arguments->data, 300));
    return embed(*arguments);
  };
}

}  // namespace pairs::batch
