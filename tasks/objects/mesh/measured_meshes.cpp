#include "tasks/objects/mesh/measured_meshes.h"

#include <ATen/Parallel.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/base/files/files.h"
#include "core/base/system/folder_wait.h"
#include "core/base/system/memory.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/objects/mesh/mesh_folder.h"
#include "tasks/objects/mesh/mesh_form.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

constexpr const char* facts_file_name = "facts.txt";

// Encodes bytes as a field of a line: separators and '%' become %XX.
std::string to_field(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= ' ' && c != '%')
      out += c;
    else
      out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}
std::string from_field(std::string_view field) {
  std::string out;
  for (std::size_t k = 0; k < field.size(); ++k) {
    unsigned byte = 0;
    if (field[k] == '%' && k + 2 < field.size() &&
        std::from_chars(field.data() + k + 1, field.data() + k + 3, byte, 16).ec == std::errc()) {
      out += static_cast<char>(byte);
      k += 2;
    } else {
      out += field[k];
    }
  }
  return out;
}

std::string with_checksum(const std::string& line) {
  return fmt::format("{:08x}\t{}", checksum(line), line);
}

std::string facts_header(const MeshSource& source) {
  return with_checksum(fmt::format("facts of meshes\t{}\t{}", kMeshFactsVersion, to_field(source.identity())));
}

std::string facts_line(const std::string& state, const MeshRecord& record) {
  // A field added to MeshFacts fails to compile here: add it below and in read_facts_line(), too.
  const auto& [volume, log_aspect, rule, closed, enclosed_volume, hull_volume, extents, vertices, triangles, degenerate,
               duplicate, open_edges, shells, inverted, cavities, inner_solids, why, set_aside] = record.facts;
  return with_checksum(fmt::format(
      "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", to_field(state),
      to_field(record.key), fmt::join(record.form, "\t"), volume, log_aspect, static_cast<int>(rule), closed ? 1 : 0,
      enclosed_volume, hull_volume, extents[0], extents[1], extents[2], vertices, triangles, degenerate, duplicate,
      open_edges, shells, inverted, cavities, inner_solids, to_field(why), to_field(set_aside)));
}

// The line's state and record; nothing if it is damaged.
std::optional<std::pair<std::string, MeshRecord>> read_facts_line(std::string_view line) {
  std::uint32_t sum = 0;
  if (line.size() < 9 || line[8] != '\t' || std::from_chars(line.data(), line.data() + 8, sum, 16).ptr != &line[8])
    return std::nullopt;
  line.remove_prefix(9);
  if (checksum(line) != sum) return std::nullopt;
  bool good = true, more = true;
  const auto next = [&] {
    good = good && more;
    const std::size_t tab = line.find('\t');
    const std::string_view field = line.substr(0, tab);
    more = tab != line.npos;
    line.remove_prefix(more ? tab + 1 : line.size());
    return field;
  };
  const auto number = [&](auto& value) {
    const std::string_view field = next();
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    good = good && error == std::errc() && end == field.data() + field.size();
  };
  std::pair<std::string, MeshRecord> out;
  out.first = from_field(next());
  out.second.key = from_field(next());
  MeshFacts& facts = out.second.facts;
  for (double& value : out.second.form) number(value);
  int rule = 0, closed = 0;
  number(facts.volume);
  number(facts.log_aspect);
  number(rule);
  number(closed);
  number(facts.enclosed_volume);
  number(facts.hull_volume);
  for (double& side : facts.extents) number(side);
  for (std::uint64_t* count :
       {&facts.vertices, &facts.triangles, &facts.degenerate, &facts.duplicate, &facts.open_edges})
    number(*count);
  for (std::uint32_t* count : {&facts.shells, &facts.inverted, &facts.cavities, &facts.inner_solids}) number(*count);
  facts.why = from_field(next());
  facts.set_aside = from_field(next());
  facts.closed = closed == 1;
  facts.rule = rule == static_cast<int>(VolumeRule::enclosed) ? VolumeRule::enclosed : VolumeRule::hull;
  if (!good || more) return std::nullopt;
  return out;
}

struct KeptFacts {
  bool usable = false;  // the file exists and belongs to this source and version
  std::size_t lines = 0;
  std::unordered_map<std::string, MeshRecord> records;  // by state
};

