#include "app/model/viewer/viewer.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <png.h>
#include <webp/demux.h>

#include <cmath>
#include <fstream>
#include <set>

#include "app/model/viewer/view_pictures.h"
#include "app/model/viewer/viewer_engine.h"
#include "app/posterior/set/view_embeddings.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "render/sphere_caster.h"
#include "render/sphere_scene_file.h"
#include "tasks/registry.h"
#include "tasks/scene_views.h"
#include "tests/app/model/viewer/view_run.h"

namespace pairs::model {
namespace {

using std::numbers::pi;

constexpr double kViewerPatience = 60;

std::vector<render::Camera> cameras_of_prior(std::int64_t count) {
  std::vector<render::Camera> all;
  for (std::int64_t k = 0; k < count; ++k)
    all.push_back(render::draw_camera(5, Purpose::check, 0, static_cast<std::uint64_t>(k)));
  return all;
}

torch::Tensor rows_of(const std::vector<render::Camera>& cameras) {
  torch::Tensor rows = at::empty({static_cast<std::int64_t>(cameras.size()), 2}, torch::kFloat64);
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    rows[static_cast<std::int64_t>(k)][0] = cameras[k].azimuth;
    rows[static_cast<std::int64_t>(k)][1] = cameras[k].elevation;
  }
  return rows;
}

class ViewerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    world_ = untrained_view_run(folder_->path(), "world");
    target_ = untrained_view_run(folder_->path(), "target", {"task.frame=target"});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  void settle(Viewer& viewer) { ASSERT_TRUE(viewer.wait(kViewerPatience)) << viewer.activity(); }

  static inline std::unique_ptr<TemporaryFolder> folder_;
  static inline std::string world_, target_;
  Hub hub_{built_in_tasks()};
};

// What the estimator makes of the first n views by itself.
torch::Tensor direct_aggregate(const ViewPosterior& posterior, const render::SphereScene& scene,
                               const std::vector<render::Camera>& views, const render::Camera& target) {
  const SceneViews& face = posterior.views();
  const torch::Tensor images = render::cast_spheres(render::pack_scenes({scene}), rows_of(views),
                                                    at::zeros({static_cast<std::int64_t>(views.size())}, torch::kInt64),
                                                    face.cast(), torch::kCPU);
  return posterior.loaded()
      .estimator->embed(face.observations(images, rows_of(views), target))
      .to(torch::kFloat64)
      .mean(0, true);
}

TEST_F(ViewerTest, PrefixSumsAreTheMeanEmbeddings) {
  for (const std::string& run : {world_, target_}) {
    ViewPosterior posterior(built_in_tasks(), run, "", "cpu");
    ViewEmbeddings& embeddings = posterior.embeddings();
    const render::SphereScene scene = render::draw_scene(2, Purpose::check, 0, 2);
    const render::Camera target = {0.7, 0.6};
    std::vector<render::Camera> views = cameras_of_prior(9);
    embeddings.show(scene, target);
    ASSERT_EQ(embeddings.embed(views, [] { return true; }), views.size());
    const auto check = [&](const std::vector<render::Camera>& used) {
      const torch::Tensor want = direct_aggregate(posterior, scene, used, target);
      EXPECT_LT((embeddings.aggregate(used) - want).abs().max().item<double>(), 1e-5) << used.size();
    };
    for (const std::size_t n : {1u, 2u, 9u, 5u}) check({views.begin(), views.begin() + static_cast<std::ptrdiff_t>(n)});
    EXPECT_EQ(embeddings.count(), 9);
    // One fewer and others in another order cost nothing.
    views.erase(views.begin() + 2);
    std::swap(views[0], views[5]);
    ASSERT_EQ(embeddings.embed(views, [] { return true; }), views.size());
    check(views);
    EXPECT_EQ(embeddings.count(), 9);
    // Another target camera needs all embeddings anew where the maps are in its axes, and none otherwise.
    embeddings.show(scene, {1.4, 0.5});
    ASSERT_EQ(embeddings.embed(views, [] { return true; }), views.size());
    EXPECT_EQ(embeddings.count(), run == target_ ? 9 + 8 : 9);
    const torch::Tensor want = direct_aggregate(posterior, scene, views, {1.4, 0.5});
    EXPECT_LT((embeddings.aggregate(views) - want).abs().max().item<double>(), 1e-5);
    // Another scene costs all.
    render::SphereScene other = scene;
    other.spheres[0].color[0] = 0.1;
    embeddings.show(other, {1.4, 0.5});
    EXPECT_THROW(embeddings.aggregate(views), Error);
    EXPECT_EQ(embeddings.embed(views, [] { return false; }), 0u);
    int asked = 0;
    EXPECT_EQ(embeddings.embed(views, [&] { return asked++ == 0; }), 4u) << "some of them, in order";
  }
}

