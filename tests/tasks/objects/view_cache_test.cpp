#include "tasks/objects/view_cache.h"

#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "tasks/objects/view_cache_file.h"
#include "tests/render/meshes/meshes.h"

namespace pairs {
namespace {
namespace fs = std::filesystem;

struct ViewCacheTest : ::testing::Test {
  ViewCacheTest() {
    static std::atomic<int> count{0};
    folder = fs::temp_directory_path() / ("pairs-views-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    fs::create_directories(folder);
    settings.source = "check";
    settings.views = 3;
    settings.options = {24, 3, 1};
    file = view_cache_folder(folder, settings) / "views.data";
  }
  ~ViewCacheTest() override { fs::remove_all(folder); }

  static TriangleMesh mesh(std::size_t i) { return render::scattered(i, 40, 0.4); }
  ViewCacheReport fill() { return fill_view_cache(folder, settings, keys, mesh); }
  // Every view is what rendering gives.
  void expect_whole() {
    const ViewCache cache(folder, settings, keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::vector<render::MeshCamera> cameras;
      std::vector<ViewCache::View> which;
      for (std::int64_t v = 0; v < settings.views; ++v) {
        cameras.push_back(cached_camera(settings, keys[i], v));
        which.push_back({i, v});
        ASSERT_EQ(cache.camera(i, v).azimuth, cameras.back().azimuth);
      }
      ASSERT_TRUE(at::equal(cache.read(which), render::MeshViews(mesh(i)).render(cameras, settings.options))) << i;
    }
  }

  fs::path folder, file;
  ViewSettings settings;
  std::vector<std::string> keys = {"a", "b", "c"};
};

TEST_F(ViewCacheTest, GivesBackWhatWasRenderedAndRendersNothingTwice) {
  EXPECT_THROW(ViewCache(folder, settings, keys), Error);
  EXPECT_EQ(fill().rendered, 3);
  expect_whole();
  const std::string bytes = read_file(file);
  EXPECT_EQ(fill().rendered, 0);
  EXPECT_EQ(read_file(file), bytes);
  keys.insert(keys.begin() + 1, "more");  // others keep their records
  EXPECT_THROW(ViewCache(folder, settings, keys), Error);
}

TEST_F(ViewCacheTest, OtherSettingsAreAnotherCache) {
  fill();
  for (ViewSettings other : std::vector<ViewSettings>(5, settings)) {
    static int which = 0;
    switch (which++) {
      case 0:
        other.source = "other";
        break;
      case 1:
        other.views = 4;
        break;
      case 2:
        other.options.samples = 4;
        break;
      case 3:
        other.cameras.highest = 0.5;
        break;
      default:
        other.seed = 2;
    }
    EXPECT_NE(view_cache_folder(folder, other), view_cache_folder(folder, settings));
    EXPECT_THROW(ViewCache(folder, other, keys), Error);
  }
}

TEST_F(ViewCacheTest, ATornFileIsResumedToTheSameBytes) {
  fill();
  const std::string whole = read_file(file);
  std::vector<std::size_t> cuts;
  for (std::size_t cut = 0; cut < whole.size(); cut += cut < 60 || whole.size() - cut < 5 ? 7 : 211)
    cuts.push_back(cut);
  for (const std::size_t cut : cuts) {
    write_file(file, whole.substr(0, cut));
    const ViewCacheReport report = fill();
    ASSERT_GE(report.rendered, 1) << cut;
    ASSERT_EQ(read_file(file), whole) << cut;
  }
}

TEST_F(ViewCacheTest, AHoleBehindTheRecordsIsNotRead) {
  fill();
  const std::string whole = read_file(file);
  fs::resize_file(file, std::uintmax_t{50} << 30);
  const Stopwatch watch;
  EXPECT_EQ(fill().rendered, 0);
  EXPECT_LT(watch.seconds(), 5);
  EXPECT_EQ(read_file(file), whole);
}

TEST_F(ViewCacheTest, EveryFlippedByteIsFound) {
  fill();
  const std::string whole = read_file(file);
  int flipped = 0, reported = 0;
  for (std::size_t at = 0; at < whole.size(); at += at < 40 ? 5 : 97, ++flipped) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write_file(file, bytes);
    bool refused = false;
    try {
      const ViewCache cache(folder, settings, keys);
      for (std::size_t i = 0; i < 3; ++i)
        for (std::int64_t v = 0; v < 3; ++v) cache.read(std::vector<ViewCache::View>{{i, v}});
    } catch (const Error&) {
      refused = true;
    }
    ASSERT_TRUE(refused) << at;
    const ViewCacheReport mended = fill();
    ASSERT_GE(mended.rendered, 1) << at;
    reported += !mended.damaged.empty();
    ASSERT_TRUE(fill().damaged.empty()) << "told once, at " << at;
    ASSERT_NO_FATAL_FAILURE(expect_whole()) << at;
  }
  EXPECT_GT(reported, flipped / 2) << "all but those in the last record's head, which is then taken for a torn one";
}

TEST_F(ViewCacheTest, StopsWithinAMeshAndGoesOn) {
  fill();
  const std::string whole = read_file(file);
  fs::remove(file);
  settings.views = 3;
  for (int allowed = 0; allowed < 8; ++allowed) {
    int asked = 0;
    try {
      fill_view_cache(folder, settings, keys, mesh, [&] { return asked++ >= allowed; });
    } catch (const Stopped&) {
    }
  }
  fill();
  EXPECT_EQ(read_file(file), whole);
}

TEST_F(ViewCacheTest, TwoWritersTakeTurnsAndRenderOnce) {
  std::atomic<std::int64_t> rendered{0};
  std::vector<std::thread> writers;
  for (int k = 0; k < 3; ++k) writers.emplace_back([&] { rendered += fill().rendered; });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(rendered, 3);
  expect_whole();
}

}  // namespace
}  // namespace pairs
