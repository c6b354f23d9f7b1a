#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/runs/places.h"
#include "app/text/counts.h"
#include "core/train/run/run.h"
#include "render/orthographic_camera.h"
#include "tasks/catalog.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// Options shared by commands that open a run.
struct OpenArguments {
  Catalog tasks;  // include the task of the run
  std::string data;
  std::string data_option = "--data";  // the option that names it
  std::string device = "auto";
  std::int64_t threads = 0;
  bool allow = false;  // permits the program of a custom task
};
void add_open_arguments(CLI::App& app, OpenArguments& arguments);
// Adds them without --data, for commands where that means something else.
void add_machine_arguments(CLI::App& app, OpenArguments& arguments);

// Applies the thread count and loads the run or the shipped weights. Throws Error.
// `simulates` false: the command reads observations of its own, so the task's data does not matter.
LoadedRun open_run(const std::string& name, const OpenArguments& arguments, bool simulates = true);

// Throws, before any work, for a result file with another extension (which protects a run's own files), one that would
// replace one of `inputs`, and one that cannot be written.
void check_output(const std::filesystem::path& out, const std::string& extension,
                  const std::vector<std::filesystem::path>& inputs = {}, const char* option = "--out");
// Checks a folder of results, which may exist: `fresh` requires that it has no files.
void check_output_folder(const std::filesystem::path& out, bool fresh);

// Parses a camera "30,45" in degrees, the argument of `option`. Throws a usage error.
render::Camera parse_camera(const std::string& text, const char* option);

// Throws for runs of a built-in task whose scores are on different data. For custom tasks, digests identify the test
// sets.
void check_same_data(const std::vector<LoadedRun>& runs);

// Warns on stderr if a run of three stages has finished only the first.
void warn_only_pretrained(const LoadedRun& run);

// Sets the CPU threads of this process, at most one per core; 0 keeps LibTorch's choice (all cores).
void set_threads(std::int64_t threads);

}  // namespace pairs::batch