TEST_F(ViewerTest, SamplesAreTheEstimatorsAndRefine) {
  Viewer viewer(hub_);
  viewer.open(world_);
  settle(viewer);
  ASSERT_EQ(viewer.failure(), "");
  ASSERT_TRUE(viewer.loaded());
  EXPECT_EQ(viewer.info().size, 16);
  EXPECT_EQ(viewer.scene.shown().spheres.size(), 2u);
  EXPECT_EQ(viewer.cameras.observed().size(), 100u);
  EXPECT_EQ(viewer.n(), 10);
  const auto shown = viewer.shown();
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->n, 10);
  EXPECT_EQ(shown->finished, 16);
  ASSERT_EQ(shown->samples.size(), 16u);
  for (const auto& path : shown->samples) EXPECT_EQ(path.size(), 7u) << "noise and six steps";
  std::set<std::vector<std::uint8_t>> different;
  for (const auto& path : shown->samples) different.insert(path.back()->rgb);
  EXPECT_EQ(different.size(), 16u);

  // The first sample and the numbers by other means.
  ViewPosterior posterior(built_in_tasks(), world_, "", "cpu");
  const std::vector<render::Camera> used(viewer.cameras.observed().begin(), viewer.cameras.observed().begin() + 10);
  const torch::Tensor aggregate = direct_aggregate(posterior, viewer.scene.shown(), used, viewer.cameras.target());
  const torch::Tensor sample = posterior.loaded().estimator->sample(
      aggregate, torch::full({1}, 10, torch::kInt64), 1, stream_key(1, Purpose::posterior),
      posterior.views().given(viewer.cameras.target()))[0];
  const auto& bytes = shown->samples[0].back()->rgb;
  const torch::Tensor image = sample.view({3, 16, 16}).permute({1, 2, 0}).contiguous();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    ASSERT_NEAR(bytes[i], 255 * image.flatten()[static_cast<std::int64_t>(i)].item<double>(), 1.01) << i;
  const ViewerNumbers& n = shown->numbers;
  const torch::Tensor truth = posterior.views().target_views(render::pack_scenes({viewer.scene.shown()}),
                                                             posterior.views().given(viewer.cameras.target()));
  std::vector<double> errors(16), mean(768, 0);
  double variance = 0;
  for (std::size_t i = 0; i < 768; ++i) {
    const std::size_t c = i % 3, pixel = i / 3;
    const double t = truth[0][static_cast<std::int64_t>(c * 256 + pixel)].item<double>();
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < 16; ++k) {
      const double v = shown->samples[k].back()->rgb[i] / 255.0;
      errors[k] += (v - t) * (v - t) / 768;
      sum += v;
      squares += v * v;
    }
    mean[i] = sum / 16 - t;
    variance += (squares - sum * sum / 16) / 15 / 768;
  }
  double one = 0, of_mean = 0;
  for (const double e : errors) one += e / 16;
  for (const double m : mean) of_mean += m * m / 768;
  EXPECT_NEAR(n.sample, one, 0.01 * one + 1e-4);
  EXPECT_NEAR(n.mean, of_mean, 0.01 * of_mean + 1e-4);
  EXPECT_NEAR(n.variance, variance, 0.01 * variance + 1e-4);
  EXPECT_GT(n.prior, 0);

  // Fewer are wanted: those there are stay. Views beyond N change nothing.
  const std::uint64_t version = shown->version;
  viewer.cameras.remove(50);
  settle(viewer);
  EXPECT_EQ(viewer.shown()->version, version);
  EXPECT_EQ(viewer.cameras.observed().size(), 99u);
}

