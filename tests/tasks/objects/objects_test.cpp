#include "tasks/objects/objects.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <set>
#include <string>
#include <thread>

#include "core/base/fields/face.h"
#include "core/base/fields/fields.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tasks/objects/crops.h"
#include "tasks/objects/object_parts.h"
#include "tasks/objects/object_showcase.h"
#include "tasks/objects/view_cache.h"
#include "tasks/parts/bodies.h"
#include "tasks/parts/items.h"
#include "tests/render/meshes/meshes.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {
namespace fs = std::filesystem;

// Boxes of many proportions; every 11th is flat, object 5 is object 4 again, and of every fifth the surface is open.
class Boxes final : public MeshSource {
 public:
  explicit Boxes(std::size_t count) : count_(count) {}
  std::string name() const override { return "boxes for tests"; }
  std::size_t size() const override { return count_; }
  std::string label(std::size_t i) const override { return "box " + std::to_string(i); }
  MeshSplit split(std::size_t i) const override {
    return i % 5 == 2 ? MeshSplit::test : i % 5 == 3 ? MeshSplit::finetune : MeshSplit::pretrain;
  }
  MeshRecord measure(std::size_t i) const override {
    ++measured;
    return {i == 5 ? "box-4" : "box-" + std::to_string(i), measure_mesh(whole(i))};
  }
  TriangleMesh mesh(std::size_t i) const override {
    ++read;
    return normalized_mesh(whole(i));
  }

  static TriangleMesh whole(std::size_t i) {
    if (i == 5) return whole(4);
    Stream stream(stream_key(9, Purpose::check), i);
    const double x = 0.2 + 0.8 * stream.uniform64(), y = 0.2 + 0.8 * stream.uniform64();
    TriangleMesh out = render::box(x, y, i % 11 == 0 ? 0.0 : 1.0);
    if (i % 5 == 1) out.triangles.pop_back();
    return out;
  }

  mutable std::atomic<int> measured{0}, read{0};

 private:
  std::size_t count_;
};

struct ObjectsTest : ::testing::Test {
  ObjectsTest() {
    static std::atomic<int> count{0};
    folder =
        fs::temp_directory_path() / ("pairs-objects-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    fs::create_directories(folder / "cache");
    if (const char* before = std::getenv("PAIRS_CACHE")) cache_before = before;
    ::setenv("PAIRS_CACHE", (folder / "cache").c_str(), 1);
    settings.side = 32;
    settings.views = 4;
    settings.passes = 3;
    settings.samples = 1;
  }
  ~ObjectsTest() override {
    if (cache_before.empty())
      ::unsetenv("PAIRS_CACHE");
    else
      ::setenv("PAIRS_CACHE", cache_before.c_str(), 1);
    fs::remove_all(folder);
  }

  std::shared_ptr<const Task> make() { return make_objects_of(source, settings); }
  // The bytes of the only cache of views.
  std::string cached_bytes() const {
    std::string bytes;
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "cache" / "views"))
      if (entry.path().filename() == "views.data") bytes = read_file(entry.path()), ++files;
    EXPECT_EQ(files, 1);
    return bytes;
  }
  static std::string refusal_of(const std::function<void()>& what, ErrorKind kind = ErrorKind::usage) {
    try {
      what();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }

  fs::path folder;
  std::string cache_before;
  ObjectsSettings settings;
  std::shared_ptr<Boxes> source = std::make_shared<Boxes>(90);
};

constexpr Purpose stored_purposes[] = {Purpose::pretrain, Purpose::pretrain_validation, Purpose::finetune,
                                       Purpose::finetune_validation, Purpose::test};

TEST_F(ObjectsTest, KeepsWhatEveryTaskPromises) {
  const auto task = make();
  testing::expect_described(*task);
  EXPECT_EQ(task->info().name, "objects");
  EXPECT_EQ(task->info().observation_shape, (std::vector<std::int64_t>{1, 32, 32}));
  EXPECT_EQ(task->info().data_source, "boxes for tests, 32 × 32 pixels");
  EXPECT_EQ(task->info().variant, "4 views of each, 1 rays a pixel");
  ASSERT_NE(face<Bodies>(*task), nullptr);
  ASSERT_NE(face<Items>(*task), nullptr);
}

