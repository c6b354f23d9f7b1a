#include "app/model/library/task_sketch.h"

#include <gmock/gmock.h>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/task.h"
#include "tasks/file_facts.h"
#include "tasks/registry.h"
#include "tests/app/model/environment.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TaskSketchTest : public testing::Test {
 protected:
  TaskSketchTest() : config_("XDG_CONFIG_HOME", (folder_ / "config").string()) {
    sketch_.folder = (folder_ / "mine").string();
  }

  TemporaryFolder folder_;
  const Environment config_;
  const Catalog tasks_ = built_in_tasks();
  TaskSketch sketch_;
};

TEST_F(TaskSketchTest, SaysWhatIsWrong) {
  EXPECT_EQ(sketch_.problem(*tasks_), "");
  const auto problem = [&](auto&& change) {
    TaskSketch wrong = sketch_;
    change(wrong);
    EXPECT_THROW(wrong.write(*tasks_), Error);
    return wrong.problem(*tasks_);
  };
  EXPECT_THAT(problem([](TaskSketch& s) { s.name = "My Task"; }), HasSubstr("lower-case letters"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.name = "gaussian"; }), HasSubstr("that of a built-in task"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.max_n = "many"; }), HasSubstr("max_n"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.max_n = "1"; }), HasSubstr("from 2"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.targets.clear(); }), HasSubstr("at least one"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.targets[0].low = "a"; }), HasSubstr("support of theta"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.targets[0].low = "2"; }), HasSubstr("from a smaller to a larger"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.nuisances[0].name = "theta"; }), HasSubstr("twice"));
  EXPECT_THAT(problem([](TaskSketch& s) {
                s.given = {{"exposure", "", "", "0", "inf"}};
              }),
              HasSubstr("Values of exposure are drawn for training"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.given = {{"theta", "", ""}}; }), HasSubstr("twice"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.x_text = ""; }), HasSubstr("columns"));
  EXPECT_THAT(problem([](TaskSketch& s) {
                s.x = TaskSketch::X::shape;
                s.x_text = "3, wide";
              }),
              HasSubstr("TOML"));
  EXPECT_THAT(problem([](TaskSketch& s) {
                s.source = TaskSketch::Source::program;
                s.command = " ";
              }),
              HasSubstr("command"));
  EXPECT_THAT(problem([](TaskSketch& s) { s.folder = ""; }), HasSubstr("folder"));
  EXPECT_THAT(problem([](TaskSketch& s) {
                s.x = TaskSketch::X::rows;
                s.typical = "few";
              }),
              HasSubstr("typical"));
  EXPECT_FALSE(fs::exists(folder_ / "mine")) << "nothing is written of what is wrong";
}

// What is typed stands in the file, whatever signs it holds.
TEST_F(TaskSketchTest, TextIsWhatWasTyped) {
  sketch_.title = "A \"quoted\" \\ title";
  sketch_.targets = {{"a", "α", "GeV", "-inf", "1e3"}, {"b", "", "", "-1", "2.5"}};
  sketch_.nuisances.clear();
  sketch_.x = TaskSketch::X::rows;
  sketch_.x_text = "energy , time";
  sketch_.source = TaskSketch::Source::stored;
  sketch_.files = "a-*.npz, b.h5";
  write_file(folder_ / "task.toml", sketch_.text());
  const TaskDescription said = tasks_->describe(folder_ / "task.toml");
  EXPECT_EQ(said.title, sketch_.title);
  EXPECT_EQ(said.command, "");
  EXPECT_THAT(sketch_.text(), HasSubstr("support = [-inf, 1000]\nlabel = \"α\"\nunit = \"GeV\""));
  EXPECT_THAT(sketch_.text(), HasSubstr("rows = [\"energy\", \"time\"]"));
  EXPECT_THAT(sketch_.text(), HasSubstr("files = [\"a-*.npz\", \"b.h5\"]"));

  // Conditions: stored sets bring their values, and a simulator's are drawn.
  sketch_.given = {{"exposure", "ε", "s", "0.5", "2"}};
  EXPECT_THAT(sketch_.text(), HasSubstr("[[conditions]]\nname = \"exposure\"\nlabel = \"ε\"\nunit = \"s\"\n"));
  sketch_.source = TaskSketch::Source::python;
  EXPECT_THAT(sketch_.text(), HasSubstr("[[conditions]]\nname = \"exposure\"\nuniform = [0.5, 2]\n"));
}

TEST_F(TaskSketchTest, WritesNothingOver) {
  fs::create_directories(folder_ / "mine");
  write_file(folder_ / "mine/simulate.py", "my own");
  sketch_.write(*tasks_);
  EXPECT_EQ(read_file(folder_ / "mine/simulate.py"), "my own");
  EXPECT_EQ(read_file(folder_ / "mine/task.toml"), sketch_.text());
  EXPECT_THAT(sketch_.problem(*tasks_), HasSubstr("holds a task already"));
  EXPECT_THROW(sketch_.write(*tasks_), Error);
}

// The generated simulator runs for every kind of x and of support, and draws what it describes.
TEST_F(TaskSketchTest, TheWrittenSimulatorRuns) {
  struct Kind {
    TaskSketch::X x;
    const char* text;
    std::vector<std::int64_t> shape;
  };
  int k = 0;
  for (const Kind& kind : {Kind{TaskSketch::X::columns, "u, v", {2}}, Kind{TaskSketch::X::shape, "1, 4, 6", {1, 4, 6}},
                           Kind{TaskSketch::X::rows, "e, t", {2}}})
    for (const bool nuisance : {false, true}) {
      TaskSketch sketch = sketch_;
      if (nuisance) sketch.given = {{"exposure", "", "s", "0.5", "2"}};
      sketch.name = fmt::format("sketch-{}", ++k);
      sketch.folder = (folder_ / sketch.name).string();
      sketch.x = kind.x;
      sketch.x_text = kind.text;
      sketch.python = "/usr/bin/python3";
      sketch.targets = {{"a", "", "", "-1", "2"}, {"b", "", "", "0", "inf"}, {"c", "", "", "-inf", "inf"}};
      if (!nuisance) sketch.nuisances.clear();
      ASSERT_EQ(sketch.problem(*tasks_), "");
      const fs::path file = sketch.write(*tasks_);
      EXPECT_THROW(tasks_->make(tasks_->open(file)), Error) << "its program was not agreed to";
      allow_task_file(file);
      const auto task = tasks_->make(tasks_->open(file));
      const std::int64_t indices[] = {0, 5};
      const Latents latents = task->latents(1, Purpose::test, indices);
      EXPECT_EQ(latents.theta.sizes(), (std::vector<std::int64_t>{2, 3}));
      EXPECT_EQ(latents.psi.size(1), nuisance ? 1 : 0);
      if (nuisance) {
        EXPECT_EQ(latents.given.sizes(), (std::vector<std::int64_t>{2, 1}));
        EXPECT_TRUE((latents.given >= 0.5).logical_and(latents.given <= 2).all().item<bool>());
      }
      const SetRange ranges[] = {{0, 0, 3}, {5, 0, 2}};
      const Observations x = task->observe(latents, 1, Purpose::test, ranges, torch::kCPU);
      EXPECT_EQ(x.count(), 5);
      EXPECT_EQ(task->info().observation_shape, kind.shape);
      EXPECT_EQ(x.is_ragged(), kind.x == TaskSketch::X::rows);
    }
}

}  // namespace
}  // namespace pairs::model