TEST_F(ViewerTest, TheNewestWishWins) {
  Viewer viewer(hub_);
  viewer.open(target_);
  viewer.set_samples(4);
  settle(viewer);
  const std::uint64_t before = viewer.shown()->version;
  for (int k = 0; k < 30; ++k) {
    viewer.set_n(3 + k);
    viewer.cameras.orbit(0.05, 0);
    viewer.poll();
  }
  settle(viewer);
  EXPECT_EQ(viewer.n(), 32);
  EXPECT_EQ(viewer.shown()->n, 32);
  EXPECT_EQ(viewer.shown()->finished, 4);
  EXPECT_GT(viewer.shown()->version, before);
  EXPECT_LT(viewer.shown()->version, before + 60) << "not every request was worked out";
  // The truth shown is of the last camera.
  ViewPosterior posterior(built_in_tasks(), target_, "", "cpu");
  EXPECT_EQ(viewer.shown()->truth->rgb,
            picture_of(posterior.truth(viewer.scene.shown(), viewer.cameras.target()))->rgb);
  EXPECT_TRUE(viewer.shown()->warnings.empty());
  viewer.set_n(60);
  settle(viewer);
  ASSERT_EQ(viewer.shown()->warnings.size(), 1u) << "training saw 40 views at most";
  EXPECT_NE(viewer.shown()->warnings[0].find("40"), std::string::npos);
}

TEST_F(ViewerTest, ChangesByHandStayLegal) {
  Viewer viewer(hub_);
  viewer.open(world_);
  settle(viewer);
  const render::SphereScene drawn = viewer.scene.shown();
  EXPECT_FALSE(viewer.scene.edited());
  // Onto the other sphere, out of the world, as large as the world.
  render::Sphere sphere = viewer.scene.shown().spheres[0];
  for (int c = 0; c < 3; ++c) sphere.center[c] = viewer.scene.shown().spheres[1].center[c];
  viewer.scene.set_sphere(0, sphere);
  EXPECT_NO_THROW(render::check_scene(viewer.scene.shown(), render::prior_limits));
  for (int c = 0; c < 3; ++c)
    EXPECT_EQ(viewer.scene.shown().spheres[0].center[c], sphere.center[c]) << "it stays where it is put";
  viewer.scene.move_sphere(0, viewer.scene.shown().spheres[0], 30, -20, 5);
  EXPECT_NO_THROW(render::check_scene(viewer.scene.shown(), render::prior_limits));
  sphere.radius = 7;
  sphere.color[1] = 3;
  sphere.center[2] = NAN;
  viewer.scene.set_sphere(1, sphere);
  EXPECT_NO_THROW(render::check_scene(viewer.scene.shown(), render::prior_limits));
  viewer.scene.set_light(17, 5);
  const double back[3] = {-1, 0.3, 2};
  viewer.scene.set_background(back);
  EXPECT_NO_THROW(render::check_scene(viewer.scene.shown(), render::prior_limits));
  EXPECT_TRUE(viewer.scene.edited());
  EXPECT_NE(viewer.cameras.beyond().find("light"), std::string::npos);
  EXPECT_NE(viewer.cameras.beyond().find("background"), std::string::npos);
  viewer.scene.set_sphere(7, sphere);
  EXPECT_EQ(viewer.scene.shown().spheres.size(), 2u);
  settle(viewer);
  EXPECT_EQ(viewer.shown()->finished, 16);
  viewer.scene.undo_edits();
  EXPECT_FALSE(viewer.scene.edited());
  EXPECT_EQ(render::scene_text(viewer.scene.shown()), render::scene_text(drawn));
  EXPECT_EQ(viewer.cameras.beyond(), "");
  viewer.new_set();
  EXPECT_NE(render::scene_text(viewer.scene.shown()), render::scene_text(drawn));
  EXPECT_EQ(viewer.cameras.observed().size(), 100u);
  viewer.scene.choose_seed(viewer.scene.seed() - 1);
  EXPECT_EQ(render::scene_text(viewer.scene.shown()), render::scene_text(drawn));
}