TEST_F(ObjectsTest, SetsArePureFunctionsOfTheirIndexAndPrefixesOfLargerOnes) {
  const auto task = make();
  for (const Purpose purpose : {Purpose::pretrain, Purpose::finetune, Purpose::test, Purpose::explore}) {
    const Latents all = testing::latents_of(*task, 5, purpose, 3, 4);
    const std::int64_t shuffled[] = {6, 4, 3, 5};
    const Latents other = task->latents(5, purpose, shuffled);
    for (int k = 0; k < 4; ++k) EXPECT_TRUE(at::equal(other.psi[k], all.psi[shuffled[k] - 3]));
    EXPECT_FALSE(at::equal(testing::latents_of(*task, 6, purpose, 3, 4).psi, all.psi));
    const torch::Tensor whole = testing::sets_of(*task, all, 5, purpose, 3, 80);
    EXPECT_EQ(whole.scalar_type(), torch::kFloat32);
    EXPECT_TRUE(at::equal(testing::sets_of(*task, all, 5, purpose, 3, 30), whole.slice(1, 0, 30)));
    EXPECT_TRUE(at::equal(testing::sets_of(*make(), all, 5, purpose, 3, 80), whole)) << "another task object";
    EXPECT_FALSE(at::equal(testing::sets_of(*task, all, 6, purpose, 3, 80), whole));
    // Other chunks, other order, an empty range among them.
    const SetRange ranges[] = {{6, 50, 30}, {4, 0, 1}, {4, 1, 0}, {4, 1, 17}, {3, 79, 1}, {6, 3, 2}};
    std::vector<torch::Tensor> theta, psi, expected;
    for (const SetRange& r : ranges) {
      theta.push_back(all.theta[r.index - 3].unsqueeze(0));
      psi.push_back(all.psi[r.index - 3].unsqueeze(0));
      expected.push_back(whole[r.index - 3].slice(0, r.first, r.first + r.count));
    }
    EXPECT_TRUE(
        at::equal(task->observe({at::cat(theta), at::cat(psi)}, 5, purpose, ranges, torch::kCPU), at::cat(expected)));
    const SetRange negative[] = {{3, -1, 2}};
    EXPECT_THROW(task->observe({theta[0], psi[0]}, 5, purpose, negative, torch::kCPU), Error);
    EXPECT_THROW(task->observe({theta[0], psi[0]}, 5, purpose, ranges, torch::kCPU), Error);
  }
}

TEST_F(ObjectsTest, NothingIsMeasuredBeforeItIsNeeded) {
  const auto task = make();
  EXPECT_EQ(source->measured, 0);
  const Latents latents = testing::latents_of(*task, 1, Purpose::explore, 0, 1);
  EXPECT_LE(source->measured, 3) << "a flat box or two may stand before it";
  EXPECT_EQ(source->read, 0);
  testing::sets_of(*task, latents, 1, Purpose::explore, 0, 6);
  EXPECT_EQ(source->read, 1);
  EXPECT_FALSE(fs::exists(folder / "cache" / "views"));
  testing::sets_of(*task, testing::latents_of(*task, 1, Purpose::check, 0, 60), 1, Purpose::check, 0, 1);
  EXPECT_LE(source->read, 5) << "what only takes time needs four objects";
}

