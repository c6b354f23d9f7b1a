#include "app/model/library/run_scan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "app/runs/run_about.h"
#include "app/runs/strategy_look.h"
#include "app/runs/task_options.h"
#include "app/scores/learned.h"
#include "app/scores/run_evaluation.h"
#include "core/base/fields/fields.h"
#include "core/base/files/descriptor.h"
#include "core/base/files/files.h"
#include "core/base/files/safetensors_header.h"
#include "core/base/system/crash_report.h"
#include "core/base/text/error.h"
#include "core/base/text/json.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/train/cache/left_aggregates.h"
#include "core/train/run/run.h"
#include "core/train/run/run_progress.h"
#include "core/train/run/shipped.h"

namespace pairs::model {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostRunFolders = 5000, kMostFiles = 10000;      // checked in one folder
constexpr std::uint64_t kLogTail = 256 << 10, kMostHeader = 16 << 20;  // bytes
constexpr std::uintmax_t kMostScores = 256 << 20;
constexpr double kMayFill = 30;  // seconds in which a new folder may still get its run.toml

constexpr std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

// The state of a run's files, found without opening them.
struct Extent {
  std::uint64_t bytes = 0, signature = 0;
  std::int64_t created = 0, changed = 0;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 12) + (a >> 4);
  a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9ull;
  return a ^ (a >> 27);
}

Extent measure(const fs::path& folder, const std::function<void()>& between) {
  Extent extent;
  std::error_code error;
  std::size_t seen = 0;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end && ++seen < kMostFiles; at.increment(error)) {
    between();
    struct stat status {};
    if (::lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    extent.bytes += static_cast<std::uint64_t>(status.st_size);
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) continue;
    std::uint64_t file = std::hash<std::string>{}(at->path().string());
    for (const std::int64_t part : {static_cast<std::int64_t>(status.st_size), nanoseconds(status.st_mtim),
                                    static_cast<std::int64_t>(status.st_ino)})
      file = mixed(file, static_cast<std::uint64_t>(part));
    extent.signature += file;  // independent of the order of a folder's files
    if (name == run_file::config) extent.created = status.st_mtim.tv_sec;
    if (name != kAboutFile) extent.changed = std::max<std::int64_t>(extent.changed, status.st_mtim.tv_sec);
  }
  if (extent.created == 0) extent.created = extent.changed;
  return extent;
}

// Reads run.toml.
void read_settings(const Tasks& tasks, const fs::path& folder, RunEntry& entry) {
  entry.config = std::make_shared<const RunConfig>(read_run_toml(tasks, folder / run_file::config));
  const RunConfig& config = *entry.config;
  entry.task = config.task;
  entry.strategy = strategy(config.strategy).name;
  entry.strategy_title = run_title(config);
  entry.role = strategy_role(config.strategy);
  entry.preset = config.preset;
  entry.seed = config.seed;
  if (entry.note.empty()) entry.note = config.note;
}

void read_run(const Tasks& tasks, const fs::path& folder, RunEntry& entry, const std::function<void()>& between) {
  PAIRS_CHECK(fs::exists(folder / run_file::config), "{} holds no {}; put it back, or delete what is left of the run",
              printable(folder.string(), 300), run_file::config);
  read_settings(tasks, folder, entry);
  between();
  const RunProgress progress = read_recent_progress(folder / run_file::events);
  between();
  if (progress.begun()) entry.stage = static_cast<int>(progress.current()) + 1;
  entry.share = progress.share(*entry.config);
  entry.learned_nothing = progress.learned_nothing();
  RunStatus status;
  try {
    status = run_status(folder);
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    fail("The log {} is damaged; move it away and resume the run",
         printable((folder / run_file::events).string(), 300));
  }
  entry.pretrained = status.pretrained;
  entry.cached = status.cached;
  entry.finished = status.finished;
  entry.crash = crash_text(folder);
}

// The subfolders that may be runs, without hidden ones.
std::vector<fs::path> folders_in(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end && found.size() < kMostRunFolders;
       at.increment(error)) {
    std::error_code ignored;
    if (!at->path().filename().string().starts_with('.') && at->is_directory(ignored)) found.push_back(at->path());
  }
  return found;
}

// The folders of a task's shipped weights. If the data folder is wrong, which the Task tab reports, only those without
// data.
std::vector<fs::path> shipped_folders(const Tasks& tasks, const std::string& task, const std::string& data) {
  try {
    return all_fitting_weights(tasks, task, data);
  } catch (const Error&) {
    return data.empty() ? std::vector<fs::path>() : shipped_folders(tasks, task, "");
  }
}