KeptFacts read_facts(const fs::path& file, const MeshSource& source) {
  KeptFacts out;
  std::error_code error;
  if (!fs::exists(file, error)) return out;
  const std::string bytes = read_file(file);
  std::string_view rest = bytes;
  for (std::size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1)) {
    const std::string_view line = rest.substr(0, end);
    if (!out.usable) {
      if (line != facts_header(source)) return out;
      out.usable = true;
      continue;
    }
    ++out.lines;
    if (auto record = read_facts_line(line))
      out.records.insert_or_assign(std::move(record->first), std::move(record->second));
  }
  return out;
}

// Moves stored facts of the objects 0 .. records.size() - 1 to `records`; returns the numbers of the others.
std::vector<std::size_t> take_kept(const MeshSource& source, KeptFacts& kept, std::vector<MeshRecord>& records) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto found = kept.records.find(source.state(i));
    if (found == kept.records.end())
      missing.push_back(i);
    else
      records[i] = found->second;
  }
  return missing;
}

// Creates the file, or rewrites it with only its useful lines.
void tidy_facts(const fs::path& file, const MeshSource& source, const KeptFacts& kept) {
  if (kept.usable && kept.lines <= 2 * source.size() + 1000) return;
  std::string text = facts_header(source) + '\n';
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto found = kept.records.find(source.state(i));
    if (found != kept.records.end()) text += facts_line(found->first, found->second) + '\n';
  }
  write_file(file, text);
}

// Measures the objects on all cores, in any order; `done` receives each on this thread.
void measure_in_parallel(const MeshSource& source, const std::vector<std::size_t>& objects,
                         const std::function<bool()>& stop,
                         const std::function<void(std::size_t object, MeshRecord&& record)>& done) {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::pair<std::size_t, MeshRecord>> ready;
  std::exception_ptr failed;
  std::size_t at_work = 0;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> halt{false};
  const auto work = [&] {
    try {
      for (std::size_t k; !halt && (k = next++) < objects.size();) {
        MeshRecord record = source.measure(objects[k]);
        const std::lock_guard lock(mutex);
        ready.emplace_back(objects[k], std::move(record));
        arrived.notify_one();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failed = std::current_exception();
      halt = true;
    }
    const std::lock_guard lock(mutex);
    --at_work;
    arrived.notify_one();
  };
  std::vector<std::jthread> threads;
  // Stops the work before waiting for the threads, however this function exits.
  struct Halt {
    std::atomic<bool>& flag;
    ~Halt() { flag = true; }
  } const at_end{halt};
  const std::size_t wanted = std::min<std::size_t>(objects.size(), static_cast<std::size_t>(at::get_num_threads()));
  for (std::size_t t = 0; t < wanted; ++t) {
    {
      const std::lock_guard lock(mutex);
      ++at_work;
    }
    try {
      threads.emplace_back(work);
    } catch (const std::system_error& refused) {
      const std::lock_guard lock(mutex);
      --at_work;
      PAIRS_CHECK(!threads.empty(), "Meshes cannot be measured, as no thread can be started: {}", refused.what());
      break;
    }
  }
  for (std::unique_lock lock(mutex);;) {
    arrived.wait_for(lock, std::chrono::milliseconds(50), [&] { return !ready.empty() || at_work == 0; });
    auto taken = std::exchange(ready, {});
    const bool last = at_work == 0;
    lock.unlock();
    for (auto& [object, record] : taken) done(object, std::move(record));
    if (last) break;
    if (stop && stop()) throw Stopped();
    lock.lock();
  }
  if (failed) std::rethrow_exception(failed);
}

// Joins equal objects: `leader` leads from each to the one that represents all.
class SameObjects {
 public:
  explicit SameObjects(std::size_t count) : leader_(count) {
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
  }
  std::size_t leader(std::size_t i) {
    while (leader_[i] != i) i = leader_[i] = leader_[leader_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { leader_[leader(b)] = leader(a); }

 private:
  std::vector<std::size_t> leader_;
};

// Maps each object to the one that is used in its place: itself or, for copies, the first in the last part.
std::vector<std::size_t> used_copies(const std::vector<MeshRecord>& records, const std::vector<MeshSplit>& split) {
  SameObjects same(records.size());
  std::unordered_map<std::string_view, std::size_t> keys;
  std::vector<std::size_t> by_area;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i].facts.set_aside.empty()) continue;
    const auto [at, added] = keys.emplace(records[i].key, i);
    if (!added) same.join(at->second, i);
    if (records[i].form != MeshForm{}) by_area.push_back(i);
  }
  std::sort(by_area.begin(), by_area.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(records[a].form, a) < std::pair(records[b].form, b);
  });
  constexpr double kWindow = 1e-4;  // of the area: wider than the tolerance of same_form()
  for (std::size_t k = 0; k < by_area.size(); ++k)
    for (std::size_t j = k + 1; j < by_area.size(); ++j) {
      const MeshForm &a = records[by_area[k]].form, &b = records[by_area[j]].form;
      if (b[0] - a[0] > kWindow) break;
      if (same_form(a, b)) same.join(by_area[k], by_area[j]);
    }
  std::unordered_map<std::size_t, std::size_t> used;
  std::vector<std::size_t> out(records.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i].facts.set_aside.empty()) continue;
    const auto [at, added] = used.emplace(same.leader(i), i);
    if (!added && split[i] > split[at->second]) at->second = i;
  }
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].facts.set_aside.empty()) out[i] = used.at(same.leader(i));
  return out;
}

}  // namespace