TEST_F(ObjectsTest, PartsShareNoObject) {
  std::vector<MeshRecord> records;
  for (std::size_t i = 0; i < source->size(); ++i) records.push_back(source->measure(i));
  const ObjectParts parts = divide_objects(sort_measured(*source, records));
  std::set<std::string> keys;
  std::size_t members = 0;
  for (std::size_t p = 0; p < kObjectParts; ++p)
    for (const UsableObject& object : parts.parts[p]) {
      ++members;
      EXPECT_TRUE(keys.insert(object.key).second) << object.key;
      EXPECT_TRUE(records[object.object].facts.set_aside.empty());
      const auto part = static_cast<ObjectPart>(p);
      const MeshSplit split = source->split(object.object);
      EXPECT_EQ(split == MeshSplit::test, part == ObjectPart::test);
      EXPECT_EQ(split == MeshSplit::finetune, part == ObjectPart::finetune || part == ObjectPart::finetune_validation);
    }
  EXPECT_EQ(members, 80u) << "9 are flat, and one stands twice";
  const auto size = [&](ObjectPart part) { return parts.of(part, "boxes").size(); };
  EXPECT_EQ(size(ObjectPart::pretrain_validation),
            (size(ObjectPart::pretrain) + size(ObjectPart::pretrain_validation)) / 8);
  EXPECT_EQ(size(ObjectPart::finetune_validation),
            (size(ObjectPart::finetune) + size(ObjectPart::finetune_validation)) / 8);

  // What a set is about is the same whether asked here or there, and never of another purpose.
  const auto task = make();
  std::set<std::pair<double, double>> seen;
  for (const Purpose purpose : stored_purposes) {
    const std::int64_t n = task->subjects(purpose);
    ASSERT_EQ(static_cast<std::size_t>(n), size(*object_part(purpose)));
    const Latents latents = testing::latents_of(*task, 3, purpose, 0, n);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto& object =
          parts.of(*object_part(purpose), "")[static_cast<std::size_t>(latents.psi[i][0].item<double>())];
      EXPECT_EQ(latents.theta[i][0].item<double>(), object.volume);
      EXPECT_EQ(latents.theta[i][1].item<double>(), object.log_aspect);
      EXPECT_TRUE(seen.emplace(object.volume, object.log_aspect).second)
          << "two sets of one round, or of two purposes, about one object";
    }
    const Latents next = testing::latents_of(*task, 3, purpose, n, n);
    EXPECT_TRUE(at::equal(std::get<0>(next.psi.sort(0)), std::get<0>(latents.psi.sort(0))));
    if (n > 3) {
      EXPECT_FALSE(at::equal(next.psi, latents.psi)) << "a round has an order of its own";
    }
  }
}

TEST_F(ObjectsTest, PoolMembersAreTheObservationsOfStage2) {
  const auto task = make();
  for (const Purpose purpose : {Purpose::finetune, Purpose::finetune_validation}) {
    const std::int64_t n = task->subjects(purpose), size = task->pool_size(purpose);
    EXPECT_EQ(size, n * 4 * 3);
    const torch::Tensor all = task->pool_members(purpose, 0, size, torch::kCPU);
    EXPECT_TRUE(at::equal(task->pool_members(purpose, 5, 7, torch::kCPU), all.slice(0, 5, 12)));
    const Latents latents = testing::latents_of(*task, 7, purpose, 20, 6);
    std::vector<SetRange> ranges;
    for (std::int64_t k = 0; k < 6; ++k) ranges.push_back({20 + k, 2 * k, 40});
    const torch::Tensor x = task->observe(latents, 7, purpose, ranges, torch::kCPU);
    const PoolDraws draws = task->pool_draws(latents, 7, purpose, ranges);
    EXPECT_EQ(draws.size, size);
    EXPECT_TRUE(at::equal(x, all.index_select(0, draws.member)));
    EXPECT_TRUE(at::equal(draws.stratum, latents.psi.flatten().to(torch::kInt64).repeat_interleave(40)));
    std::set<std::int64_t> drawn;
    for (std::int64_t i = 0; i < 40; ++i) drawn.insert(draws.member[i].item<std::int64_t>());
    EXPECT_GT(drawn.size(), 8u) << "of 12 crops of the object";
    EXPECT_LE(drawn.size(), 12u);
    EXPECT_THROW(task->pool_members(purpose, size - 1, 2, torch::kCPU), Error);
  }
  // The passes of a view differ.
  const torch::Tensor pool = task->pool_members(Purpose::finetune, 0, 3, torch::kCPU);
  EXPECT_FALSE(at::equal(pool[0], pool[1]));
  for (const Purpose purpose : {Purpose::pretrain, Purpose::test, Purpose::explore}) {
    EXPECT_EQ(task->pool_size(purpose), 0);
    const Latents latents = testing::latents_of(*task, 7, purpose, 0, 1);
    const SetRange range[] = {{0, 0, 4}};
    EXPECT_EQ(task->pool_draws(latents, 7, purpose, range).size, 0);
  }
}

