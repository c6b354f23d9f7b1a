#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/batch/convert/converted_file.h"
#include "app/batch/parts/command.h"
#include "app/text/counts.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
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
  result.document["problems"] = nlohmann::json::array();
  std::set<std::string> seen;
  for (const std::string& path : arguments.paths) {
    Conversion made;
    try {
      made = convert_files(path, arguments.dry);
    } catch (const Error& error) {
      if (arguments.paths.size() == 1) throw;
      made.problems.emplace_back(error.what());
    }
    for (const ConvertedFile& file : made.files) {
      if (!seen.insert(file.before.lexically_normal().string()).second) continue;
      const std::string before = printable(file.before.string(), 4096), now = printable(file.now.string(), 4096);
      result.document["files"].push_back({{"before", before}, {"now", now}});
      result.text += before;
      if (now != before) result.text += " -> " + printable(file.now.filename().string(), 4096);
      result.text += '\n';
      ++files;
    }
    for (const std::string& problem : made.problems) {
      result.document["problems"].push_back(problem);
      print(fmt::format("pairs: {}\n", printable(problem, 2000)));
      result.exit_code = 1;
    }
  }
  result.text += files == 0
                     ? "Nothing to convert\n"
                     : fmt::format("{} {}\n", counted(files, "file"), arguments.dry ? "to convert" : "converted");
  return result;
}

}  // namespace

Action add_convert(CLI::App& app, const Catalog&) {
  const auto arguments = std::make_shared<ConvertArguments>();
  app.add_option("PATH", arguments->paths,
                 "Files (task.toml, sessions, studies, presets), runs, or folders of runs and task files")
      ->required()
      ->type_name("FILE|DIR");
  app.add_flag("--dry-run", arguments->dry, "Lists the files without changing them");
  app.footer(R"(Renames what has another name since an earlier version: keys, and files in run folders
(CHANGELOG.md lists them). Numbers, weights and comments stay; results are the same to the bit.
Compiled and Python simulators need no change. Name studies and presets by their files. A file that is
damaged stays as it is and is reported; the others are converted, and the exit code is 1.
Examples:
  pairs --batch convert my/task.toml work.pairs
  pairs --batch convert runs/)");
  return [arguments] { return convert(*arguments); };
}

}  // namespace pairs::batch