fs::path mesh_facts_folder(const fs::path& caches, const MeshSource& source) {
  return caches / "meshes" / fmt::format("facts-{:016x}", mesh_hash(source.identity()));
}

std::vector<MeshRecord> measure_objects(const MeshSource& source, const fs::path& caches, std::size_t limit,
                                        const std::function<bool()>& stop,
                                        const std::function<void(std::size_t, std::size_t)>& progress) {
  const std::size_t count = limit == 0 ? source.size() : std::min(limit, source.size());
  std::vector<MeshRecord> records(count);
  std::size_t done = 0;
  const auto report = [&] {
    if (progress) progress(done, count);
  };
  if (source.instant()) {
    std::vector<std::size_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = i;
    measure_in_parallel(source, all, stop, [&](std::size_t object, MeshRecord&& record) {
      records[object] = std::move(record);
      ++done;
      report();
    });
    return records;
  }
  const fs::path folder = mesh_facts_folder(caches, source), file = folder / facts_file_name;
  std::unique_ptr<FolderLock> lock;
  std::vector<std::size_t> missing;
  {
    KeptFacts kept = read_facts(file, source);
    missing = take_kept(source, kept, records);
  }
  if (!missing.empty()) {
    std::error_code error;
    fs::create_directories(folder, error);
    PAIRS_CHECK(!error, "Cannot create the folder {} for measured meshes: {}", printable(folder.string(), 300),
                error.message());
    lock = wait_for_folder(folder, stop);
    lock->remove_leftovers([](std::string_view name) { return name == facts_file_name; });
    KeptFacts kept = read_facts(file, source);
    missing = take_kept(source, kept, records);
    tidy_facts(file, source, kept);
  }
  done = count - missing.size();
  report();
  if (missing.empty()) return records;
  measure_in_parallel(source, missing, stop, [&](std::size_t object, MeshRecord&& record) {
    if (!record.key.empty()) append_line(file, facts_line(source.state(object), record));
    records[object] = std::move(record);
    ++done;
    report();
  });
  release_freed_memory();
  return records;
}

MeshSplit split_of(const MeshSource& source, std::size_t object, const MeshRecord& record) {
  return source.divided_by_form() ? split_of_form(record.form) : source.split(object);
}

MeasuredMeshes sort_measured(const MeshSource& source, std::vector<MeshRecord> records) {
  MeasuredMeshes out;
  out.set_aside = source.unread();
  std::vector<MeshSplit> split(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) split[i] = split_of(source, i, records[i]);
  const std::vector<std::size_t> same_as = used_copies(records, split);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const MeshFacts& facts = records[i].facts;
    if (!facts.set_aside.empty()) {
      out.set_aside.push_back({source.label(i), facts.set_aside});
    } else if (same_as[i] != i) {
      ++out.copies;
      const bool bytes = records[i].key == records[same_as[i]].key;
      out.set_aside.push_back({source.label(i), fmt::format("It is the same as {}{}.", source.label(same_as[i]),
                                                            bytes ? "" : ", written in another way")});
    } else {
      ++(facts.rule == VolumeRule::enclosed ? out.enclosed : out.hull);
      ++out.parts[static_cast<std::size_t>(split[i])];
      out.usable.push_back({i, split[i], {}});
    }
  }
  for (MeasuredMesh& mesh : out.usable) mesh.record = std::move(records[mesh.object]);
  return out;
}

MeasuredMeshes measure_meshes(const MeshSource& source, const fs::path& caches, std::size_t limit,
                              const std::function<bool()>& stop,
                              const std::function<void(std::size_t, std::size_t)>& progress) {
  return sort_measured(source, measure_objects(source, caches, limit, stop, progress));
}

}  // namespace pairs