// The window within which an image is not filled: rows and columns of the box about what is not gray. Shaded surfaces
// and the white background are never 1/2 all along a row.
CropWindow window_of(const torch::Tensor& image) {
  const torch::Tensor inside = image[0] != 0.5f;
  const torch::Tensor rows = inside.any(1).nonzero(), columns = inside.any(0).nonzero();
  const auto first = [](const torch::Tensor& t) { return t.min().item<std::int64_t>(); };
  const auto length = [&](const torch::Tensor& t) { return t.max().item<std::int64_t>() - first(t) + 1; };
  return {first(rows), first(columns), length(rows), length(columns)};
}

TEST_F(ObjectsTest, ObservationsShowCropsOfTheObjectsViews) {
  const auto task = make();
  for (const Purpose purpose : {Purpose::pretrain, Purpose::finetune, Purpose::test, Purpose::explore}) {
    const Latents latents = testing::latents_of(*task, 2, purpose, 0, 3);
    const torch::Tensor x = testing::sets_of(*task, latents, 2, purpose, 0, 40).flatten(0, 1);
    std::set<std::pair<std::int64_t, std::int64_t>> places;
    for (std::int64_t i = 0; i < x.size(0); ++i) {
      const CropWindow w = window_of(x[i]);
      ASSERT_GE(std::min(w.height, w.width), 11) << "0.35 of 32 is 11.2";
      ASSERT_LE(std::max(w.height, w.width), 16);
      const torch::Tensor inside = x[i][0].slice(0, w.top, w.top + w.height).slice(1, w.left, w.left + w.width);
      ASSERT_TRUE((inside != 0.5f).all().item<bool>()) << "no gray level of 255 is 1/2";
      places.emplace(w.top, w.left);
    }
    if (purpose == Purpose::finetune) {
      EXPECT_LE(places.size(), 3u * 4 * 3);
    } else {
      EXPECT_GT(places.size(), 60u) << "windows are drawn anew";
    }
  }
}

TEST_F(ObjectsTest, ShownAndStoredImagesOfAnObjectAgree) {
  const auto task = make();
  task->prepare({});
  ViewSettings views;
  views.source = source->name();
  views.views = 4;
  views.options = {32, 1, 1};
  const ObjectShowcase showcase(source, source->size(), views);
  ViewSettings degrees = views;
  degrees.cameras.lowest = settings.lowest * std::numbers::pi / 180;
  degrees.cameras.highest = settings.highest * std::numbers::pi / 180;
  const ObjectShowcase same(source, source->size(), degrees);
  for (std::size_t place = 0; place < same.size(); ++place) {
    const ShownObject& object = same.shown(place);
    const ViewCache cache(folder / "cache" / "views", degrees, {object.key});
    const std::vector<ViewCache::View> all = {{0, 0}, {0, 1}, {0, 2}, {0, 3}};
    ASSERT_TRUE(at::equal(cache.read(all), same.views(place))) << place;
  }
  // Seen through the task: what is not gray in a shown observation stands in one of the object's views.
  const Latents latents = testing::latents_of(*task, 1, Purpose::explore, 0, 1);
  const torch::Tensor x = testing::sets_of(*task, latents, 1, Purpose::explore, 0, 1)[0][0];
  const torch::Tensor whole =
      same.views(static_cast<std::size_t>(latents.psi.item<double>())).to(torch::kFloat32) / 255;
  int matching = 0;
  for (std::int64_t v = 0; v < 4; ++v) matching += ((x == whole[v]) | (x == 0.5f)).all().item<bool>();
  EXPECT_GE(matching, 1);
}

