#include "render/sphere_scene_file.h"

#include <ATen/ops/allclose.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>

#include "core/base/files/files.h"
#include "core/base/text/error.h"

namespace pairs::render {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* file_of_two = R"(
background = [0.1, 0.15, 0.2]
[light]
azimuth = 90
elevation = 45
[sphere.1]
center = [0, 0.5, 0]
radius = 0.25
color = [1, 0, 0]
[sphere.2]
center = [0, -0.5, 0]
radius = 0.3
color = [0.2, 0.4, 0.6]
)";

std::string replaced(std::string from, const std::string& with) {
  std::string text = file_of_two;
  return text.replace(text.find(from), from.size(), with);
}

std::string refused(const std::string& text, ErrorKind* kind = nullptr) {
  try {
    parse_scene(text, "room.toml");
  } catch (const Error& error) {
    if (kind) *kind = error.kind();
    return error.what();
  }
  return "";
}

TEST(SceneFile, IsReadAsItSays) {
  const SphereScene scene = parse_scene(file_of_two, "room.toml");
  ASSERT_EQ(scene.spheres.size(), 2u);
  EXPECT_EQ(scene.spheres[0].center[1], 0.5);
  EXPECT_EQ(scene.spheres[1].radius, 0.3);
  EXPECT_EQ(scene.spheres[1].color[2], 0.6);
  EXPECT_NEAR(scene.light_azimuth, std::numbers::pi / 2, 1e-15);
  EXPECT_NEAR(scene.light_elevation, std::numbers::pi / 4, 1e-15);
  EXPECT_EQ(scene.background[1], 0.15);
}

TEST(SceneFile, WhatIsLeftOutKeepsItsValue) {
  const SphereScene scene = parse_scene("[sphere.1]\ncenter=[0,0,0]\nradius=0.5\ncolor=[1,1,1]\n", "room.toml"), plain;
  EXPECT_NEAR(scene.light_elevation, plain.light_elevation, 1e-15);
  EXPECT_EQ(scene.background[0], plain.background[0]);
}

TEST(SceneFile, ComesBack) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "sphere_scene_file_test.toml";
  const SphereScene scene = draw_scene(1, Purpose::check, 8, 5);
  write_scene(file, scene);
  EXPECT_TRUE(at::allclose(pack_scenes({read_scene(file)}), pack_scenes({scene}), 1e-15, 0.0));
  std::filesystem::remove(file);
}

TEST(SceneFile, WrongFilesGetOneSentence) {
  ErrorKind kind = ErrorKind::usage;
  EXPECT_THAT(refused(replaced("[0, -0.5, 0]", "[0, 0.1, 0]"), &kind),
              AllOf(HasSubstr("room.toml"), HasSubstr("spheres 1 and 2 overlap")));
  EXPECT_EQ(kind, ErrorKind::failed);
  EXPECT_THAT(refused(replaced("[0, -0.5, 0]", "[0, -5, 0]")), HasSubstr("center of sphere 2"));
  EXPECT_THAT(refused(replaced("0.25", "0")), HasSubstr("radius of sphere 1"));
  EXPECT_THAT(refused(replaced("0.25", "nan")), AllOf(HasSubstr("room.toml, line 8"), HasSubstr("nan")));
  EXPECT_THAT(refused(replaced("radius = 0.25", "")), HasSubstr("radius of sphere 1"));
  EXPECT_THAT(refused(replaced("center = [0, 0.5, 0]", "")), HasSubstr("'sphere.1.center' is missing"));
  EXPECT_THAT(refused("light = 5\n"), HasSubstr("'light' must be a table: write [light]"));
  EXPECT_THAT(refused("[[sphere]]\nradius = 1\n"), HasSubstr("write [sphere.1]"));
  EXPECT_THAT(refused(replaced("[0, 0.5, 0]", "[0, 0.5]")), HasSubstr("'sphere.1.center' must be a list of three"));
  EXPECT_THAT(refused(replaced("[1, 0, 0]", "[2, 0, 0]")), HasSubstr("color of sphere 1"));
  EXPECT_THAT(refused(replaced("[1, 0, 0]", "'red'"), &kind), HasSubstr("list of numbers"));
  EXPECT_EQ(kind, ErrorKind::usage);
  EXPECT_THAT(refused(replaced("radius = 0.25", "raduis = 0.25")), HasSubstr("did you mean 'sphere.1.radius'"));
  EXPECT_THAT(refused(replaced("sphere.2", "sphere.3")), HasSubstr("has a [sphere.3] but no [sphere.2]"));
  EXPECT_THAT(refused(replaced("sphere.2", "sphere.17")), HasSubstr("sphere.17"));
  EXPECT_THAT(refused(replaced("elevation = 45", "elevation = 100")), HasSubstr("light"));
  EXPECT_THAT(refused("background = [0.1, 0.1, 0.1]\n"), HasSubstr("no spheres"));
  EXPECT_THAT(refused("[sphere.1\n"), HasSubstr("room.toml, line 1"));
  EXPECT_THROW(read_scene("/nowhere/room.toml"), Error);
}

}  // namespace
}  // namespace pairs::render
