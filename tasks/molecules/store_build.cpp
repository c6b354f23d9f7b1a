#include "tasks/molecules/store_build.h"

#include <RDGeneral/versions.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/base/files/files.h"
#include "core/base/system/folder_wait.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/threads.h"
#include "tasks/molecules/chemistry/rdkit_graph.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

// Molecules in a batch, per thread: their times differ by more than ten to one.
constexpr int kJobsPerThread = 16;

// Runs job(k) for k in [0, count) on several threads, each taking the next. Starts no more once stop() returns true.
void run_jobs(std::size_t count, int threads, const std::function<bool()>& stop,
              const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    try {
      while (!failed && !(stop && stop())) {
        const std::size_t k = next++;
        if (k >= count) return;
        job(k);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      failed = true;
    }
  };
  {
    std::vector<std::jthread> pool;
    const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(std::max(1, threads)), count);
    for (std::size_t t = 1; t < wanted; ++t) pool.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
}

// Appends records to a store's file.
class StoreAppender {
 public:
  StoreAppender(const fs::path& file, std::uint64_t whole)
      : file_(file), out_(::open(file.c_str(), O_WRONLY | O_CLOEXEC)), end_(whole) {
    PAIRS_CHECK(out_ >= 0 && ::ftruncate(out_, static_cast<off_t>(whole)) == 0, "Cannot write {}: {}",
                printable(file.string(), 300), std::strerror(errno));
  }
  ~StoreAppender() { ::fdatasync(out_); }
  StoreAppender(const StoreAppender&) = delete;
  StoreAppender& operator=(const StoreAppender&) = delete;

  void append(std::string_view bytes) {
    std::uint64_t at = end_;
    const std::uint64_t behind = end_ + bytes.size();
    while (!bytes.empty()) {
      const ssize_t written = ::pwrite(out_, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        const int code = errno;
        (void)!::ftruncate(out_, static_cast<off_t>(end_));
        fail("Cannot write {}: {}; free some space and start again, what is there is kept",
             printable(file_.string(), 300), std::strerror(code));
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
      at += static_cast<std::uint64_t>(written);
    }
    end_ = behind;
  }

 private:
  fs::path file_;
  Descriptor out_;
  std::uint64_t end_;
};

class StoreBuilder {
 public:
  StoreBuilder(const ConformerStore& before, const ConformerSettings& settings, const StoreOptions& options)
      : settings_(settings),
        options_(options),
        threads_(options.threads > 0 ? options.threads : usable_cores()),
        appender_(before.file(), before.whole_bytes()),
        last_row_(before.last_row()) {
    for (std::int64_t m = 0; m < before.molecules(); ++m)
      known_.emplace(before.molecule(m).hash, before.molecule(m).atoms);
    at_ = {.molecules = before.molecules(), .set_aside = before.set_aside(), .wanted = options.molecules};
  }

  void build(const MoleculeSource& source) {
    const auto most = static_cast<std::size_t>(threads_ * kJobsPerThread);
    report();
    read_molecules(
        source, settings_.limits,
        [&](MoleculeEntry&& entry) {
          if (options_.stop && options_.stop()) throw Stopped();
          const std::int64_t row = row_++;
          if (row <= last_row_) return true;
          jobs_.emplace_back();
          jobs_.back().row = row;
          jobs_.back().entry = std::move(entry);
          const std::size_t room =
              options_.molecules > 0 ? static_cast<std::size_t>(options_.molecules - at_.molecules) : most;
          if (jobs_.size() >= std::min(most, room)) flush();
          return !enough();
        },
        &share_);
    if (enough()) return;
    flush();
    if (enough()) return;
    appender_.append(pack_store_end(row_));
    share_ = 1.0;
    report();
  }

 private:
  struct Job {
    std::int64_t row = 0;
    MoleculeEntry entry;
    std::optional<Molecule> molecule;
    std::optional<PreparedMolecule> prepared;
    Refusal refusal;
    bool done = false;
    std::string smiles;
  };

  bool enough() const { return options_.molecules > 0 && at_.molecules >= options_.molecules; }

  void parse(Job& job) const {
    job.smiles = job.entry.smiles.empty() ? job.entry.name : job.entry.smiles;
    if (job.entry.bad) {
      job.refusal = {*job.entry.bad, job.entry.detail};
      job.done = true;
      return;
    }
    std::variant<Molecule, Refusal> parsed = parse_molecule(job.entry.smiles, settings_.limits);
    if (Molecule* molecule = std::get_if<Molecule>(&parsed)) {
      job.molecule = std::move(*molecule);
    } else {
      job.refusal = std::get<Refusal>(std::move(parsed));
      job.done = true;
    }
  }

  void prepare(Job& job) const {
    if (job.done) return;
    std::variant<PreparedMolecule, Refusal> made = prepare_molecule(*job.molecule, std::move(job.entry), settings_);
    if (PreparedMolecule* prepared = std::get_if<PreparedMolecule>(&made))
      job.prepared = std::move(*prepared);
    else
      job.refusal = std::get<Refusal>(std::move(made));
    job.molecule.reset();
    job.done = true;
  }