TEST_F(ObjectsTest, TheShowcaseShowsDifferentObjectsOfTheTests) {
  const auto task = make();
  const std::int64_t n = task->subjects(Purpose::explore);
  EXPECT_EQ(n, 18) << "objects 2, 7, ... of 90";
  EXPECT_EQ(task->info().nuisances[0].view_high, 17);
  const ObjectShowcase showcase(source, source->size(), {});
  std::set<std::size_t> objects;
  for (std::size_t i = 0; i < showcase.size(); ++i) {
    const ShownObject& object = showcase.shown(i);
    EXPECT_EQ(source->split(object.object), MeshSplit::test);
    EXPECT_TRUE(object.facts.set_aside.empty());
    objects.insert(object.object);
  }
  EXPECT_EQ(objects.size(), 16u) << "two boxes are flat, and every object has a place of its own where there are more";
  const ObjectShowcase many(std::make_shared<Boxes>(600), 600, {});
  EXPECT_EQ(many.size(), ObjectShowcase::kMost);
  objects.clear();
  for (std::size_t i = 0; i < many.size(); ++i) objects.insert(many.shown(i).object);
  EXPECT_EQ(objects.size(), many.size());
}

TEST_F(ObjectsTest, SettlesOnObjectsThatThereAre) {
  const auto task = make();
  Latents latents = testing::latents_of(*task, 1, Purpose::explore, 0, 1);
  const auto theta = [&](int t) { return latents.theta[0][t].item<double>(); };
  const auto psi = [&] { return latents.psi.item<double>(); };
  // Another number.
  latents.psi[0][0] = 6.7;
  task->constrain(latents, {true, 0});
  EXPECT_EQ(psi(), 7);
  const Latents seven{latents.theta.clone(), latents.psi.clone()};
  latents.psi[0][0] = 1e9;
  task->constrain(latents, {true, 0});
  EXPECT_EQ(psi(), 17);
  EXPECT_FALSE(at::equal(latents.theta, seven.theta));
  // Another θ: near object 7, whose number follows.
  latents.theta[0][0] = seven.theta[0][0].item<double>() + 1e-3;
  latents.theta[0][1] = seven.theta[0][1].item<double>() - 1e-3;
  task->constrain(latents, {false, 0});
  EXPECT_TRUE(at::equal(latents.theta, seven.theta));
  EXPECT_GE(psi(), 0);
  // What the object is measured to be.
  ViewSettings any;
  const ObjectShowcase showcase(source, source->size(), any);
  const MeshFacts facts = measure_mesh(source->mesh(showcase.shown(7).object));
  EXPECT_NEAR(seven.theta[0][0].item<double>(), facts.volume, 1e-12);
  EXPECT_NEAR(seven.theta[0][1].item<double>(), facts.log_aspect, 1e-12);
  EXPECT_DOUBLE_EQ(theta(0), seven.theta[0][0].item<double>());
  // Numbers that no object has are refused by name.
  latents.psi[0][0] = 2.5;
  const SetRange range[] = {{0, 0, 1}};
  EXPECT_THROW(task->observe(latents, 1, Purpose::explore, range, torch::kCPU), Error);
  EXPECT_THROW(task->observe(latents, 1, Purpose::pretrain, range, torch::kCPU), Error);
}

