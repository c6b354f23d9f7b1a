#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/batch/arguments.h"
#include "app/batch/command.h"
#include "app/text/number_text.h"
#include "app/text/table.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "tasks/digits/images.h"

namespace pairs::batch {
namespace {

constexpr const char* kMnistFiles[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                       "t10k-labels-idx1-ubyte"};

// The file with or without .gz, in the folder or in its sub-folder mnist; empty when there is neither.
std::string find_mnist(const std::filesystem::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const std::filesystem::path& place : {folder, folder / "mnist"})
    for (const char* ending : {".gz", ""})
      if (const auto file = place / (name + ending); std::filesystem::is_regular_file(file, ignored))
        return file.string();
  return "";
}

Result show_data(const std::string& option) {
  const std::string folder = data_folder(option);
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    fail("The data folder {} does not exist or is none; name another with --data or PAIRS_DATA", folder);
  Result result;
  nlohmann::json files = nlohmann::json::array();
  Table table({{"data set", false}, {"task", false}, {"file", false}, {"found", false}});
  std::size_t found = 0;
  for (const char* name : kMnistFiles) {
    const std::string at = folder.empty() ? "" : find_mnist(folder, name);
    found += at.empty() ? 0 : 1;
    nlohmann::json line = {{"name", name}, {"found", !at.empty()}};
    if (!at.empty()) line["file"] = at;
    files.push_back(line);
    table.add({"MNIST", "digits", fmt::format("{}[.gz]", name), at.empty() ? "missing" : at});
  }
  nlohmann::json mnist = {{"name", "MNIST"}, {"task", "digits"}, {"files", files}, {"usable", false}};
  std::string verdict;
  if (found == std::size(kMnistFiles)) {
    try {
      const auto source = read_mnist(folder);
      mnist["usable"] = true;
      mnist["training_images"] = source->train.images.size(0);
      mnist["test_images"] = source->test.images.size(0);
      mnist["source"] = source->name;
      if (source->name != "MNIST")
        spdlog::warn("The files in {} have MNIST's layout but are not MNIST: runs and figures call them \"{}\"", folder,
                     source->name);
      verdict = fmt::format("{}: {} training and {} test images\n", source->name,
                            count_text(source->train.images.size(0)), count_text(source->test.images.size(0)));
    } catch (const Error& error) {
      mnist["reason"] = error.what();
      verdict = fmt::format("MNIST cannot be used: {}\n", error.what());
    }
  } else {
    mnist["reason"] = fmt::format("{} of {} files are missing", std::size(kMnistFiles) - found, std::size(kMnistFiles));
    verdict = found == 0 ? "MNIST: not found; without --data the task digits runs on generated digits and says so\n"
                         : fmt::format("MNIST: {}; the task digits needs all four in one folder\n",
                                       mnist["reason"].get<std::string>());
  }
  result.document = {{"folder", folder}, {"sets", {mnist}}};
  result.text =
      fmt::format("Data folder: {}\n\n{}\n{}",
                  folder.empty() ? "none (name one with --data DIR or PAIRS_DATA)" : folder, table.text(), verdict);
  return result;
}

}  // namespace

Action add_data(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  app.add_option("--data", *folder, "Folder of real data (default: $PAIRS_DATA)")->type_name("DIR");
  app.footer(
      "Example:\n  pairs --batch data --data ~/datasets\nMNIST is read as it is distributed: four IDX files, gzipped "
      "or "
      "plain, in the folder or in mnist/ below it.");
  return [folder] { return show_data(*folder); };
}

}  // namespace pairs::batch