// The data on which the weights in a safetensors file were trained, from its header; "" if it does not state them.
std::string data_source_of(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return "";  // a pipe would block
  std::ifstream in(file, std::ios::binary);
  std::uint64_t length = 0;
  if (!in.read(reinterpret_cast<char*>(&length), sizeof length) || length > kMostHeader) return "";
  std::string header(length, '\0');
  if (!in.read(header.data(), static_cast<std::streamsize>(length))) return "";
  const auto metadata = parse_safetensors_header(header, file.string()).metadata;
  const auto data = metadata.find("data_source");
  return data == metadata.end() ? "" : data->second;
}

std::string file_stamp(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "none;";
  return fmt::format("{} {} {};", status.st_ino, status.st_size, nanoseconds(status.st_mtim));
}

// Verdicts of shipped weights by folder, with the stamp of their files: the scores that come with the program are
// megabytes, which each scan of a process would read again.
struct KnownVerdicts {
  std::mutex mutex;
  std::map<std::string, std::pair<std::string, EvaluationVerdict>> by_folder;
};
KnownVerdicts& known_verdicts() {
  static KnownVerdicts known;
  return known;
}

fs::path plain(const fs::path& folder) {
  std::error_code error;
  fs::path path = fs::absolute(folder, error).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

bool holds_run(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {run_file::config, run_file::events, run_file::estimator, run_file::pretrained})
    if (fs::is_regular_file(folder / name, error)) return true;
  return false;
}

void RunScan::read_data(const fs::path& folder, const std::string& data, Known& known) {
  RunEntry& entry = known.entry;
  const EvaluationVerdict before = std::exchange(entry.verdict, {});
  entry.trained_on.clear();
  entry.data_here.clear();
  if (!entry.problem.empty() || (!entry.finished && !entry.pretrained)) return;
  try {
    const fs::path weights = folder / (entry.finished ? run_file::estimator : run_file::pretrained);
    entry.trained_on = data_source_of(weights);
    between();
    RunConfig config = read_run_toml(tasks_, folder / run_file::config);
    if (!data.empty()) config.data = data;
    const auto source = config.data.empty() ? sources_.end() : sources_.find(config.task + "\n" + config.data);
    const TaskInfo info =
        tasks_->make(config.task, source == sources_.end() ? config.task_options() : options_without_data(config))
            ->info();
    entry.data_here = source == sources_.end() ? info.data_source : source->second;
    if (!config.data.empty()) sources_[config.task + "\n" + config.data] = entry.data_here;
    const std::string scores = file_stamp(folder / run_file::metrics) + file_stamp(weights) + entry.data_here;
    if (scores == known.scores) {
      entry.verdict = before;
      return;
    }
    known.scores = scores;
    if (entry.shipped) {
      const std::lock_guard lock(known_verdicts().mutex);
      const auto found = known_verdicts().by_folder.find(folder.string());
      if (found != known_verdicts().by_folder.end() && found->second.first == scores) {
        entry.verdict = found->second.second;
        return;
      }
    }
    std::error_code error;
    if (fs::file_size(folder / run_file::metrics, error) > kMostScores || error) return;
    const auto metrics = scores_on_disk(tasks_, weights, entry.data_here).metrics;
    if (!metrics) return;
    std::vector<std::string> targets;
    for (const Target& target : info.targets) targets.push_back(target.label);
    entry.verdict = evaluation_verdict(metrics->rows, {targets, 0, metrics->companion});
    if (entry.shipped) {
      const std::lock_guard lock(known_verdicts().mutex);
      known_verdicts().by_folder[folder.string()] = {scores, entry.verdict};
    }
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception&) {
    // The tabs that need them report damaged weights, data and scores.
  }
}

RunEntry RunScan::read(const fs::path& folder, const std::string& run, bool shipped, const std::string& data) {
  Known& known = known_[folder.string()];
  const Extent extent = measure(folder, [this] { between(); });
  if (known.signature != extent.signature || known.data != data || known.entry.run.empty()) {
    const Stopwatch watch;
    RunEntry entry;
    entry.run = run;
    entry.folder = folder;
    const RunAbout about = read_about(folder);
    entry.note = about.note;
    entry.tags = about.tags;
    entry.archived = about.archived;
    entry.shipped = shipped;
    try {
      read_run(tasks_, folder, entry, [this] { between(); });
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      entry.problem = sentence(error);
    }
    entry.name = !about.name.empty() ? about.name : shipped ? shipped_name(tasks_, folder) : folder.filename().string();
    entry.verdict = known.entry.verdict;
    known.entry = std::move(entry);
    known.signature = extent.signature;
    known.data = data;
    between();
    read_data(folder, data, known);
    if (known.entry.verdict.text.empty() && known.entry.learned_nothing)
      known.entry.verdict = learned_nothing_verdict();
    reading_seconds_ += watch.seconds();
  }
  RunEntry entry = known.entry;
  entry.bytes = extent.bytes;
  entry.signature = extent.signature;
  entry.aggregates = entry.shipped ? 0 : aggregates_bytes(folder);
  entry.created = extent.created;
  entry.changed = extent.changed;
  entry.training = !shipped && is_locked(folder);
  return entry;
}