TEST_F(ViewerTest, APressFindsTheSphereThatIsSeenThere) {
  Viewer viewer(hub_);
  for (std::int64_t seed = 0; seed < 6; ++seed) {
    viewer.scene.choose_seed(seed);
    viewer.cameras.set_target({0.9 * static_cast<double>(seed), 0.5});
    const auto buffers = render::cast_sphere_buffers(
        render::pack_scenes({viewer.scene.shown()}), rows_of({viewer.cameras.target()}), at::zeros({1}, torch::kInt64),
        {.height = 32, .width = 32, .half_width = viewer.info().half_width}, torch::kCPU);
    for (std::int64_t i = 0; i < 32; ++i)
      for (std::int64_t j = 0; j < 32; ++j) {
        const auto here = viewer.scene.sphere_at(render::column_middle(static_cast<double>(j), 32),
                                                 render::row_middle(static_cast<double>(i), 32, 32));
        EXPECT_EQ(here ? static_cast<int>(*here) : -1, buffers.id[0][i][j].item<int>()) << seed << " " << i << " " << j;
      }
  }
  // What is dragged follows the mouse.
  const render::Sphere before = viewer.scene.shown().spheres[0];
  const render::CameraBasis basis =
      render::camera_basis(viewer.cameras.target().azimuth, viewer.cameras.target().elevation);
  viewer.scene.move_sphere(0, before, 0.02, -0.03);
  const render::Sphere after = viewer.scene.shown().spheres[0];
  EXPECT_NEAR(render::dot3(after.center, basis.right) - render::dot3(before.center, basis.right), 0.03, 1e-9);
  EXPECT_NEAR(render::dot3(after.center, basis.up) - render::dot3(before.center, basis.up), -0.045, 1e-9);
  EXPECT_NEAR(render::dot3(after.center, basis.forward), render::dot3(before.center, basis.forward), 1e-9);
}

TEST_F(ViewerTest, ViewsComeAndGo) {
  Viewer viewer(hub_);
  viewer.open(world_);
  settle(viewer);
  EXPECT_NE(viewer.cameras.add_blocked(), "");
  viewer.cameras.add();
  EXPECT_EQ(viewer.cameras.observed().size(), 100u) << "there is no room";
  const std::vector<render::Camera> before = viewer.cameras.observed();
  viewer.cameras.remove(3);
  ASSERT_EQ(viewer.cameras.observed().size(), 99u);
  EXPECT_EQ(viewer.cameras.observed()[3].azimuth, before[4].azimuth);
  EXPECT_EQ(viewer.cameras.add_blocked(), "");
  viewer.cameras.add();
  ASSERT_EQ(viewer.cameras.observed().size(), 100u);
  for (const render::Camera& camera : before)
    EXPECT_NE(viewer.cameras.observed().back().azimuth, camera.azimuth) << "it is a new one";
  settle(viewer);
  ASSERT_EQ(viewer.view_pictures().size(), 100u);
  const auto picture = viewer.view_pictures()[3];
  ViewPosterior posterior(built_in_tasks(), world_, "", "cpu");
  EXPECT_EQ(picture->rgb, picture_of(posterior.truth(viewer.scene.shown(), viewer.cameras.observed()[3]))->rgb);

  viewer.cameras.clear();
  EXPECT_EQ(viewer.n(), 0);
  settle(viewer);
  EXPECT_EQ(viewer.shown(), nullptr);
  EXPECT_NE(viewer.exports.blocked(ViewerExport::grid), "");
  viewer.cameras.add();
  viewer.cameras.add();
  EXPECT_EQ(viewer.n(), 2) << "as many as there are, of the ten that were wanted";
  settle(viewer);
  EXPECT_EQ(viewer.shown()->n, 2);
  viewer.cameras.fill();
  EXPECT_EQ(viewer.cameras.observed().size(), 100u);
  EXPECT_EQ(viewer.n(), 10);
}

TEST_F(ViewerTest, TheTargetKeepsToItsLimits) {
  Viewer viewer(hub_);
  viewer.cameras.orbit(0, 10);
  EXPECT_DOUBLE_EQ(viewer.cameras.target().elevation, pi / 2);
  EXPECT_NE(viewer.cameras.beyond().find("90°"), std::string::npos);
  viewer.cameras.orbit(0, -10);
  EXPECT_EQ(viewer.cameras.target().elevation, 0);
  EXPECT_NE(viewer.cameras.beyond(), "");
  viewer.cameras.set_target({-1, pi / 4});
  EXPECT_NEAR(viewer.cameras.target().azimuth, 2 * pi - 1, 1e-12);
  EXPECT_EQ(viewer.cameras.beyond(), "");
  viewer.cameras.orbit(100, NAN);
  EXPECT_GE(viewer.cameras.target().azimuth, 0);
  EXPECT_LT(viewer.cameras.target().azimuth, 2 * pi);
  EXPECT_NEAR(viewer.cameras.target().elevation, pi / 4, 1e-12);
  viewer.cameras.set_target({1, render::scene_prior.camera_elevation.low});
  EXPECT_EQ(viewer.cameras.beyond(), "");
}