TEST_F(ObjectsTest, ShowsTheMeshAndWhatItIs) {
  const auto task = make();
  const Latents latents = testing::latents_of(*task, 1, Purpose::explore, 0, 1);
  const Bodies& shown = *face<Bodies>(*task);
  const std::vector<Body> body = shown.bodies(latents, {}, 3);
  ASSERT_EQ(body.size(), 1u);
  EXPECT_EQ(body[0].corners.size(), 8u);
  EXPECT_EQ(body[0].faces.size(), 12u);
  float most = 0;
  for (const auto& corner : body[0].corners)
    for (const float v : corner) most = std::max(most, std::abs(v));
  EXPECT_FLOAT_EQ(most, 0.5f);
  EXPECT_NE(shown.subject_text(latents).find("boxes for tests"), std::string::npos);
  EXPECT_NE(shown.subject_text(latents).find("encloses"), std::string::npos);
  EXPECT_TRUE(shown.plane_drawing(latents).empty());
}

TEST_F(ObjectsTest, PreparingGoesOnWhereItWasStopped) {
  std::string whole;
  {
    std::int64_t last = 0, views = 0;
    std::set<std::string> reported;
    make()->prepare({{}, [&](const std::string& what, std::int64_t done, std::int64_t total) {
                       reported.insert(what);
                       if (what != "meshes rendered") return;
                       EXPECT_GE(done, last);
                       EXPECT_EQ(total, 80);
                       last = views = done;
                     }});
    EXPECT_EQ(views, 80);
    EXPECT_TRUE(reported.contains("meshes rendered"));
    whole = cached_bytes();
    source->read = 0;
    make()->prepare({});
    EXPECT_EQ(source->read, 0) << "nothing is rendered twice";
    EXPECT_EQ(cached_bytes(), whole);
  }
  fs::remove_all(folder / "cache");
  int stopped = 0;
  for (int allowed = 20; stopped < 100; allowed += 40) {
    const auto task = make();
    int asked = 0;
    try {
      task->prepare({[&] { return asked++ >= allowed; }, {}});
      break;
    } catch (const Stopped&) {
      ++stopped;
    }
  }
  EXPECT_GE(stopped, 2);
  EXPECT_EQ(cached_bytes(), whole);
}

TEST_F(ObjectsTest, APartAloneIsRenderedOnFirstNeedAndDamageIsMended) {
  const auto task = make();
  const Latents latents = testing::latents_of(*task, 4, Purpose::test, 0, 2);
  const torch::Tensor x = testing::sets_of(*task, latents, 4, Purpose::test, 0, 9);
  EXPECT_EQ(source->read, 16) << "the tests' objects alone";
  std::string bytes = cached_bytes();
  fs::path file;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "cache" / "views"))
    if (entry.path().filename() == "views.data") file = entry.path();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x20);
  write_file(file, bytes);
  const auto again = make();
  EXPECT_TRUE(at::equal(testing::sets_of(*again, latents, 4, Purpose::test, 0, 9), x));
  again->prepare({});
  EXPECT_TRUE(at::equal(testing::sets_of(*again, latents, 4, Purpose::test, 0, 9), x));
  // From several threads at once.
  const auto fresh = make();
  std::atomic<int> equal{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      equal += at::equal(
          testing::sets_of(*fresh, testing::latents_of(*fresh, 4, Purpose::test, 0, 2), 4, Purpose::test, 0, 9), x);
      testing::sets_of(*fresh, testing::latents_of(*fresh, 4, Purpose::explore, 0, 5), 4, Purpose::explore, 0, 3);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, 4);
}

