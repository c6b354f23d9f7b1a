#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/base/files/files.h"
#include "tasks/own/file/permission.h"
#include "tasks/own/file/task_file.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::own {

inline constexpr const char* kPython = "/usr/bin/python3";

// A folder for a task and its program, and one for what was agreed to.
class OwnFolder : public ::testing::Test {
 protected:
  OwnFolder() { ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1); }
  ~OwnFolder() override { ::unsetenv("XDG_CONFIG_HOME"); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
    return folder_ / name;
  }

  // A task with one target in [0, 1] and one nuisance, whose x is points of one column by default, simulated by
  // `program`, a Python source that is permitted to run.
  TaskFile python_task(const std::string& program, const std::string& more = "workers = 2\ntimeout = 20\n",
                       const std::string& x = "columns = [\"x\"]") const {
    write("simulate.py", program);
    return allowed(task_text("[\"/usr/bin/python3\", \"simulate.py\"]", more, x));
  }
  // Writes a task file with this text and permits running its program.
  TaskFile allowed(const std::string& text) const {
    const TaskFile task = read_task_file(write("task.toml", text));
    allow(task);
    return task;
  }
  static std::string task_text(const std::string& command, const std::string& more = "workers = 2\ntimeout = 20\n",
                               const std::string& x = "columns = [\"x\"]", const std::string& name = "mine") {
    return "name = \"" + name + "\"\nmax_n = 100\n[[targets]]\nname = \"theta\"\nsupport = [0, 1]\n" +
           "[[nuisances]]\nname = \"psi\"\n" + "support = [-30, 30]\n[x]\n" + x +
           "\n[simulator]\ncommand = " + command + "\n" + more;
  }

  TemporaryFolder folder_;
};

// A prior and a simulator of a normal with unknown mean and width.
inline const std::string kPrior =
    "import os, sys, time\n"
    "import numpy as np\n"
    "from pairs_simulator import serve\n"
    "def prior(rng, size):\n"
    "    return rng.random(size), rng.normal(0, 1, size)\n";
inline const std::string kSimulate =
    "def simulate(theta, psi, n, rng):\n"
    "    return rng.normal(psi[0], 0.1 + theta[0], n)\n";
inline const std::string kServe = "serve(prior, simulate)\n";

}  // namespace pairs::own
