// Each option of a set, for each kind of set, has an effect on what is observed or is refused by its name.
#include "app/posterior/set/set_kind.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "app/posterior/set/observed_set.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "core/report/png.h"
#include "tasks/registry.h"
#include "tasks/view_folder.h"
#include "tests/app/batch/pebble_task.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

// A kind of set, and a value of each option that has an effect on it. Other options must be refused, by their name or,
// of a list that they make another file, by these words.
struct Kind {
  std::string name;
  std::shared_ptr<const Task> task;
  SetChoice set;
  std::map<std::string, std::string> effects;
  std::map<std::string, std::string> refusals = {};
};

class EachKindOfSet : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Points of two columns, of which the last row lacks a value, and a column that separates two sets.
  void write_points() const {
    std::string rows = "x1,x2,u,run\n", a = "x1,x2,u\n", b = a;
    for (int i = 0; i < 12; ++i) {
      const std::string row = fmt::format("{},{},{}", i, i * 0.5, -i);
      rows += fmt::format("{},{}\n", row, i % 2);
      (i % 2 == 0 ? a : b) += row + "\n";
    }
    write_file(folder_ / "points.csv", rows);
    write_file(folder_ / "gap.csv", rows + "1,,2,0\n");
    std::filesystem::create_directory(folder_ / "sets");
    write_file(folder_ / "sets/a.csv", a);
    write_file(folder_ / "sets/b.csv", b);
    std::filesystem::create_directory(folder_ / "gap");
    write_file(folder_ / "gap/a.csv", a + "1,,2\n");
    write_file(folder_ / "gap/b.csv", b);
    torch::Tensor x = torch::arange(24, torch::kFloat64).reshape({12, 2});
    write_npz(folder_ / "points.npz", {{"x", x.clone()}});
    x[3][1] = NAN;
    write_npz(folder_ / "gap.npz", {{"x", x}});
  }

  void write_images(const Task& task) const {
    const std::int64_t side = task.info().observation_shape.back();
    std::filesystem::create_directory(folder_ / "images");
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(3 * side * side), 0);
    for (int k = 0; k < 5; ++k) {
      std::fill(pixels.begin(), pixels.begin() + 300 * (k + 1), 255);
      write_file(folder_ / fmt::format("images/{}.png", k), chart::encode_png(side, side, pixels));
    }
    write_npz(folder_ / "images.npz", {{"x", torch::rand({5, 1, side, side})}});
  }

  void write_views(const Task& task) const {
    const std::int64_t side = task.info().observation_shape.back();
    std::filesystem::create_directory(folder_ / "views");
    const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(3 * side * side), 90);
    std::string cameras = "file,azimuth,elevation\n";
    for (int k = 0; k < 3; ++k) {
      const std::string name = fmt::format("{}.png", k);
      write_file(folder_ / "views" / name, chart::encode_png(side, side, pixels));
      cameras += fmt::format("{},{},30\n", name, 40 * k);
    }
    write_file(folder_ / "views" / kCamerasFile, cameras);
  }

  std::vector<Kind> kinds() const {
    const auto gaussian = built_in_tasks()->make("gaussian"), circle = built_in_tasks()->make("circle"),
               views = built_in_tasks()->make("novel-view");
    const auto pebbles = std::make_shared<PebbleTask>();
    write_points();
    write_images(*circle);
    write_views(*views);
    write_file(folder_ / "one.pebble", "1.5");
    write_file(folder_ / "list.txt", "pebble:1.5\npebble:-1\n");
    const std::string reader = "/usr/bin/python3 " + path("read.py");
    write_file(folder_ / "read.py",
               "import numpy as np\nfrom pairs_reader import serve\n"
               "serve(lambda path: {'x1': np.arange(4.0), 'x2': np.arange(4.0) + 9, 'u': np.ones(4), "
               "'run': np.array([0, 1, 0, 1])})\n");
    const std::map<std::string, std::string> of_points = {
        {"columns", "x1,u"}, {"random", "5"}, {"reader", reader}, {"missing", "drop"}};
    std::map<std::string, std::string> of_member = of_points;
    of_member["member"] = "1";
    return {
        {"simulated", gaussian, {}, {{"index", "3"}, {"theta", "1,2"}, {"psi", "2,0.1,1.5"}}},
        {"table", gaussian, {.file = path("points.csv")}, of_points},
        {"array", gaussian, {.file = path("points.npz")}, {{"random", "5"}, {"reader", reader}, {"missing", "drop"}}},
        {"one of many in a table", gaussian, {.file = path("points.csv"), .group = "run", .member = "0"}, of_member},
        {"one of a folder",
         gaussian,
         {.file = path("sets"), .member = "a.csv"},
         {{"random", "5"}, {"columns", "x1,u"}, {"member", "b.csv"}, {"reader", reader}, {"missing", "drop"}}},
        {"images", circle, {.file = path("images")}, {{"random", "5"}}},
        {"array of images", circle, {.file = path("images.npz")}, {{"random", "5"}}},
        {"views", views, {.file = path("views"), .camera = render::Camera{1, .5}}, {{"camera", "10,20"}}},
        {"item", pebbles, {.file = "pebble:1.5"}, {{"up", "y"}, {"seed", "5"}}},
        {"item of a file", pebbles, {.file = path("one.pebble")}, {{"up", "y"}, {"seed", "5"}}},
        {"one of a list",
         pebbles,
         {.file = path("list.txt"), .member = "pebble:1.5"},
         {{"up", "y"}, {"seed", "5"}, {"member", "pebble:-1"}},
         {{"reader", "is one set"}, {"group", "no column run to separate sets by"}}},
        {"molecule", built_in_tasks()->make("molecules"), {.file = "CCO"}, {{"seed", "5"}}},
    };
  }

  TemporaryFolder folder_;
};