TEST_F(ViewerTest, PlaysThroughN) {
  Viewer viewer(hub_);
  viewer.set_n(100);
  viewer.toggle_play();
  EXPECT_TRUE(viewer.playing());
  viewer.advance(4);
  EXPECT_EQ(viewer.n(), 10) << "half of the way, logarithmically";
  viewer.advance(10);
  EXPECT_EQ(viewer.n(), 100);
  EXPECT_FALSE(viewer.playing());
  viewer.set_loop(true);
  viewer.toggle_play();
  viewer.advance(7.99);
  viewer.advance(0.02);
  EXPECT_TRUE(viewer.playing());
  EXPECT_EQ(viewer.n(), 1);
  viewer.step_n(1);
  EXPECT_EQ(viewer.n(), 2);
  viewer.step_n(-5);
  EXPECT_EQ(viewer.n(), 1);
  viewer.cameras.clear();
  EXPECT_FALSE(viewer.playing());
  viewer.toggle_play();
  EXPECT_FALSE(viewer.playing());
}

TEST_F(ViewerTest, SaysWhyARunCannotBeShown) {
  Viewer viewer(hub_);
  viewer.open((folder_->path() / "nowhere").string());
  settle(viewer);
  EXPECT_NE(viewer.failure(), "");
  EXPECT_EQ(viewer.shown(), nullptr);
  EXPECT_TRUE(viewer.truth()) << "the scene is there nevertheless";
  EXPECT_EQ(hub_.messages.unseen(), 1);
  viewer.open(world_);
  settle(viewer);
  EXPECT_EQ(viewer.failure(), "");
  EXPECT_TRUE(viewer.shown());
  viewer.open("");
  settle(viewer);
  EXPECT_FALSE(viewer.loaded());
  EXPECT_EQ(viewer.shown(), nullptr);
  EXPECT_EQ(viewer.scene.shown().spheres.size(), 3u) << "the task's own";
}

TEST_F(ViewerTest, OpensASceneFile) {
  TemporaryFolder folder;
  Viewer viewer(hub_);
  viewer.open(world_);
  settle(viewer);
  render::SphereScene scene = viewer.scene.shown();
  scene.spheres[0].color[0] = 0.25;
  render::write_scene(folder / "mine.toml", scene);
  EXPECT_EQ(viewer.scene.open(folder / "mine.toml"), "");
  EXPECT_EQ(viewer.scene.shown().spheres[0].color[0], 0.25);
  EXPECT_TRUE(viewer.scene.edited());
  EXPECT_NE(viewer.render_command().find("mine.toml"), std::string::npos) << "the command reads the same file";
  scene.spheres.pop_back();
  render::write_scene(folder / "one.toml", scene);
  EXPECT_NE(viewer.scene.open(folder / "one.toml").find("1 sphere"), std::string::npos);
  EXPECT_NE(viewer.scene.open(folder / "gone.toml"), "");
  EXPECT_EQ(viewer.scene.shown().spheres.size(), 2u);
}

class ViewerExports : public ViewerTest {
 protected:
  ViewerExports() : viewer(hub_) {
    viewer.open(world_);
    EXPECT_TRUE(viewer.wait(kViewerPatience));
  }
  std::filesystem::path save(ViewerExport kind, const std::string& name) {
    const std::filesystem::path file = out / name;
    EXPECT_EQ(viewer.exports.blocked(kind), "");
    viewer.exports.start(kind, file);
    EXPECT_TRUE(viewer.exports.busy());
    EXPECT_NE(viewer.exports.blocked(kind), "") << "one at a time";
    settle(viewer);
    EXPECT_FALSE(viewer.exports.busy());
    EXPECT_EQ(viewer.exports.failure(), "");
    EXPECT_EQ(viewer.exports.take_written(), file);
    EXPECT_EQ(viewer.exports.take_written(), "") << "told once";
    return file;
  }

  TemporaryFolder out;
  Viewer viewer;
};

