#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

#include "app/runs/places.h"
#include "app/runs/run_about.h"
#include "app/session/session.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"
#include "core/train/run/simulator_record.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

// Whether inference, scores and reports of a run read the file: excludes the user's files and those only for training.
bool of_answers(const fs::path& run, const fs::path& file, bool finished) {
  const fs::path inside = file.lexically_relative(run);
  if (!inside.empty() && *inside.begin() == "simulations") return true;  // for a budget: they are also its test sets
  const std::string name = file.filename().string();
  for (const char* one : {run_file::config, run_file::task, run_file::events, run_file::estimator, run_file::stored,
                          run_file::metrics, kSimulatorFile, kAboutFile})
    if (name == one) return true;
  // app/posterior/validation: external_validation_file.h, known_values.h, known_parts.h
  if (name == "external-validation.json" || name == "external-validation-parts.npz" ||
      name == "external-validation-values.npz")
    return true;
  return name == run_file::pretrained && !finished;
}

// Copies runs and files to a folder, each once, and returns their new paths.
class Packing {
 public:
  Packing(fs::path folder, const std::function<bool()>& keep_going)
      : folder_(std::move(folder)), keep_going_(keep_going) {}

  std::string run(const std::string& run) {
    if (!run.starts_with('/') || is_shipped(run)) return run;
    PAIRS_CHECK(fs::exists(fs::path(run) / run_file::config),
                "The run {} is missing; a session is packed with its runs", printable(run, 300));
    const bool finished = run_status(run).finished;
    const fs::path root = fs::path(run).has_filename() ? fs::path(run) : fs::path(run).parent_path();
    return put(run, "runs", [root, finished](const fs::path& file) { return of_answers(root, file, finished); });
  }
  std::string data(const std::string& file) {
    if (!file.starts_with('/')) return file;
    PAIRS_CHECK(fs::exists(file), "The data {} are missing; a session is packed with its data", printable(file, 300));
    return put(file, "data", [](const fs::path&) { return true; });
  }

 private:
  std::string put(const std::string& from, const char* room, const std::function<bool(const fs::path&)>& wanted) {
    const auto known = there_.find(from);
    if (known != there_.end()) return known->second.string();
    const fs::path source = fs::path(from).has_filename() ? fs::path(from) : fs::path(from).parent_path();
    const fs::path inside = fs::weakly_canonical(folder_).lexically_relative(fs::weakly_canonical(source));
    PAIRS_CHECK(inside.empty() || *inside.begin() == "..",
                "The session cannot be packed into a folder inside {}, which goes along with it; choose a folder "
                "outside of that",
                printable(source.string(), 300));
    fs::path to = folder_ / room / source.filename();
    for (int k = 2; fs::exists(to); ++k)
      to = folder_ / room / fmt::format("{}-{}{}", source.stem().string(), k, source.extension().string());
    fs::create_directories(to.parent_path());
    copy(source, to, wanted);
    there_[from] = to;
    return to.string();
  }
  void copy(const fs::path& from, const fs::path& to, const std::function<bool(const fs::path&)>& wanted) {
    if (!keep_going_()) throw Stopped();
    if (!fs::is_directory(from)) {
      PAIRS_CHECK(fs::is_regular_file(from), "{} is no file that could be sent along", printable(from.string(), 300));
      fs::copy_file(from, to);
      return;
    }
    fs::create_directory(to);
    for (const fs::directory_entry& entry : fs::directory_iterator(from))
      if (wanted(entry.path()) && (entry.is_directory() || entry.is_regular_file()))
        copy(entry.path(), to / entry.path().filename(), wanted);
  }

  fs::path folder_;
  const std::function<bool()>& keep_going_;
  std::map<std::string, fs::path> there_;
};

void fill(SavedSession session, const fs::path& folder, const std::function<bool()>& keep_going) {
  Packing packing(folder, keep_going);
  session.task_file = packing.data(session.task_file);
  change_paths(
      session.question, [&](const std::string& run) { return packing.run(run); },
      [&](const std::string& file) { return packing.data(file); });
  for (std::string& run : session.compared) run = packing.run(run);
  write_session(folder / "session.pairs", session);
}

}  // namespace

void pack_session(const SavedSession& session, const fs::path& named, const std::function<bool()>& keep_going) {
  const fs::path folder = fs::absolute(named).lexically_normal();
  std::error_code error;
  const bool there = fs::exists(folder, error);
  PAIRS_CHECK(!there || (fs::is_directory(folder, error) && fs::is_empty(folder, error)),
              "{} holds something already; name a new folder or an empty one", printable(folder.string(), 300));
  PAIRS_CHECK(fs::is_directory((folder.has_filename() ? folder : folder.parent_path()).parent_path(), error),
              "The folder that {} would stand in does not exist; make it", printable(folder.string(), 300));
  try {
    write_folder_through(folder, [&](const fs::path& fresh) { fill(session, fresh, keep_going); });
  } catch (const fs::filesystem_error& problem) {
    fail("The session cannot be packed into {}: {}", printable(folder.string(), 300), problem.code().message());
  }
}

}  // namespace pairs