// What is observed: values, conditions, and how an item was read.
std::string observed(const Kind& kind, const SetChoice& choice) {
  ObservedSet set(kind.task, choice);
  const Observations x = set.first(std::min<std::int64_t>(set.size(), 8));
  std::string text = fmt::format("{} of {}: ", set.size(), set.read_as());
  const torch::Tensor all = (x.is_ragged() ? x.rows() : x.block()).to(torch::kFloat64).flatten();
  text += fmt::format("{} {:a} {:a}", all.numel(), all.sum().item<double>(),
                      (all * torch::arange(1, all.numel() + 1, torch::kFloat64)).sum().item<double>());
  if (set.latents().given.defined()) text += fmt::format(" {:a}", set.latents().given.sum().item<double>());
  return text;
}

TEST_F(EachKindOfSet, TakesAnOptionOrRefusesItByName) {
  const std::map<std::string, std::string> usual = {
      {"index", "3"},   {"theta", "0.1,0.2"}, {"psi", "1,0,1"},    {"columns", "x1,u"}, {"random", "5"},
      {"group", "run"}, {"member", "b"},      {"reader", "cat"},   {"table", "events"}, {"missing", "drop"},
      {"up", "y"},      {"seed", "9"},        {"conditions", "3"}, {"camera", "30,45"},
  };
  int with_effect = 0, refused = 0;
  for (const Kind& kind : kinds()) {
    for (const SetField& field : set_fields()) {
      const std::string option = field.option;
      // A file remembers the simulated set to return to; a value of --data is another set.
      if (option == "data" || (option == "index" && !kind.set.simulated())) continue;
      SCOPED_TRACE(kind.name + " --" + option);
      const auto effect = kind.effects.find(option);
      if (option == "group" && !kind.set.group.empty()) continue;  // names the sets, together with --member
      SetChoice base = kind.set, changed = base;
      if (option == "missing" && effect != kind.effects.end())
        base.file = changed.file = path("gap") + kind.set.file.extension().string();
      read_field_words(field, effect == kind.effects.end() ? usual.at(option) : effect->second, changed);
      std::string before, after, problem;
      try {
        before = observed(kind, base);
      } catch (const Error& error) {
        before = error.what();
      }
      try {
        after = observed(kind, changed);
      } catch (const Error& error) {
        problem = error.what();
      }
      if (effect != kind.effects.end()) {
        EXPECT_EQ(problem, "");
        EXPECT_NE(after, before) << "no effect";
        ++with_effect;
      } else {
        const auto words = kind.refusals.find(option);
        EXPECT_THAT(problem, HasSubstr(words == kind.refusals.end() ? "--" + option : words->second)) << after;
        ++refused;
      }
    }
  }
  EXPECT_GE(with_effect, 25);
  EXPECT_GE(refused, 100);
}

}  // namespace
}  // namespace pairs