TEST_F(ObjectsTest, MakesSetsOfAMeshOfOnesOwn) {
  const auto task = make();
  const Items& own = *face<Items>(*task);
  for (const char* name : {"a.off", "b/C.OBJ", "x.stl", "y.ply"}) EXPECT_TRUE(own.is_item(name)) << name;
  for (const char* name : {"a.csv", "off", "CCO", ""}) EXPECT_FALSE(own.is_item(name)) << name;
  const auto off = [](const TriangleMesh& mesh) {
    std::string text = fmt::format("OFF\n{} {} 0\n", mesh.vertices.size(), mesh.triangles.size());
    for (const auto& v : mesh.vertices) text += fmt::format("{} {} {}\n", v[0], v[1], v[2]);
    for (const auto& t : mesh.triangles) text += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
    return text;
  };
  const std::string file = folder / "brick.off";
  write_file(file, off(render::box(4, 2, 1)));
  const ItemSet set = own.read_item(file, 7, 3);
  EXPECT_EQ(set.title, "brick.off");
  EXPECT_EQ(set.x.count(), 7);
  EXPECT_TRUE(set.warnings.empty());
  EXPECT_NEAR(set.latents.theta[0][0].item<double>(), 0.5 * 0.25, 1e-12);
  EXPECT_NEAR(set.latents.theta[0][1].item<double>(), std::log(4.0), 1e-12);
  EXPECT_TRUE(at::equal(own.read_item(file, 4, 3).x.block(), set.x.slice(0, 4).block())) << "prefixes";
  EXPECT_FALSE(at::equal(own.read_item(file, 7, 4).x.block(), set.x.block()));
  EXPECT_EQ(own.read_item(file, 0, 3).x.count(), task->info().max_n);
  EXPECT_TRUE(at::equal(face<Items>(*make())->read_item(file, 7, 3).x.block(), set.x.block())) << "another task object";
  const CropWindow window = window_of(set.x.block()[0]);
  EXPECT_LE(std::max(window.height, window.width), 16);
  // Its mesh is shown.
  EXPECT_EQ(face<Bodies>(*task)->bodies(set.latents, set.x, 1).at(0).faces.size(), 12u);
  EXPECT_NE(face<Bodies>(*task)->subject_text(set.latents).find("brick.off"), std::string::npos);

  // The axis that points up can be selected, is reported and changes the views.
  EXPECT_EQ(set.kind, "closed mesh");
  EXPECT_TRUE(set.other.empty());
  EXPECT_NE(set.read_as.find("brick.off is read as z-up"), std::string::npos) << set.read_as;
  EXPECT_TRUE(at::equal(own.read_item(file, 7, 3, "z").x.block(), set.x.block()));
  const ItemSet lying = own.read_item(file, 7, 3, "y");
  EXPECT_FALSE(at::equal(lying.x.block(), set.x.block()));
  EXPECT_TRUE(at::allclose(lying.latents.theta, set.latents.theta)) << "neither volume nor aspect depends on it";
  EXPECT_NE(lying.read_as.find("y-up, as asked"), std::string::npos) << lying.read_as;
  EXPECT_NE(refusal_of([&] { own.read_item(file, 1, 1, "w"); }).find("'w'"), std::string::npos);

  TriangleMesh open = render::box(4, 2, 1);
  open.triangles.pop_back();
  write_file(file, off(open));
  const ItemSet hull = own.read_item(file, 1, 3);
  ASSERT_EQ(hull.warnings.size(), 1u);
  EXPECT_EQ(hull.kind, "open mesh");
  EXPECT_EQ(hull.other, (std::vector<std::string>{"volume of its convex hull", ""}));
  EXPECT_NE(hull.warnings[0].find("open"), std::string::npos) << hull.warnings[0];
  EXPECT_NEAR(hull.latents.theta[0][0].item<double>(), 0.125, 1e-12);

  write_file(file, off(render::box(4, 2, 0)));
  EXPECT_NE(refusal_of([&] { own.read_item(file, 1, 1); }, ErrorKind::failed).find("flat"), std::string::npos);
  write_file(file, "OFF\n8 12 0\n1 2 3\n");
  EXPECT_NE(refusal_of([&] { own.read_item(file, 1, 1); }, ErrorKind::failed).find("brick.off"), std::string::npos);
  EXPECT_NE(refusal_of([&] { own.read_item(folder / "none.off", 1, 1); }, ErrorKind::failed).find("none.off"),
            std::string::npos);
}

