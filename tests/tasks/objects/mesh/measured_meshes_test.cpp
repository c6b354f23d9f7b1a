#include "tasks/objects/mesh/measured_meshes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>

#include "core/base/files/files.h"
#include "core/base/system/memory.h"
#include "core/base/text/error.h"
#include "tasks/objects/mesh/mesh_folder.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/objects/mesh_folders.h"
#include "tests/tasks/objects/real_meshes.h"

namespace pairs {
namespace {
namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

// Everything of an object that is kept, as text.
std::string record_text(const MeshRecord& record) {
  const auto& [volume, log_aspect, rule, closed, enclosed_volume, hull_volume, extents, vertices, triangles, degenerate,
               duplicate, open_edges, shells, inverted, cavities, inner_solids, why, set_aside] = record.facts;
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", record.key, volume, log_aspect,
                     static_cast<int>(rule), closed, enclosed_volume, hull_volume, extents[0], extents[1], extents[2],
                     vertices, triangles, degenerate, duplicate, open_edges, shells, inverted, cavities, inner_solids,
                     why, set_aside);
}
std::string measured_text(const MeasuredMeshes& meshes) {
  std::string out = fmt::format("{} {} {} {} {} {}\n", meshes.parts[0], meshes.parts[1], meshes.parts[2],
                                meshes.enclosed, meshes.hull, meshes.copies);
  for (const MeasuredMesh& mesh : meshes.usable)
    out += fmt::format("{} {} {}\n", mesh.object, static_cast<int>(mesh.split), record_text(mesh.record));
  for (const MeshAside& aside : meshes.set_aside) out += aside.label + ": " + aside.why + '\n';
  return out;
}

// A source that records which objects were measured.
class WatchedSource : public MeshSource {
 public:
  explicit WatchedSource(std::shared_ptr<const MeshSource> of) : of_(std::move(of)) {}
  std::string name() const override { return of_->name(); }
  std::size_t size() const override { return of_->size(); }
  std::string label(std::size_t object) const override { return of_->label(object); }
  MeshSplit split(std::size_t object) const override { return of_->split(object); }
  MeshRecord measure(std::size_t object) const override {
    bool waits = false;
    {
      const std::lock_guard lock(mutex_);
      measured_.insert(of_->label(object));
      if (measured_.size() > fails_after) throw Error("no more");
      if (measured_.size() > waits_after) waits = true;
    }
    if (waits) goes_on.wait(false);
    return of_->measure(object);
  }
  TriangleMesh mesh(std::size_t object) const override { return of_->mesh(object); }
  bool instant() const override { return is_instant; }
  std::string identity() const override { return of_->identity(); }
  std::string state(std::size_t object) const override { return of_->state(object); }
  std::vector<MeshAside> unread() const override { return of_->unread(); }

  std::set<std::string> take_measured() const {
    const std::lock_guard lock(mutex_);
    return std::exchange(measured_, {});
  }
  bool is_instant = false;
  std::size_t fails_after = static_cast<std::size_t>(-1);
  // From then on measuring waits until it may go on.
  std::size_t waits_after = static_cast<std::size_t>(-1);
  mutable std::atomic<bool> goes_on = false;

 private:
  std::shared_ptr<const MeshSource> of_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> measured_;
};

struct MeasuredMeshesTest : testing::Test {
  // Twelve usable meshes, of which one is open, and five that are not.
  void fill() {
    for (int i = 0; i < 11; ++i) put_file(root / fmt::format("chair/train/{:02}.off", i), corner_off(0.3 + 0.05 * i));
    put_file(root / "chair/test/open.off", "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 0.7\n3 0 2 1\n3 0 1 3\n3 0 3 2\n");
    put_file(root / "chair/test/nan.off", "OFF\n3 1 0\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n");
    put_file(root / "lamp/train/huge.off", "OFF\n4 1000000000 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n");
    put_file(root / "lamp/train/empty.off", "");
    put_file(root / "lamp/train/flat.off", corner_off(0));
    put_file(root / "lamp/train/odd\n%\t\xff.off", "no mesh");
  }
  WatchedSource open() const { return WatchedSource(open_mesh_folder(root)); }
  fs::path facts() const { return mesh_facts_folder(caches, open()) / "facts.txt"; }

