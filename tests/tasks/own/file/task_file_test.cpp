#include "tasks/own/file/task_file.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/train/settings/config.h"
#include "tasks/file_facts.h"
#include "tasks/own/file/task_programs.h"
#include "tasks/own/own_presets.h"
#include "tasks/own/own_tasks.h"
#include "tasks/registry.h"
#include "tests/tasks/own/own_files.h"

namespace pairs::own {
namespace {

using ::testing::HasSubstr;

constexpr const char* kWhole = R"(name = "lines"
title = "Lines"
max_n = 500
question = "Which line do these {} points share?"

[[targets]]
name = "slope"
label = "b"
unit = "m"
meaning = "slope"
support = [-2, 3]
view = [-1.0, 1.0]

[[targets]]
name = "offset"
support = [-inf, inf]

[[nuisances]]
name = "noise"
support = [0, inf]
view = [0, 2]

[x]
columns = ["x", "y"]

[simulator]
command = ["./sim", "--fast"]
workers = 3
timeout = 5.5
)";

std::string problem(const std::string& text) {
  try {
    parse_task(text, "/some/task.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    return error.what();
  }
  return "";
}

std::string with(const std::string& what, const std::string& by) {
  std::string text = kWhole;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(OwnTaskFile, HoldsWhatItSays) {
  const TaskFile task = parse_task(kWhole, "/some/task.toml");
  EXPECT_EQ(task.info.name, "lines");
  EXPECT_EQ(task.info.file, "/some/task.toml");
  EXPECT_EQ(task.info.max_n, 500);
  ASSERT_EQ(task.info.targets.size(), 2u);
  const Target& slope = task.info.targets[0];
  EXPECT_EQ(slope.title(), "b, slope / m");
  EXPECT_EQ(slope.range, 5);
  EXPECT_EQ(slope.location, 0.5) << "beside an unbounded target";
  EXPECT_NEAR(slope.scale, 5 / std::sqrt(12.0), 1e-12);
  EXPECT_EQ(slope.view_high, 1);
  EXPECT_TRUE(std::isnan(task.info.targets[1].scale));
  EXPECT_TRUE(task.incomplete());
  EXPECT_EQ(task.nuisance_low[0], 0);
  EXPECT_TRUE(std::isinf(task.nuisance_high[0]));
  EXPECT_EQ(task.info.observation_shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(task.simulator->command, (std::vector<std::string>{"./sim", "--fast"}));
  EXPECT_EQ(task.simulator->workers, 3);
  EXPECT_EQ(task.simulator->timeout, 5.5);
  EXPECT_EQ(task.info.question.text(500, "500"), "Which line do these 500 points share?");
}

TEST(OwnTaskFile, TellsHowFilesWriteColumns) {
  constexpr const char* columns = R"([[x.columns]]
name = "x"

[[x.columns]]
name = "y"
from = "U [mV]"
location = 2
scale = 1000
log = true
unit = "V")";
  const TaskFile task = parse_task(with("[x]\ncolumns = [\"x\", \"y\"]", columns), "task.toml");
  EXPECT_EQ(task.info.observation_columns, (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(task.columns.size(), 2u);
  EXPECT_EQ(task.columns[0].from, "x");
  EXPECT_FALSE(task.columns[0].converts());
  EXPECT_EQ(task.columns[1].from, "U [mV]");
  EXPECT_EQ(task.columns[1].location, 2);
  EXPECT_EQ(task.columns[1].scale, 1000);
  EXPECT_TRUE(task.columns[1].log);
  EXPECT_EQ(task.info.x_text, "Each x is x, y in V.");
  EXPECT_TRUE(parse_task(kWhole, "task.toml").columns.empty());
  const auto wrong = [&](const std::string& what, const std::string& by) {
    std::string text = columns;
    text.replace(text.find(what), what.size(), by);
    return problem(with("[x]\ncolumns = [\"x\", \"y\"]", text));
  };
  EXPECT_THAT(wrong("scale = 1000", "scale = 0"), HasSubstr("'x.columns.scale' must be finite and not 0"));
  EXPECT_THAT(wrong("location = 2", "location = inf"), HasSubstr("'x.columns.location' must be finite"));
  EXPECT_THAT(wrong("U [mV]", "x"), HasSubstr("two columns of x are read from the column 'x'"));
  EXPECT_THAT(wrong("U [mV]", ""), HasSubstr("'x.columns.from' is empty"));
  EXPECT_THAT(wrong("unit", "units"), HasSubstr("did you mean 'unit'?"));
  EXPECT_THAT(wrong("name = \"y\"", "name = \"x\""), HasSubstr("must be a word"));
  EXPECT_THAT(wrong("log = true", "log = 1"), HasSubstr("'x.columns.log' must be true or false"));
}

TEST(OwnTaskFile, IsToldInWords) {
  const TaskInfo lines = parse_task(kWhole, "task.toml").info;
  EXPECT_EQ(lines.theta_text, "θ is the slope b in m (between -2 and 3), offset (without ends).");
  EXPECT_EQ(lines.psi_text, "ψ is noise, unknown and shared by a set.");
  EXPECT_EQ(lines.x_text, "Each x is x, y.");
  const auto named = [](const std::string& meaning) {
    return parse_task(with("meaning = \"slope\"", "meaning = \"" + meaning + "\""), "task.toml").info;
  };
  EXPECT_EQ(named("b").targets[0].title(), "b / m") << "nothing is said twice";
  const TaskInfo bump = read_task_file(PAIRS_SOURCE_DIR "/assets/examples/bump-hunt-python").info;
  EXPECT_EQ(bump.theta_text, "θ is the signal fraction (between 0 and 1).");
  EXPECT_EQ(bump.psi_text, "ψ is the bump position, unknown and shared by a set.");
  EXPECT_EQ(bump.x_text, "Each x is one number.");
}

TEST(OwnTaskFile, IsToldFromOtherFilesOfItsKind) {
  const TemporaryFolder folder;
  const auto put = [&](const char* name, const std::string& text) {
    std::filesystem::create_directories((folder / name).parent_path());
    write_file(folder / name, text);
    return folder / name;
  };
  EXPECT_TRUE(is_task_file(put("a/task.toml", "damaged")));
  EXPECT_TRUE(is_task_file(folder / "a"));
  EXPECT_TRUE(is_task_file(put("mine.toml", kWhole)));
  EXPECT_FALSE(is_task_file(put("scene.toml", "[[spheres]]\nradius = 1\n")));
  put("run/task.toml", kWhole);
  put("run/run.toml", "");
  EXPECT_FALSE(is_task_file(folder / "run")) << "a run with its copy";
  EXPECT_FALSE(is_task_file(folder / "none.toml"));
}

// A run's copy may not displace the person's own file; reading a file anew is what changes what its name stands for.
TEST_F(OwnFolder, ANameStandsForThePersonsOwnFile) {
  const std::string text = task_text("[\"true\"]", "", "columns = [\"x\"]", "named") + "";
  const auto with_most = [&](const std::string& most) {
    std::string changed = text;
    return changed.replace(changed.find("max_n = 100"), 11, "max_n = " + most);
  };
  const TaskFile old = parse_task(with_most("50"), folder_ / "task.toml");
  TaskFile complete_old = old;
  complete(complete_old, {{"theta", 0, 1, 1, 0, 1}, {"psi", 0, 1, 1, -30, 30}});
  std::filesystem::create_directories(folder_ / "run");
  OwnTasks tasks({});
  const std::filesystem::path copy = write("run/task.toml", copy_text(complete_old));
  EXPECT_EQ(tasks.open(copy), "named");
  EXPECT_EQ(tasks.make("named", "")->info().max_n, 50) << "nothing else stands for it";
  const std::filesystem::path own = write("task.toml", with_most("100"));
  tasks.open(own);
  EXPECT_EQ(tasks.make("named", "")->info().max_n, 100);
  tasks.open(copy);
  EXPECT_EQ(tasks.make("named", "")->info().max_n, 100);
  EXPECT_EQ(tasks.make("named", copy.string())->info().max_n, 50);
  EXPECT_FALSE(tasks.changed_since_opened("named"));
  write("task.toml", with_most("200"));
  EXPECT_TRUE(tasks.changed_since_opened("named"));
  EXPECT_EQ(tasks.make("named", "")->info().max_n, 100) << "until it is opened again";
  tasks.open(own);
  EXPECT_EQ(tasks.make("named", "")->info().max_n, 200);
  EXPECT_FALSE(tasks.changed_since_opened("named"));
  const TaskDescription said = tasks.describe(copy);
  EXPECT_EQ(said.file, copy);
  EXPECT_EQ(said.origin, own);
  EXPECT_EQ(said.command.substr(0, 5), "true ");
  EXPECT_FALSE(said.agreed) << "nobody was asked";
  EXPECT_THROW(OwnTasks({"named"}).describe(own), Error) << "a built-in task's name";
}

TEST(OwnTaskFile, KindsOfX) {
  const auto info = [](const std::string& x) {
    return parse_task(with("columns = [\"x\", \"y\"]", x), "task.toml").info;
  };
  EXPECT_EQ(info("shape = [3, 32, 24]").kind, ObservationKind::image);
  EXPECT_EQ(info("shape = [5]").kind, ObservationKind::points);
  EXPECT_EQ(info("shape = [5]").observation_columns.size(), 5u);
  const TaskInfo rows = info("rows = [\"e\", \"r\"]\ntypical = 12");
  EXPECT_EQ(rows.kind, ObservationKind::rows);
  EXPECT_EQ(rows.rows, 12);
}

TEST(OwnTaskFile, NamesCovariatesInTheOrderOfColumns) {
  const char* const columns = "columns = [\"x\", \"y\"]";
  EXPECT_TRUE(parse_task(kWhole, "a.toml").info.covariates.empty());
  EXPECT_EQ(parse_task(with(columns, std::string(columns) + "\ncovariates = [\"y\"]"), "a.toml").info.covariates,
            std::vector<std::int64_t>({1}));
}

TEST(OwnTaskFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem(kWhole), "");
  EXPECT_THAT(problem(with("max_n = 500", "max_m = 500")), HasSubstr("did you mean 'max_n'?"));
  EXPECT_THAT(problem(with("title =", "titel =")),
              HasSubstr("/some/task.toml, line 2: unknown key 'titel'; did you mean 'title'?"));
  EXPECT_THAT(problem(with("support = [-2, 3]", "suport = [-2, 3]")),
              HasSubstr("line 11: unknown key 'targets.suport'; did you mean 'support'?"));
  EXPECT_THAT(problem(with("[-2, 3]", "[3, -2]")), HasSubstr("line 11: 'targets.support' must be two numbers"));
  EXPECT_THAT(problem(with("[-2, 3]", "\"all\"")), HasSubstr("must be two numbers"));
  EXPECT_THAT(problem(with("max_n = 500", "max_n = \"many\"")), HasSubstr("line 3: 'max_n' must be a whole number"));
  EXPECT_THAT(problem(with("max_n = 500", "max_n = 1")), HasSubstr("from 2"));
  EXPECT_THAT(problem(with("name = \"lines\"", "name = \"My Lines\"")), HasSubstr("lower-case letters"));
  EXPECT_THAT(problem(with("name = \"offset\"", "name = \"slope\"")), HasSubstr("appears twice"));
  EXPECT_THAT(problem(with("[simulator]\ncommand = [\"./sim\", \"--fast\"]\nworkers = 3\ntimeout = 5.5", "")),
              HasSubstr("add [simulator]"));
  EXPECT_THAT(problem(std::string(kWhole) + "[simulations]\nfiles = [\"a.npz\"]\n"), HasSubstr("keep one"));
  EXPECT_THAT(problem(with("command = [\"./sim\", \"--fast\"]", "command = \"./sim\"")),
              HasSubstr("'simulator.command' must be a list of texts"));
  EXPECT_THAT(problem(with("timeout = 5.5", "timeout = 0")), HasSubstr("'simulator.timeout' must be 0.1"));
  EXPECT_THAT(problem(with("columns = [\"x\", \"y\"]", "columns = [\"x\"]\nshape = [1]")), HasSubstr("exactly one of"));
  EXPECT_THAT(problem(with("columns = [\"x\", \"y\"]", "rows = [\"x\"]")), HasSubstr("'x.typical' is missing"));
  const char* const columns = "columns = [\"x\", \"y\"]";
  const auto covariates = [&](const std::string& names) {
    return problem(with(columns, columns + ("\ncovariates = " + names)));
  };
  EXPECT_THAT(covariates("[\"z\"]"), HasSubstr("'x.covariates' names 'z', which is none of x.columns"));
  EXPECT_THAT(covariates("[\"x\", \"x\"]"), HasSubstr("line 25: 'x.covariates' names 'x' twice"));
  EXPECT_THAT(covariates("[\"xy\"]"), HasSubstr("did you mean 'x'?"));
  EXPECT_THAT(covariates("[\"x\", \"y\"]"), HasSubstr("names every column of x"));
  EXPECT_THAT(problem(with(columns, "shape = [1, 8, 8]\ncovariates = [\"x\"]")), HasSubstr("leave it out"));
  EXPECT_THAT(problem(with("these {} points", "these points")), HasSubstr("must hold {}"));
  EXPECT_THAT(problem("name = \n"), HasSubstr("line 1: this is not TOML"));
  EXPECT_THAT(problem(with("[x]", "[y]")), HasSubstr("the table [x] is missing"));
  EXPECT_THAT(problem(with("support = [0, inf]", "column = \"z\"")), HasSubstr("none of x.columns"));
}

TEST(OwnTaskFile, StoredSimulationsAreRead) {
  const TaskFile task = parse_task(
      "name = \"a\"\nmax_n = 10\n[[targets]]\nname = \"t\"\nsupport = [0, 1]\n[x]\ncolumns = [\"x\"]\n"
      "[simulations]\nfiles = [\"a.npz\", \"b.npz\"]\ntheta = \"th\"\n",
      "task.toml");
  ASSERT_TRUE(task.simulations);
  EXPECT_FALSE(task.simulator);
  EXPECT_EQ(task.simulations->files, (std::vector<std::string>{"a.npz", "b.npz"}));
  EXPECT_EQ(task.simulations->theta, "th");
  EXPECT_EQ(task.simulations->x, "x");
}

TEST(OwnTaskFile, ACopyKeepsWhatWasMeasuredAndWhereItStood) {
  TaskFile task = parse_task(kWhole, "/some/ta\"sk\\.toml");
  complete(task, {{"slope", 0, 1, 1, -1, 1}, {"offset", 2.5, 0.1, 7, -3, 1e-300}, {"noise", 0, 1, 1, 0, 2}});
  EXPECT_FALSE(task.incomplete());
  const TaskFile copy = parse_task(copy_text(task), "/run/task.toml");
  EXPECT_EQ(copy.origin, task.origin);
  EXPECT_EQ(copy.file, "/run/task.toml");
  EXPECT_FALSE(copy.incomplete());
  EXPECT_EQ(copy.info.targets[0].range, 5) << "what the file tells is not measured";
  EXPECT_EQ(copy.info.targets[1].location, 2.5);
  EXPECT_EQ(copy.info.targets[1].view_high, 1e-300);
  EXPECT_EQ(changed_line(copy.text, kWhole), "");
  EXPECT_EQ(parse_task(copy_text(copy), "/other/task.toml").text, copy.text) << "a copy of a copy";
}

TEST(OwnTaskFile, NamesTheFirstLineThatChanged) {
  EXPECT_EQ(changed_line("a = 1\n", "# new\n\n  a = 1  \n"), "");
  EXPECT_EQ(changed_line("a = 1\nb = 2\n", "a = 1\nb = 3\n"), "line 2 was 'b = 2' and is 'b = 3'");
  EXPECT_EQ(changed_line("a = 1\nb = 2\n", "a = 1\n"), "line 2 was 'b = 2' and is gone");
  EXPECT_EQ(changed_line("a = 1\n", "a = 1\nb = 2\n"), "line 2 is new: 'b = 2'");
}

class OpenedTasks : public OwnFolder {
 protected:
  const Catalog tasks_ = built_in_tasks();
};

TEST_F(OpenedTasks, ANameOfABuiltInTaskIsRefused) {
  const auto file = write("task.toml", task_text("[\"./sim\"]", "", "columns = [\"x\"]", tasks_->names().front()));
  try {
    tasks_->open(file);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is that of a built-in task; choose another"));
  }
}

TEST_F(OpenedTasks, PresetsFitEveryKindOfTask) {
  const char* kinds[] = {"columns = [\"x\"]", "shape = [40]", "shape = [3, 32, 24]", "shape = [1, 5, 5]",
                         "rows = [\"e\", \"r\"]\ntypical = 12"};
  int k = 0;
  for (const char* x : kinds)
    for (const char* most : {"2", "100", "150", "100000"}) {
      const std::string name = fmt::format("preset-{}", ++k);
      std::string text = task_text("[\"./sim\"]", "", std::string(x) + "\nstandardize = false", name);
      text.replace(text.find("100"), 3, most);
      tasks_->open(write(name + ".toml", text));
      const auto task = tasks_->make(name, {});
      for (const std::string& preset : preset_names()) {
        const RunConfig config = load_preset(tasks_, task->info(), preset, "pairs", {});
        EXPECT_EQ(config.cache.sizes.back(), task->info().max_n);
        EXPECT_EQ(config.evaluate.sizes.front(), 1);
        EXPECT_EQ(config.evaluate.sizes.back(), task->info().max_n);
        EXPECT_TRUE(confines(config.estimator.head));
        EXPECT_NO_THROW(Estimator(task, config.estimator, 1)) << name << " " << preset;
        EXPECT_EQ(load_preset(tasks_, task->info(), preset, "pairs", {"embedder.size=24"}).estimator.embedder.size, 24);
      }
    }
}

TEST_F(OpenedTasks, SayHowFilesWriteColumns) {
  const std::string columns = "[[x.columns]]\nname = \"x\"\nfrom = \"U\"\nscale = 1000\n";
  tasks_->open(write("task.toml", task_text("[\"./sim\"]", "", columns, "told-columns")));
  const auto task = tasks_->make("told-columns", {});
  const auto* const reported = face<HasFileColumns>(*task);
  ASSERT_NE(reported, nullptr);
  ASSERT_EQ(reported->file_columns().size(), 1u);
  EXPECT_EQ(reported->file_columns()[0].from, "U");
  EXPECT_EQ(reported->file_columns()[0].scale, 1000);
}

TEST_F(OpenedTasks, OpenedTasksHaveNames) {
  tasks_->open(write("task.toml", task_text("[\"./sim\"]", "", "columns = [\"x\"]", "opened-once")));
  const std::vector<std::string> names = tasks_->own_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "opened-once"), names.end());
  EXPECT_EQ(tasks_->make("opened-once", {})->info().title, "opened-once");
  try {
    tasks_->make("opened-onc", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean opened-once?"));
  }
  EXPECT_THROW(tasks_->open(folder_ / "none.toml"), Error);
}

// If a required key is missing because it is misspelled, the error names the right spelling.
TEST(OwnTaskFile, NamesTheKeyThatWasMeant) {
  EXPECT_THAT(problem(with("max_n = 500", "max_N = 500")),
              HasSubstr("line 3: unknown key 'max_N'; did you mean 'max_n'?"));
  EXPECT_THAT(problem(with("support = [-2, 3]", "suport = [-2, 3]")), HasSubstr("did you mean 'support'?"));
  EXPECT_THAT(problem(with("command = [", "comand = [")), HasSubstr("did you mean 'command'?"));
  EXPECT_THAT(problem(with("[x]", "[X]")), HasSubstr("unknown key 'X'; did you mean 'x'?"));
  EXPECT_THAT(problem(with("max_n = 500", "")), HasSubstr("'max_n' is missing"));
}

// How many workers run, and how long they may take, is no part of what a person agrees to, nor of what a run depends
// on.
TEST_F(OpenedTasks, WorkersAskNothingAnew) {
  const TaskFile three = read_task_file(write("task.toml", kWhole));
  allow(three);
  const auto edited = [&](const std::string& what, const std::string& by) {
    return read_task_file(write("task.toml", with(what, by)));
  };
  for (const char* by : {"workers = 1\n", "  workers = 0  # as many as there are\n", ""}) {
    const TaskFile other = edited("workers = 3\n", by);
    EXPECT_TRUE(is_allowed(other)) << by;
    EXPECT_EQ(changed_line(agreed_text(three), agreed_text(other)), "") << by;
  }
  EXPECT_FALSE(is_allowed(edited("--fast", "--slow")));
  const TaskFile slow = edited("workers = 3\ntimeout = 5.5", "workers = 3\ntimeout = 6");
  EXPECT_TRUE(is_allowed(slow)) << "a run whose simulator turns out slow goes on with a longer one";
  EXPECT_EQ(changed_line(agreed_text(three), agreed_text(slow)), "");
  // In one line with the command both are asked about.
  const std::string inline_table = "simulator = { command = [\"./sim\"], workers = ";
  std::string text = kWhole;
  text.erase(text.find("[simulator]"));
  const auto in_one_line = [&](const std::string& workers) { return inline_table + workers + " }\n" + text; };
  allow(read_task_file(write("task.toml", in_one_line("1"))));
  EXPECT_FALSE(is_allowed(read_task_file(write("task.toml", in_one_line("2")))));
}

TEST_F(OpenedTasks, ShowsWhichProgramIsRun) {
  // A variable of the process for as long as this lives.
  struct Variable {
    Variable(const char* name, const char* value) : name(name), before(std::getenv(name) ? std::getenv(name) : "") {
      ::setenv(name, value, 1);
    }
    ~Variable() { ::setenv(name, before.c_str(), 1); }
    const char* name;
    std::string before;
  } const path("PATH", "/none:/bin"), home("HOME", "/home/me");
  const auto command = [](const std::string& words) {
    return command_text(parse_task(with("command = [\"./sim\", \"--fast\"]", "command = " + words), "/some/task.toml")
                            .simulator->command);
  };
  EXPECT_EQ(command("[\"sh\", \"run.sh\"]"), "sh run.sh (sh is /bin/sh)");
  EXPECT_EQ(command("[\"no-such-program\"]"), "no-such-program (no-such-program is not on the PATH)");
  EXPECT_EQ(command("[\"/bin/sh\", \"a b\"]"), "/bin/sh 'a b'");
  EXPECT_EQ(command("[\"~/venv/bin/python\", \"~/simulate.py\", \"a~/b\"]"),
            "/home/me/venv/bin/python /home/me/simulate.py 'a~/b'");
}

TEST(OwnTaskFile, RefusesWhatCannotBeLearnedFromOrShown) {
  EXPECT_THAT(problem(with("columns = [\"x\", \"y\"]", "shape = [8192]")), HasSubstr("at most 4096 can be learned"));
  EXPECT_THAT(problem(with("columns = [\"x\", \"y\"]", "shape = [3, 4096, 4096]")), HasSubstr("of at most 4194304"));
  std::string many = "columns = [";
  for (int k = 0; k < 50000; ++k) many += fmt::format("{}\"c{}\"", k ? "," : "", k);
  EXPECT_THAT(problem(with("columns = [\"x\", \"y\"]", many + "]")),
              HasSubstr("[x] names 50000 columns; at most 4096"));
  const std::string name(250, 'a');
  EXPECT_THAT(problem(with("name = \"lines\"", "name = \"" + name + "\"")), HasSubstr("'name' has 250 characters"));
  EXPECT_THAT(problem(with("name = \"slope\"", "name = \"" + name + "\"")),
              HasSubstr("'targets.name' has 250 characters"));
  // A command is shown whole, or it is none.
  EXPECT_THAT(problem(with("\"--fast\"", "\"" + std::string(501, 'x') + "\"")),
              HasSubstr("a word of 501 characters as it is shown"));
  EXPECT_EQ(problem(with("\"--fast\"", "\"" + std::string(500, 'x') + "\"")), "");
  std::string words = "\"--fast\"";
  for (int k = 0; k < 64; ++k) words += ", \"x\"";
  EXPECT_THAT(problem(with("\"--fast\"", words)), HasSubstr("'simulator.command' has 66 words"));
}

// Numbers of an observation, of the columns of x.
TEST(OwnTaskFile, HoldsSufficientStatistics) {
  const std::string whole = kWhole;
  const TaskFile task = parse_task(whole + "[sufficient]\nstatistics = [\"x * y\", \"x^2\"]\n", "/some/task.toml");
  ASSERT_EQ(task.sufficient.size(), 2u);
  EXPECT_EQ(task.sufficient[0].text, "x * y");
  EXPECT_EQ(task.sufficient[0].value.value(std::vector<double>{3, 5}), 15);
  EXPECT_TRUE(parse_task(whole, "/some/task.toml").sufficient.empty());
  EXPECT_THAT(problem(whole + "[sufficient]\n"), HasSubstr("must hold statistics"));
  EXPECT_THAT(problem(whole + "[sufficient]\nstatistics = []\n"), HasSubstr("at least one"));
  EXPECT_THAT(problem(whole + "[sufficient]\nstatistics = [\"z^2\"]\n"),
              HasSubstr("unknown name \"z\"; available: x, y"));
  EXPECT_THAT(problem(whole + "[sufficient]\nstatistics = [\"x\"]\nmore = 1\n"), HasSubstr("more"));
  EXPECT_THAT(problem(with("columns = [\"x\", \"y\"]", "shape = [3, 8, 8]") + "[sufficient]\nstatistics = [\"x\"]\n"),
              HasSubstr("columns of x"));
}

}  // namespace
}  // namespace pairs::own
