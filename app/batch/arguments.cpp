#include "app/batch/arguments.h"

#include <ATen/Parallel.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text.h"

namespace pairs::batch {

void add_open_arguments(CLI::App& app, OpenArguments& arguments) {
  app.add_option("--data", arguments.data, "Folder of real data in place of the run's ($PAIRS_DATA when not given)")
      ->type_name("DIR");
  app.add_option("--device", arguments.device, "auto, cpu or cuda")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "CPU threads, 0 = all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
}

void set_threads(std::int64_t threads) {
  if (threads > 0) at::set_num_threads(static_cast<int>(threads));
}

LoadedRun open_run(const std::string& name, const OpenArguments& arguments, bool simulates) {
  set_threads(arguments.threads);
  LoadedRun run = load_run(name, data_folder(arguments.data), arguments.device);
  const std::string &trained = run.estimator->data_source(), &here = run.task->info().data_source;
  if (simulates && trained != here)
    spdlog::warn(
        "{} was trained on {} and is used here on {}: its posteriors may be wrong; name the folder of {} with --data",
        run.name, trained, here, trained);
  return run;
}

void check_output(const std::filesystem::path& out, const std::string& extension,
                  const std::vector<std::filesystem::path>& inputs) {
  if (out.extension() != extension) fail_usage("--out {} must end in {}", printable(out.string(), 300), extension);
  std::error_code error;
  for (const std::filesystem::path& input : inputs)
    if (std::filesystem::equivalent(out, input, error))
      fail_usage("--out {} would replace the input {}; choose another file", printable(out.string(), 300),
                 printable(input.string(), 300));
  check_writable(out);
}

void warn_only_pretrained(const LoadedRun& run) {
  if (!run.finetuned && strategy(run.config.strategy).stages_2_and_3)
    spdlog::warn("{} is only pretrained: it answers for the small sets it saw, of at most {}", run.name,
                 run.estimator->max_n());
}

bool is_shipped(const LoadedRun& run) {
  std::error_code error;
  const auto relative = std::filesystem::relative(run.folder, assets_folder(), error);
  return !error && !relative.empty() && *relative.begin() != "..";
}

std::vector<std::int64_t> parse_counts(const std::string& text, const std::string& option) {
  std::vector<std::int64_t> values;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(", ", at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    char* rest = nullptr;
    const double value = std::strtod(word.c_str(), &rest);
    if (*rest != '\0' || !(value >= 1) || value > 1e12 || value != std::floor(value))
      fail_usage("{} holds {}, which is not a whole number from 1 to 1e12; write for example {} 1,2,100", option,
                 printable(word), option);
    values.push_back(static_cast<std::int64_t>(value));
  }
  if (values.empty()) fail_usage("{} is empty; write for example {} 1,2,100", option, option);
  return values;
}

std::vector<std::int64_t> parse_sizes(const std::string& text, const std::string& option) {
  std::vector<std::int64_t> sizes = parse_counts(text, option), sorted = sizes;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    fail_usage("{} names N = {} twice; name each size once", option, *twice);
  return sizes;
}

std::string data_folder(const std::string& option) {
  if (!option.empty()) return option;
  const char* named = std::getenv("PAIRS_DATA");
  return named ? named : "";
}

}  // namespace pairs::batch