TEST_F(ViewerExports, APictureOfEverything) {
  const std::filesystem::path file = save(ViewerExport::grid, "grid.png");
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&image, file.c_str()));
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(image));
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr));
  EXPECT_GT(image.width, 1500u);
  // The middle of the truth's square is there.
  const auto& truth = *viewer.truth();
  const std::size_t at = 3 * static_cast<std::size_t>(truth.width * (truth.height / 2) + truth.width / 2);
  bool found = false;
  for (std::size_t i = 0; i + 2 < rgb.size() && !found; i += 3)
    found = rgb[i] == truth.rgb[at] && rgb[i + 1] == truth.rgb[at + 1] && rgb[i + 2] == truth.rgb[at + 2];
  EXPECT_TRUE(found);
}

TEST_F(ViewerExports, AnAnimationOfGrowingN) {
  while (viewer.cameras.observed().size() > 6) viewer.cameras.remove(6);
  const std::filesystem::path file = save(ViewerExport::animation, "n.webp");
  const std::string bytes = read_file(file);
  const WebPData data = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  WebPAnimDecoder* decoder = WebPAnimDecoderNew(&data, nullptr);
  ASSERT_TRUE(decoder);
  WebPAnimInfo info;
  ASSERT_TRUE(WebPAnimDecoderGetInfo(decoder, &info));
  EXPECT_EQ(info.frame_count, 6u) << "N from 1 to 6";
  EXPECT_GT(info.canvas_width, 800u);
  std::set<std::string> frames;
  while (WebPAnimDecoderHasMoreFrames(decoder)) {
    std::uint8_t* rgba = nullptr;
    int time = 0;
    ASSERT_TRUE(WebPAnimDecoderGetNext(decoder, &rgba, &time));
    frames.insert(std::string(reinterpret_cast<char*>(rgba), 4ull * info.canvas_width * info.canvas_height));
  }
  WebPAnimDecoderDelete(decoder);
  EXPECT_EQ(frames.size(), 6u) << "each differs";
}

TEST_F(ViewerExports, AnAnimationCanBeStopped) {
  const std::filesystem::path file = out / "long.webp";
  viewer.exports.start(ViewerExport::animation, file);
  viewer.exports.cancel();
  settle(viewer);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(viewer.exports.failure(), "");
  EXPECT_TRUE(viewer.exports.take_written().empty());
}

TEST_F(ViewerExports, ViewsAndSceneMakeCommands) {
  std::string why;
  EXPECT_EQ(
      viewer.render_command(),
      "pairs --batch render --scene 1 --spheres 2 --camera 30,40 --size 512x512 --half-width 1.25 --out view.png");
  EXPECT_EQ(viewer.infer_command(&why), "");
  EXPECT_NE(why.find("Save these views"), std::string::npos);
  const std::filesystem::path views = save(ViewerExport::views, "views.npz");
  const auto arrays = read_npz(views);
  EXPECT_EQ(arrays.at("x").sizes(), (std::vector<std::int64_t>{100, 6, 16, 16}));
  EXPECT_TRUE(at::allclose(arrays.at("given").to(torch::kFloat64),
                           ViewPosterior(built_in_tasks(), world_, "", "cpu").views().given(viewer.cameras.target())));
  EXPECT_EQ(viewer.infer_command(),
            "pairs --batch infer " + world_ + " --data " + views.string() + " --n 10 --samples 16");
  viewer.set_n(50);
  EXPECT_NE(viewer.infer_command().find("--n 50 --samples 16 --force"), std::string::npos);
  viewer.cameras.orbit(0.1, 0);
  EXPECT_EQ(viewer.infer_command(), "") << "the file is of another target";
  viewer.cameras.orbit(-0.1, 0);

  render::Sphere sphere = viewer.scene.shown().spheres[0];
  sphere.radius = 0.2;
  viewer.scene.set_sphere(0, sphere);
  EXPECT_EQ(viewer.render_command(&why), "");
  EXPECT_NE(why.find("scene file"), std::string::npos);
  const std::filesystem::path scene = save(ViewerExport::scene, "scene.toml");
  EXPECT_EQ(render::scene_text(render::read_scene(scene)), render::scene_text(viewer.scene.shown()));
  EXPECT_NE(viewer.render_command().find("--scene " + scene.string()), std::string::npos);
}

TEST_F(ViewerExports, SayWhatWentWrong) {
  viewer.exports.start(ViewerExport::grid, out / "no" / "such" / "folder.png");
  settle(viewer);
  EXPECT_NE(viewer.exports.failure(), "");
  EXPECT_EQ(hub_.messages.unseen(), 1);
  EXPECT_TRUE(viewer.exports.take_written().empty());
}

}  // namespace
}  // namespace pairs::model