void RunScan::between() {
  if (stop_ && stop_()) throw Stopped();
  if (report_ && since_glance_.seconds() > kBetweenGlances) glance_now();
}

void RunScan::glance(const Places& places) {
  places_ = places;
  glance_now();
}

void RunScan::glance_now() {
  std::vector<RunEntry> found;
  std::map<std::string, Stopwatch> empty;
  const auto glance_at = [&](const fs::path& parent) {
    std::error_code error;
    for (const fs::path& folder : folders_in(parent, error)) {
      const std::string run = folder.string();
      const auto known = known_.find(run);
      if (found_.contains(run) || (known != known_.end() && !known->second.entry.run.empty())) continue;
      const Stopwatch since = empty_.try_emplace(run).first->second;
      if (since.seconds() < kMayFill && fs::exists(folder / run_file::config, error)) {
        RunEntry& entry = found.emplace_back();
        entry.run = run;
        entry.folder = folder;
        entry.name = folder.filename().string();
        entry.created = entry.changed = std::time(nullptr);
        try {
          read_settings(tasks_, folder, entry);
          entry.glanced = true;
          found_.insert(run);
          continue;
        } catch (const std::exception&) {
          found.pop_back();  // the next scan reports the error
        }
      }
      empty.emplace(run, since);
    }
  };
  if (!places_.runs_folder.empty()) glance_at(plain(places_.runs_folder));
  for (const fs::path& folder : places_.added)
    if (!known_.contains(plain(folder).string())) glance_at(plain(folder));
  empty_ = std::move(empty);
  if (!found.empty()) {
    listing_.runs.insert(listing_.runs.begin(), found.begin(), found.end());
    if (report_) report_(listing_);
  }
  since_glance_.restart();
}

RunScan::Listing RunScan::look(const Places& places) {
  const auto& [runs_folder, added, data] = places_ = places;
  const std::set<std::string> known_before = found_;
  since_glance_.restart();
  Listing listing;
  reading_seconds_ = 0;
  std::vector<RunEntry> shipped;
  std::set<std::string> alive;
  std::set<std::pair<dev_t, ino_t>> seen;  // a folder may be reached on several paths
  const auto take = [&](const fs::path& folder, const std::string& run, std::vector<RunEntry>& into) {
    between();
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0 || !seen.emplace(status.st_dev, status.st_ino).second) return;
    alive.insert(folder.string());
    into.push_back(read(folder, run, &into == &shipped, data));
  };
  const auto take_all = [&](const fs::path& parent, std::error_code& error) {
    std::vector<fs::path> others;
    for (const fs::path& folder : folders_in(parent, error)) {
      if (holds_run(folder))
        take(folder, folder.string(), listing.runs);
      else
        others.push_back(folder);
    }
    for (const fs::path& other : others) {
      std::error_code ignored;
      for (const fs::path& folder : folders_in(other, ignored))
        if (holds_run(folder)) take(folder, folder.string(), listing.runs);
      between();
    }
  };

  for (const std::string& task : tasks_->names())
    for (const fs::path& folder : shipped_folders(tasks_, task, data)) {
      const bool first =
          std::none_of(shipped.begin(), shipped.end(), [&](const RunEntry& one) { return one.run == task; });
      take(folder, first ? task : folder.string(), shipped);
    }
  std::error_code error;
  if (!runs_folder.empty() && fs::exists(runs_folder, error)) take_all(plain(runs_folder), error);
  if (error)
    listing.problem =
        fmt::format("The folder of runs {} cannot be read: {}; choose another under Runs on the Settings page",
                    printable(runs_folder.string(), 300), error.message());
  for (const fs::path& folder : added) {
    std::error_code ignored;
    if (holds_run(folder))
      take(plain(folder), plain(folder).string(), listing.runs);
    else
      take_all(plain(folder), ignored);
  }
  std::stable_sort(listing.runs.begin(), listing.runs.end(), [](const RunEntry& a, const RunEntry& b) {
    return a.created != b.created ? a.created > b.created : a.name < b.name;
  });
  listing.runs.insert(listing.runs.end(), shipped.begin(), shipped.end());
  std::erase_if(known_, [&](const auto& known) { return !alive.contains(known.first); });
  // Findings of glances in the meantime stay until the next scan; deleted runs are removed.
  std::erase_if(found_, [&](const std::string& run) { return alive.contains(run) || known_before.contains(run); });
  std::erase_if(listing_.runs, [&](const RunEntry& one) { return !found_.contains(one.run); });
  listing.runs.insert(listing.runs.begin(), listing_.runs.begin(), listing_.runs.end());
  listing_ = listing;
  return listing;
}

}  // namespace pairs::model