  // Prepares the waiting molecules and writes them in order.
  void flush() {
    run_jobs(jobs_.size(), threads_, {}, [&](std::size_t k) { parse(jobs_[k]); });
    // Which of the molecules to embed occurred earlier in the source, and where.
    std::unordered_map<std::uint64_t, std::size_t> first;
    std::vector<bool> repeats(jobs_.size(), false);
    for (std::size_t k = 0; k < jobs_.size(); ++k) {
      Job& job = jobs_[k];
      if (job.done || job.entry.conformers() > 0) continue;
      const std::uint64_t hash = molecule_hash(job.molecule->canonical);
      if (known_.contains(hash)) {
        job.refusal = {SetAsideReason::duplicate, ""};
        job.done = true;
      } else {
        repeats[k] = !first.emplace(hash, k).second;
      }
    }
    run_jobs(jobs_.size(), threads_, options_.stop, [&](std::size_t k) {
      if (!repeats[k]) prepare(jobs_[k]);
    });
    for (std::size_t k = 0; k < jobs_.size() && !enough(); ++k) {
      Job& job = jobs_[k];
      if (repeats[k] && !job.done) {
        // It would be embedded from the same seed with the same result: equal to its first occurrence, or none.
        if (known_.contains(molecule_hash(job.molecule->canonical)))
          job.refusal = {SetAsideReason::duplicate, ""};
        else
          prepare(job);
        job.done = true;
      }
      if (!job.done) throw Stopped();
      if (job.prepared && job.prepared->graph_order && known_.contains(job.prepared->hash)) {
        job.prepared.reset();
        job.refusal = {SetAsideReason::duplicate, ""};
      }
      write(job);
    }
    jobs_.clear();
    report();
  }

  void write(Job& job) {
    if (job.prepared) {
      const auto atoms = static_cast<std::int32_t>(job.prepared->elements.size());
      if (known_.emplace(job.prepared->hash, atoms).second) ++at_.molecules;
      appender_.append(pack_molecule(job.row, *job.prepared));
    } else {
      ++at_.set_aside;
      appender_.append(pack_set_aside(
          job.row, {job.refusal.reason, job.entry.place, printable(job.smiles, 200), job.refusal.detail}));
    }
  }

  void report() {
    if (!options_.progress) return;
    const double counted = at_.wanted > 0 ? static_cast<double>(at_.molecules) / static_cast<double>(at_.wanted) : 0.0;
    at_.share = std::min(1.0, std::max(counted, share_));
    options_.progress(at_);
  }

  const ConformerSettings& settings_;
  const StoreOptions& options_;
  int threads_;
  StoreAppender appender_;
  std::int64_t last_row_, row_ = 0;
  std::unordered_map<std::uint64_t, std::int32_t> known_;
  std::vector<Job> jobs_;
  StoreProgress at_;
  double share_ = 0.0;
};

}  // namespace

std::string store_settings(const MoleculeSource& source, const ConformerSettings& settings) {
  std::string added = source.charged ? " with charged forms" : "";
  if (source.variants > 0) added += fmt::format(" with {} variants of stage 1's", source.variants);
  const std::string first =
      settings.pretrain_conformers > 0 ? fmt::format("conformers in stage 1 {}\n", settings.pretrain_conformers) : "";
  return fmt::format(
      "molecules 2\nsource {}{}\ncolumns '{}' '{}'\nconformers {}\n{}optimize {}\nseed {}\nattempts {}\natoms {}\n"
      "kept {}\n"
      "rdkit {}\n",
      file_identity(source.file), added, source.columns.smiles, source.columns.name, settings.conformers, first,
      settings.optimize ? "MMFF94" : "none", settings.seed, settings.attempts, settings.limits.atoms,
      settings.limits.conformers, RDKit::rdkitVersion);
}

fs::path store_folder(const fs::path& caches, const MoleculeSource& source, const ConformerSettings& settings) {
  return caches / fmt::format("molecules-{:016x}", molecule_hash(store_settings(source, settings)));
}

std::shared_ptr<const ConformerStore> build_store(const fs::path& caches, const MoleculeSource& source,
                                                  const ConformerSettings& settings, const StoreOptions& options) {
  PAIRS_CHECK(settings.conformers >= 1, "A molecule needs at least one conformer, not {}", settings.conformers);
  prepare_rdkit();
  const std::string text = store_settings(source, settings);
  const fs::path folder = store_folder(caches, source, settings), file = store_file(folder);
  const auto has_all = [&](const ConformerStore& store) {
    PAIRS_CHECK(store.settings() == text, "{} belongs to other settings; remove it and prepare the molecules again",
                printable(file.string(), 300));
    return store.complete() || (options.molecules > 0 && store.molecules() >= options.molecules);
  };
  std::error_code error;
  if (fs::exists(file, error)) {
    const auto store = std::make_shared<const ConformerStore>(folder, options.molecules);
    if (has_all(*store)) return store;
  }
  fs::create_directories(folder, error);
  PAIRS_CHECK(!error, "Cannot create the folder {}: {}", printable(folder.string(), 300), error.message());
  {
    const std::unique_ptr<FolderLock> lock = wait_for_folder(folder, options.stop);
    if (!fs::exists(file, error)) write_file(file, pack_store_header(text));
    const ConformerStore before(folder);
    if (!has_all(before)) StoreBuilder(before, settings, options).build(source);
  }
  return std::make_shared<const ConformerStore>(folder, options.molecules);
}

}  // namespace pairs
