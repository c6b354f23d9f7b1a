#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "tasks/novel_view/novel_view.h"
#include "tasks/view_folder.h"
#include "tests/app/batch/program.h"
#include "tests/app/model/viewer/view_run.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;

class RenderCommand : public ::testing::Test {
 protected:
  RenderCommand() : folder_(std::filesystem::path(::testing::TempDir()) / "render_command_test") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~RenderCommand() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // pairs --batch render with these and, unless they name another, a picture of 24 by 16 pixels.
  Answer render(std::vector<std::string> words) const {
    words.insert(words.begin(), "render");
    if (std::find(words.begin(), words.end(), "--out") == words.end())
      words.insert(words.end(), {"--out", path("a.png")});
    if (std::find(words.begin(), words.end(), "--size") == words.end() &&
        std::find(words.begin(), words.end(), "--like") == words.end())
      words.insert(words.end(), {"--size", "24x16"});
    return run_words(words);
  }

  void expect_refusal(const std::vector<std::string>& words, int code, const std::string& text) const {
    const Answer answer = render(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(text));
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
    EXPECT_FALSE(std::filesystem::exists(path("a.png")));
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(RenderCommand, WritesAPictureOfTheSizeAskedFor) {
  const Answer answer = render({"--scene", "7", "--camera", "-30.5,45"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("a.png"));
  const std::string png = read_file(path("a.png"));
  ASSERT_GT(png.size(), 100u);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\x18\0\0\0\x10", 8));
}

TEST_F(RenderCommand, EveryOptionHasAnEffect) {
  const auto picture = [&](std::vector<std::string> words, const std::string& scene = "7") {
    words.insert(words.begin(), {"--scene", scene});
    EXPECT_EQ(render(words).code, 0);
    return read_file(path("a.png"));
  };
  const std::string plain = picture({});
  EXPECT_EQ(picture({"--camera", "30,35", "--spheres", "3", "--buffer", "color", "--threads", "1"}), plain);
  std::vector<std::string> all = {plain, picture({}, "8")};
  for (const auto& [option, value] :
       {std::pair("--camera", "31,35"), std::pair("--camera", "30,36"), std::pair("--spheres", "2"),
        std::pair("--supersample", "1"), std::pair("--half-width", "1.2"), std::pair("--buffer", "depth"),
        std::pair("--buffer", "normal"), std::pair("--buffer", "id")})
    all.push_back(picture({option, value}));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i], all[j]) << i << " and " << j;
}

TEST_F(RenderCommand, ASavedSceneGivesTheSamePicture) {
  EXPECT_EQ(render({"--scene", "9", "--save", path("room.toml")}).code, 0);
  const std::string first = read_file(path("a.png"));
  EXPECT_EQ(render({"--scene", path("room.toml")}).code, 0);
  EXPECT_EQ(read_file(path("a.png")), first);
}

TEST_F(RenderCommand, AnswersInJson) {
  const Answer answer = render({"--scene", "7", "--json"});
  const nlohmann::json document = nlohmann::json::parse(answer.out);
  EXPECT_EQ(document.at("width"), 24);
  EXPECT_EQ(document.at("height"), 16);
  EXPECT_EQ(document.at("spheres"), 3);
  EXPECT_EQ(document.at("file"), path("a.png"));
}

TEST_F(RenderCommand, ViewsAreThoseOfTheTaskToEightBits) {
  const Answer answer = render({"--scene", "9", "--spheres", "2", "--views", "12", "--size", "24x24", "--out",
                                path("views"), "--json", "--save", path("room.toml")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json document = nlohmann::json::parse(answer.out);
  EXPECT_EQ(document.at("views"), 12);
  EXPECT_EQ(document.at("cameras").size(), 12u);
  const auto task = make_novel_view({.size = 24, .spheres = 2});
  const std::int64_t index[] = {0};
  const SetRange range[] = {{0, 0, 12}};
  const torch::Tensor x =
      task->observe(task->latents(9, Purpose::explore, index), 9, Purpose::explore, range, torch::kCPU);
  const ViewFolder views = read_view_folder(path("views"), 24, 1.5);
  EXPECT_TRUE((views.images * 255).round().equal((x.narrow(1, 0, 3) * 255).round()));
  EXPECT_TRUE(at::allclose(face<SceneViews>(*task)->observations(views.images, views.cameras, {}).narrow(1, 3, 3),
                           x.narrow(1, 3, 3), 0, 1e-6));
  // The scene is the one that --camera shows.
  EXPECT_EQ(render({"--scene", "9", "--spheres", "2", "--save", path("same.toml")}).code, 0);
  EXPECT_EQ(read_file(path("room.toml")), read_file(path("same.toml")));
}

TEST_F(RenderCommand, ViewsOfASceneFileAndOfOtherOptions) {
  EXPECT_EQ(render({"--scene", "9", "--save", path("room.toml")}).code, 0);
  const auto images = [&](const std::string& scene, std::vector<std::string> words, double half_width = 1.5) {
    const std::string folder = path("views");
    std::filesystem::remove_all(folder);
    words.insert(words.begin(), {"--scene", scene, "--views", "2", "--size", "16x16", "--out", folder});
    EXPECT_EQ(render(words).code, 0);
    return read_view_folder(folder, 16, half_width).images;
  };
  const torch::Tensor plain = images(path("room.toml"), {});
  EXPECT_TRUE(images(path("room.toml"), {"--supersample", "1"}).equal(plain));
  EXPECT_FALSE(images(path("room.toml"), {"--supersample", "3"}).equal(plain));
  EXPECT_FALSE(images(path("room.toml"), {"--half-width", "1.2"}, 1.2).equal(plain));
  EXPECT_FALSE(images("9", {}).equal(plain)) << "a seed has cameras of its own";
}

TEST_F(RenderCommand, ViewsAreOfTheKindThatARunKnows) {
  const std::string run = model::untrained_view_run(path(""), "run", {"task.half_width=1.1"});
  const Answer answer = render({"--scene", "9", "--views", "2", "--like", run, "--out", path("like"), "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(nlohmann::json::parse(answer.out).at("spheres"), 2);
  EXPECT_EQ(read_view_folder(path("like"), 16, 1.1).images.sizes(), (std::vector<std::int64_t>{2, 3, 16, 16}));
  expect_refusal({"--scene", "9", "--like", run, "--out", path("a.png")}, 2, "--views");
  expect_refusal({"--scene", "9", "--views", "2", "--like", run, "--size", "8x8", "--out", path("a")}, 2, "--size");
  expect_refusal({"--scene", "9", "--views", "2", "--like", "gaussian", "--out", path("a")}, 2, "no views of a scene");
  expect_refusal({"--scene", "9", "--views", "2", "--like", path("none"), "--out", path("a")}, 2, "none");
}

TEST_F(RenderCommand, RepeatsWhatWasTyped) {
  const std::string size = "99999999999999999999999x3";
  expect_refusal({"--scene", "9", "--size", size}, 2, "--size " + size + " is not");
  expect_refusal({"--scene", "9", "--save", path("b.png")}, 2, "--save " + path("b.png") + " must end in .toml");
}

TEST_F(RenderCommand, RefusesViewsThatCannotBe) {
  const auto refused = [&](std::vector<std::string> words, int code, const std::string& text) {
    words.insert(words.begin(), {"--scene", "7"});
    expect_refusal(words, code, text);
  };
  refused({"--views", "0", "--out", path("v")}, 2, "--views");
  refused({"--views", "1000", "--out", path("v")}, 2, "--views");
  refused({"--views", "2", "--camera", "30,45", "--out", path("v")}, 2, "--camera");
  refused({"--views", "2", "--buffer", "id", "--out", path("v")}, 2, "--buffer");
  refused({"--views", "2", "--size", "32x16", "--out", path("v")}, 2, "no square");
  refused({"--views", "2", "--size", "16x16", "--out", path("nowhere/v")}, 1, "nowhere");
  refused({"--views", "2", "--size", "16x16", "--out", write("file", "")}, 1, "is a file");
  refused({"--views", "2", "--size", "16x16", "--out", path("")}, 1, "is not empty");
  EXPECT_FALSE(std::filesystem::exists(path("v")));
}

TEST_F(RenderCommand, BadInputGetsOneSentence) {
  expect_refusal({}, 2, "--scene");
  for (const char* camera : {"30", "30,", ",30", "nan,30", "30,inf", "30,91", "361,0", "30,45,60", "a,b"})
    expect_refusal({"--scene", "7", "--camera", camera}, 2, "is not an azimuth");
  for (const char* size : {"64", "64x", "x64", "0x64", "64x-1", "64x5000", "64x64x64", "1e2x3"})
    expect_refusal({"--scene", "7", "--size", size}, 2, "is not a width and a height");
  for (const char* width : {"0", "nan", "-1", "100"})
    expect_refusal({"--scene", "7", "--half-width", width}, 2, "is not a number from 0.05 to 20");
  expect_refusal({"--scene", "7", "--half-width", "wide"}, 2, "--half-width");
  expect_refusal({"--scene", "7", "--supersample", "0"}, 2, "--supersample");
  expect_refusal({"--scene", "7", "--spheres", "9"}, 2, "--spheres");
  expect_refusal({"--scene", "7", "--buffer", "hue"}, 2, "--buffer");
  expect_refusal({"--scene", "seven"}, 2, "neither a seed");
  expect_refusal({"--scene", "1.5"}, 2, "neither a seed");
  expect_refusal({"--scene", "18446744073709551616"}, 2, "too large a seed");
  expect_refusal({"--scene", path("none.toml")}, 1, "none.toml");
  expect_refusal({"--scene", "7", "--out", path("a.gif")}, 2, "must end in .png");
  expect_refusal({"--scene", "7", "--out", path("nowhere/a.png")}, 1, "nowhere");
  const std::string ball = "center = [0, 0, 0]\nradius = 0.3\ncolor = [1, 0, 0]\n";
  const std::string two = write("two.toml", "[sphere.1]\n" + ball + "[sphere.2]\n" + ball);
  expect_refusal({"--scene", two}, 1, "spheres 1 and 2 overlap");
  const std::string one = write("one.toml", "[sphere.1]\n" + ball);
  expect_refusal({"--scene", one, "--spheres", "2"}, 2, "--spheres belongs to a seed");
  expect_refusal({"--scene", one, "--save", one}, 2, "would replace");
  expect_refusal({"--scene", write("odd.toml", "[sphere.1]\nradius = nan\n")}, 2, "odd.toml, line 2");
}

}  // namespace
}  // namespace pairs::batch