  TemporaryFolder folder;
  const fs::path root = folder / "meshes", caches = folder / "caches";
};

TEST_F(MeasuredMeshesTest, SortsOutWhatIsUsable) {
  fill();
  const WatchedSource source = open();
  const MeasuredMeshes meshes = measure_meshes(source, caches);
  ASSERT_EQ(meshes.usable.size(), 12u);
  EXPECT_EQ(meshes.parts[0] + meshes.parts[1], 11u);
  EXPECT_EQ(meshes.parts[2], 1u);
  EXPECT_EQ(meshes.enclosed, 11u);
  EXPECT_EQ(meshes.hull, 1u);
  EXPECT_EQ(meshes.copies, 0u);
  std::size_t last = 0;
  for (const MeasuredMesh& mesh : meshes.usable) {
    EXPECT_GE(mesh.object, last);
    last = mesh.object + 1;
    EXPECT_EQ(mesh.split, source.split(mesh.object));
    EXPECT_EQ(record_text(mesh.record), record_text(source.measure(mesh.object)));
  }
  EXPECT_EQ(source.label(meshes.usable[0].object), "chair/test/open.off");
  EXPECT_NEAR(meshes.usable[3].record.facts.volume, 0.4 / 6, 1e-15);
  EXPECT_NEAR(meshes.usable[3].record.facts.log_aspect, -std::log(0.4), 1e-15);
  ASSERT_EQ(meshes.set_aside.size(), 5u);
  for (const auto& [k, label, words] :
       {std::tuple(0, "chair/test/nan.off", "finite"), std::tuple(1, "lamp/train/empty.off", "empty.off is empty"),
        std::tuple(2, "lamp/train/flat.off", "flat"), std::tuple(3, "lamp/train/huge.off", "1000000000 faces"),
        std::tuple(4, "lamp/train/odd\\x0a%\\x09\\xff.off", "odd\\x0a")}) {
    EXPECT_EQ(meshes.set_aside[static_cast<std::size_t>(k)].label, label);
    EXPECT_THAT(meshes.set_aside[static_cast<std::size_t>(k)].why, HasSubstr(words));
  }
}

TEST_F(MeasuredMeshesTest, MeasuresNothingTwiceButWhatChanged) {
  fill();
  const WatchedSource source = open();
  std::vector<std::pair<std::size_t, std::size_t>> reported;
  const auto print = [&](std::size_t done, std::size_t total) { reported.emplace_back(done, total); };
  const std::string first = measured_text(measure_meshes(source, caches, 0, {}, print));
  EXPECT_EQ(source.take_measured().size(), 17u);
  ASSERT_EQ(reported.size(), 18u);
  for (std::size_t k = 0; k < reported.size(); ++k) EXPECT_EQ(reported[k], std::pair(k, std::size_t{17}));
  const std::string bytes = read_file(facts());
  reported.clear();
  EXPECT_EQ(measured_text(measure_meshes(source, caches, 0, {}, print)), first);
  EXPECT_EQ(reported, (std::vector<std::pair<std::size_t, std::size_t>>{{17, 17}}));
  EXPECT_TRUE(source.take_measured().empty());
  EXPECT_EQ(read_file(facts()), bytes);

  // Rewrites a file at equal length, adds one and removes one.
  put_file(root / "chair/train/03.off", corner_off(0.99));
  fs::last_write_time(root / "chair/train/03.off", fs::file_time_type::clock::now() + std::chrono::seconds(5));
  put_file(root / "lamp/train/new.off", corner_off(0.77));
  fs::remove(root / "chair/train/04.off");
  const WatchedSource changed = open();
  const std::string second = measured_text(measure_meshes(changed, caches));
  EXPECT_EQ(changed.take_measured(), (std::set<std::string>{"chair/train/03.off", "lamp/train/new.off"}));
  EXPECT_NE(second, first);
  EXPECT_EQ(second, measured_text(measure_meshes(changed, folder / "elsewhere")));
}

TEST_F(MeasuredMeshesTest, ALimitMeasuresTheFirst) {
  fill();
  const WatchedSource source = open();
  const MeasuredMeshes some = measure_meshes(source, caches, 5);
  EXPECT_EQ(source.take_measured(),
            (std::set<std::string>{"chair/test/nan.off", "chair/test/open.off", "chair/train/00.off",
                                   "chair/train/01.off", "chair/train/02.off"}));
  EXPECT_EQ(some.usable.size(), 4u);
  EXPECT_EQ(measure_objects(source, caches, 7).size(), 7u);
  EXPECT_EQ(source.take_measured(), (std::set<std::string>{"chair/train/03.off", "chair/train/04.off"}));
  EXPECT_EQ(measure_objects(source, caches, 100).size(), 17u);
}

TEST_F(MeasuredMeshesTest, UsesOneOfCopies) {
  put_file(root / "chair/train/a.off", corner_off(0.5));
  put_file(root / "chair/train/b.off", corner_off(0.6));
  put_file(root / "lamp/test/c.off", corner_off(0.5));
  put_file(root / "lamp/test/d.off", corner_off(0.5));
  put_file(root / "lamp/train/e.off", corner_off(0.6));
  put_file(root / "lamp/train/f.off", "");  // as little as g, but neither is used anyway
  put_file(root / "lamp/train/g.off", "");
  const WatchedSource source = open();
  const MeasuredMeshes meshes = measure_meshes(source, caches);
  EXPECT_EQ(meshes.copies, 3u);
  std::set<std::string> used;
  for (const MeasuredMesh& mesh : meshes.usable) used.insert(source.label(mesh.object));
  // c stands for the tests' part; of b and e one of stage 2 if there is one, else the first.
  const bool second = source.split(4) == MeshSplit::finetune && source.split(1) == MeshSplit::pretrain;
  EXPECT_EQ(used, (std::set<std::string>{"lamp/test/c.off", second ? "lamp/train/e.off" : "chair/train/b.off"}));
  ASSERT_EQ(meshes.set_aside.size(), 5u);
  EXPECT_EQ(meshes.set_aside[0].label, "chair/train/a.off");
  EXPECT_EQ(meshes.set_aside[0].why, "It is the same as lamp/test/c.off.");
  EXPECT_THAT(meshes.set_aside[4].why, HasSubstr("is empty"));
}

TEST_F(MeasuredMeshesTest, KilledInTheMidstGoesOn) {
  fill();
  const WatchedSource source = open();
  const std::string whole = measured_text(measure_meshes(source, caches)), bytes = read_file(facts());
  source.take_measured();
  const std::size_t header = bytes.find('\n') + 1;
  std::vector<std::size_t> lengths;  // within the first line, and within the last lines
  for (std::size_t length = 0; length < header + 20; length += 7) lengths.push_back(length);
  for (std::size_t length = bytes.size() - 1200; length < bytes.size(); length += 7) lengths.push_back(length);
  for (const std::size_t length : lengths) {
    put_file(facts(), bytes.substr(0, length));
    ASSERT_EQ(measured_text(measure_meshes(source, caches)), whole) << length;
    const auto kept =
        static_cast<std::size_t>(std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    ASSERT_EQ(source.take_measured().size(), length < header ? 17 : 17 - (kept - 1)) << length;
    ASSERT_EQ(read_file(facts()).size(), bytes.size()) << length;
  }
  // A flipped bit anywhere, zeros that a crash left, and what is no text.
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    put_file(facts(), damaged);
    ASSERT_EQ(measured_text(measure_meshes(source, caches)), whole) << at;
    ASSERT_FALSE(source.take_measured().empty()) << at;
  }
  for (const std::string& damaged :
       {bytes + std::string(5000, '\0'), std::string(5000, '\0'), bytes + "\n\n\t\t\n", bytes + bytes.substr(header)}) {
    put_file(facts(), damaged);
    ASSERT_EQ(measured_text(measure_meshes(source, caches)), whole);
  }
}

TEST_F(MeasuredMeshesTest, StopsAndGoesOn) {
  fill();
  WatchedSource source = open();
  source.waits_after = 8;
  std::size_t done = 0;
  const auto stop = [&] {
    if (done < 3) return false;
    source.goes_on = true;
    source.goes_on.notify_all();
    return true;
  };
  EXPECT_THROW(measure_meshes(source, caches, 0, stop, [&](std::size_t n, std::size_t) { done = n; }), Stopped);
  EXPECT_GE(done, 3u);
  source.take_measured();
  std::vector<std::size_t> reported;
  measure_meshes(source, caches, 0, {}, [&](std::size_t n, std::size_t) { reported.push_back(n); });
  EXPECT_GE(reported.at(0), 3u);
  EXPECT_EQ(source.take_measured().size(), 17 - reported[0]);
  EXPECT_THROW(measure_meshes(source, folder / "other", 0, [] { return true; }), Stopped);
}

TEST_F(MeasuredMeshesTest, AFailureEndsAllThreadsAndKeepsWhatIsDone) {
  fill();
  WatchedSource source = open();
  source.fails_after = 6;
  EXPECT_EQ(message_of([&] { measure_meshes(source, caches); }), "no more");
  source.fails_after = static_cast<std::size_t>(-1);
  source.take_measured();
  EXPECT_EQ(measure_meshes(source, caches).usable.size(), 12u);
  EXPECT_LE(source.take_measured().size(), 11u);
  // A file where a folder is needed.
  put_file(folder / "file", "x");
  EXPECT_THAT(message_of([&] { measure_meshes(source, folder / "file"); }),
              AllOf(HasSubstr("Cannot create"), HasSubstr("file/meshes")));
}

TEST_F(MeasuredMeshesTest, FilesThatCannotBeReadAreTriedAgain) {
  put_file(root / "a.off", corner_off(0.5));
  put_file(root / "b.off", corner_off(0.6));
  fs::permissions(root / "b.off", fs::perms::none);
  fs::permissions(folder.path(), fs::perms::all);
  // For root nothing is closed: threads of this one look as someone else.
  const int before = ::geteuid() == 0 ? ::setfsuid(65534) : -1;
  const MeasuredMeshes closed = measure_meshes(open(), caches);
  if (before >= 0) ::setfsuid(static_cast<uid_t>(before));
  fs::permissions(root / "b.off", fs::perms::owner_all);
  ASSERT_EQ(closed.set_aside.size(), 1u);
  EXPECT_THAT(closed.set_aside[0].why, AllOf(HasSubstr("b.off"), HasSubstr("permission is denied")));
  const WatchedSource source = open();
  EXPECT_EQ(measure_meshes(source, caches).usable.size(), 2u);
  EXPECT_EQ(source.take_measured(), (std::set<std::string>{"b.off"}));
}

TEST_F(MeasuredMeshesTest, AFileOfOldFactsIsTidied) {
  put_file(root / "a.off", corner_off(0.5));
  const WatchedSource source = open();
  measure_meshes(source, caches);
  const std::string bytes = read_file(facts()), line = bytes.substr(bytes.find('\n') + 1);
  std::string grown = bytes;
  for (int i = 0; i < 2000; ++i) grown += line;
  write_file(facts(), grown);
  put_file(root / "b.off", corner_off(0.6));
  const WatchedSource more = open();
  EXPECT_EQ(measure_meshes(more, caches).usable.size(), 2u);
  EXPECT_EQ(more.take_measured(), (std::set<std::string>{"b.off"}));
  EXPECT_LT(read_file(facts()).size(), 2 * bytes.size());
  EXPECT_EQ(read_file(facts()).substr(0, bytes.size()), bytes);
}

TEST_F(MeasuredMeshesTest, SourcesShareNothingAndInstantOnesKeepNothing) {
  put_file(root / "a.off", corner_off(0.5));
  put_file(folder / "twin/a.off", corner_off(0.5));
  const WatchedSource one = open(), other(open_mesh_folder(folder / "twin"));
  EXPECT_NE(mesh_facts_folder(caches, one), mesh_facts_folder(caches, other));
  measure_meshes(one, caches);
  measure_meshes(other, caches);
  EXPECT_EQ(other.take_measured().size(), 1u);
  // Facts of another source in its place are not believed.
  write_file(facts(), read_file(mesh_facts_folder(caches, other) / "facts.txt"));
  one.take_measured();
  measure_meshes(one, caches);
  EXPECT_EQ(one.take_measured().size(), 1u);
  WatchedSource instant = open();
  instant.is_instant = true;
  EXPECT_EQ(measure_meshes(instant, folder / "nothing").usable.size(), 1u);
  EXPECT_FALSE(fs::exists(folder / "nothing"));
}

TEST_F(MeasuredMeshesTest, TwoAtATimeMeasureOnce) {
  fill();
  const WatchedSource one = open(), other = open();
  std::string first, second;
  std::thread extra([&] { second = measured_text(measure_meshes(other, caches)); });
  first = measured_text(measure_meshes(one, caches));
  extra.join();
  EXPECT_EQ(first, second);
  EXPECT_EQ(one.take_measured().size() + other.take_measured().size(), 17u);
}

double status_megabytes(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stod(line.substr(std::string(key).size() + 1)) / 1024;
  return NAN;
}

// As many meshes as ModelNet40 has. Each takes 14 KB of memory when read (600 vertices that nobody uses): kept, they
// would take 170 MB, and their files 45 MB. What grows with the number of meshes is a path and facts, below 0.6 KB in
// memory and 0.3 KB as text, held twice while those on disk are taken over: 20 MB are allowed.
TEST_F(MeasuredMeshesTest, MemoryIsFlatInTheNumberOfMeshes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  constexpr std::size_t count = 12000, few = 600;
  std::string tail;
  for (int k = 0; k < 600; ++k) tail += "0 0 0\n";
  tail += "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
  for (std::size_t i = 0; i < count; ++i) {
    const fs::path file = root / fmt::format("kind{}/{}/kind_{:05}.off", i / 300, i % 5 == 0 ? "test" : "train", i);
    if (i % 300 < 2) fs::create_directories(file.parent_path());
    std::ofstream(file) << "OFF604 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 " << 0.1 + 0.00007 * static_cast<double>(i) << '\n'
                        << tail;
  }
  const auto began = std::chrono::steady_clock::now();
  const auto source = open_mesh_folder(root);
  MeasuredMeshes meshes;
  // Peak in megabytes above what was used before.
  const auto peak = [&](const fs::path& kept, std::size_t limit) {
    meshes = {};
    release_freed_memory();
    const double before = status_megabytes("VmRSS:");
    if (std::ofstream refs("/proc/self/clear_refs"); !(refs << "5").flush()) return -1.0;
    meshes = measure_meshes(*source, kept, limit);
    return status_megabytes("VmHWM:") - before;
  };
  peak(folder / "first", few);  // pages that are touched once
  const double small = peak(caches, few), all = peak(caches, count);
  const std::string measured = measured_text(meshes);
  const double again = peak(caches, count);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  if (small < 0) GTEST_SKIP() << "this kernel does not reset a process's peak memory";
  std::printf("peak: %.1f MB for 600 meshes, %.1f MB for 12,000, %.1f MB for 12,000 that are kept; %.2f s\n", small,
              all, again, seconds.count());
  EXPECT_LT(all, small + 20);
  EXPECT_LT(again, small + 20);
  EXPECT_EQ(meshes.usable.size(), count);
  EXPECT_EQ(meshes.parts[2], count / 5);
  EXPECT_EQ(measured_text(meshes), measured);
}

TEST_F(MeasuredMeshesTest, RealMeshes) {
  const fs::path real = real_meshes();
  if (real.empty()) GTEST_SKIP() << "no real meshes on this machine: set PAIRS_DATA";
  const MeasuredMeshes net = measure_meshes(*open_mesh_folder(real / "ModelNet"), caches);
  EXPECT_EQ(net.usable.size() + net.set_aside.size(), 17u);
  EXPECT_EQ(net.parts[2], 2u);
  const auto source = open_mesh_folder(real / "broken");
  const MeasuredMeshes broken = measure_meshes(*source, caches);
  EXPECT_EQ(broken.usable.size() + broken.set_aside.size(), source->size());
  for (const MeshAside& aside : broken.set_aside) EXPECT_GT(aside.why.size(), 10u) << aside.label;
  for (const MeasuredMesh& mesh : broken.usable) {
    EXPECT_GT(mesh.record.facts.volume, 0);
    EXPECT_FALSE(source->mesh(mesh.object).triangles.empty());
  }
  std::printf("ModelNet: %zu usable (%zu enclosed, %zu hull); broken: %zu usable, %zu set aside, %zu of them copies\n",
              net.usable.size(), net.enclosed, net.hull, broken.usable.size(), broken.set_aside.size(), broken.copies);
}

}  // namespace
}  // namespace pairs
