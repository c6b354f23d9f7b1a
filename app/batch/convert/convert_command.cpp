#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/batch/convert/converted_file.h"
#include "app/batch/parts/command.h"
#include "app/text/counts.h"
#include "core/base/text/text.h"

namespace pairs::batch {
namespace {

struct ConvertArguments {
  std::vector<std::string> paths;
  bool dry = false;
};

Result convert(const ConvertArguments& arguments) {
  Result result;
  result.document["files"] = nlohmann::json::array();
  std::size_t files = 0;
  for (const std::string& path : arguments.paths)
    for (const ConvertedFile& file : convert_files(path, arguments.dry)) {
      result.document["files"].push_back({{"before", file.before.string()}, {"now", file.now.string()}});
      result.text += printable(file.before.string(), 4096);
      if (file.now != file.before) result.text += fmt::format(" -> {}", file.now.filename().string());
      result.text += '\n';
      ++files;
    }
  result.text += files == 0 ? "Nothing to convert\n"
                            : fmt::format("{} {}\n", counted(files, "file"), arguments.dry ? "to convert" : "converted");
  return result;
}

}  // namespace

Action add_convert(CLI::App& app, const Catalog&) {
  const auto arguments = std::make_shared<ConvertArguments>();
  app.add_option("PATH", arguments->paths, "Runs, studies, sessions (.pairs), task.toml files, or folders of these")
      ->required()
      ->type_name("FILE|DIR");
  app.add_flag("--dry-run", arguments->dry, "Lists the files without changing them");
  app.footer(R"(Renames what has another name since an earlier version: keys, and files in run folders
(CHANGELOG.md lists them). Numbers, weights and comments stay; results are the same to the bit.
Compiled and Python simulators need no change.
Examples:
  pairs --batch convert my/task.toml work.pairs
  pairs --batch convert runs/)");
  return [arguments] { return convert(*arguments); };
}

}  // namespace pairs::batch
