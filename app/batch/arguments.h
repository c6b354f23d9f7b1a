#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/runs/places.h"
#include "app/text/counts.h"
#include "core/train/run.h"
#include "render/orthographic_camera.h"
#include "tasks/catalogue.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// Options shared by commands that open a run.
struct OpenArguments {
  Catalogue tasks;  // of one of which the run is
  std::string data;
  std::string data_option = "--data";  // that names it
  std::string device = "auto";
  std::int64_t threads = 0;
  bool allow = false;  // the program of a task of a person's own
};
void add_open_arguments(CLI::App& app, OpenArguments& arguments);
// The same without --data, where that names something else.
void add_machine_arguments(CLI::App& app, OpenArguments& arguments);

// Applies the thread count and loads the run or the shipped weights. Throws Error.
// `simulates` false: the command reads observations of its own, so the task's data does not matter.
LoadedRun open_run(const std::string& name, const OpenArguments& arguments, bool simulates = true);

// Refuses, before any work, a result file of another ending (which keeps a run's own files safe), one that would
// replace one of `inputs`, and one that cannot be written.
void check_output(const std::filesystem::path& out, const std::string& extension,
                  const std::vector<std::filesystem::path>& inputs = {}, const char* option = "--out");
// The same for a folder of results, which may be there already: `fresh`, only without files.
void check_output_folder(const std::filesystem::path& out, bool fresh);

// A camera "30,45" in degrees, as `option` was given it. Throws a usage error.
render::Camera parse_camera(const std::string& text, const char* option);

// Refuses runs of a built-in task whose scores are of different data. Of a person's own, digests of the test sets tell.
void check_same_data(const std::vector<LoadedRun>& runs);

// Says so on stderr when a run of three stages has only finished its first.
void warn_only_pretrained(const LoadedRun& run);

// CPU threads for this process, at most one a core; 0 leaves LibTorch's choice (all cores).
void set_threads(std::int64_t threads);

}  // namespace pairs::batch