TEST_F(ObjectsTest, SettingsTakeEffectOrAreRefused) {
  const auto refused = [&](const std::string& assignment) {
    ObjectsSettings own = settings;
    set_field(own.fields(), assignment);
    return refusal_of([&] { make_objects_of(source, own); });
  };
  EXPECT_NE(refused("samples=2").find("samples"), std::string::npos);
  EXPECT_NE(refused("crop_least=0.9").find("crop_most"), std::string::npos);
  EXPECT_NE(refused("lowest=70").find("highest"), std::string::npos);
  EXPECT_NE(refused("objects=1").find("evaluations"), std::string::npos);
  const auto first = [&](const std::string& assignment) {
    ObjectsSettings own = settings;
    set_field(own.fields(), assignment);
    const auto task = make_objects_of(source, own);
    Latents latents = testing::latents_of(*task, 1, Purpose::explore, 0, 1);
    latents.psi[0][0] = 3;
    return testing::sets_of(*task, latents, 1, Purpose::explore, 0, 12);
  };
  const torch::Tensor usual = first("objects=90");
  EXPECT_TRUE(at::equal(first("objects=0"), usual));
  for (const char* other : {"samples=4", "crop_most=0.6", "lowest=30", "highest=0", "views=2"})
    EXPECT_FALSE(at::equal(first(other), usual)) << other;
  EXPECT_TRUE(at::equal(first("passes=9"), usual)) << "only stage 2 draws from passes";
  ObjectsSettings fewer = settings;
  fewer.objects = 40;
  EXPECT_EQ(make_objects_of(source, fewer)->subjects(Purpose::test), 7) << "2, 7, ..., 37 without 22";
  EXPECT_EQ(make_objects_of(source, fewer)->info().data_source, "boxes for tests, 40 of them, 32 × 32 pixels");
  // Too few objects for a stage: reported when the stage needs them.
  fewer.objects = 4;
  const auto few = make_objects_of(source, fewer);
  EXPECT_NO_THROW(few->latents(1, Purpose::explore, std::vector<std::int64_t>{0}));
  EXPECT_THROW(few->latents(1, Purpose::finetune_validation, std::vector<std::int64_t>{0}), Error);
}

TEST_F(ObjectsTest, DrawsFromAFolderOfMeshesOrSaysThatObjectsAreGenerated) {
  TaskOptions options;
  options.settings = settings;
  options.data = folder / "nowhere";
  EXPECT_NE(refusal_of([&] { make_objects(options); }).find("nowhere"), std::string::npos);
  for (const std::string& data : {std::string(), (folder / "cache").string()}) {
    options.data = data;
    const auto task = make_objects(options);
    EXPECT_NE(task->info().data_source.find("generated"), std::string::npos);
    EXPECT_FALSE(task->info().data_hint.empty());
    const Latents latents = testing::latents_of(*task, 1, Purpose::explore, 0, 3);
    EXPECT_EQ(testing::sets_of(*task, latents, 1, Purpose::explore, 0, 2).size(0), 3);
  }
  fs::create_directories(folder / "meshes");
  for (int i = 0; i < 40; ++i) {
    const TriangleMesh mesh = Boxes::whole(static_cast<std::size_t>(i) * 5 + 4);
    std::string text = fmt::format("OFF{} {} 0\n", mesh.vertices.size(), mesh.triangles.size());
    for (const auto& v : mesh.vertices) text += fmt::format("{} {} {}\n", v[0], v[1], v[2]);
    for (const auto& t : mesh.triangles) text += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
    write_file(folder / "meshes" / fmt::format("box{:02}.off", i), text);
  }
  options.data = folder;
  const auto task = make_objects(options);
  EXPECT_TRUE(task->info().data_source.starts_with("meshes of meshes (40 files, content ")) << task->info().data_source;
  EXPECT_TRUE(task->info().data_hint.empty());
  for (const Purpose purpose : {Purpose::pretrain, Purpose::test}) {
    const Latents latents = testing::latents_of(*task, 1, purpose, 0, 2);
    EXPECT_EQ(testing::sets_of(*task, latents, 1, purpose, 0, 3).size(1), 3);
  }
}

}  // namespace
}  // namespace pairs
