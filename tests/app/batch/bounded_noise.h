#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/files/files.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {

// θ is uniform from 0 to 4 and x ~ N(θ, σ), σ given: of two observations the mean has the sd σ / √2.
inline constexpr const char* kBoundedNoise = R"(from pairs_simulator import serve

def prior(rng, size):
    return rng.uniform(0, 4, size)

def simulate(theta, psi, n, rng, given):
    return rng.normal(theta[0], given[0], n)

def reference(theta, x, given):
    return -((x[:, 0] - theta) ** 2).sum(1) / (2 * given[0] ** 2)

serve(prior, simulate, reference)
)";

inline constexpr const char* kBoundedNoiseTask = R"(name = "bounded-noise"
max_n = 2
[[targets]]
name = "theta"
support = [0, 4]
[[conditions]]
name = "sigma"
support = [0, inf]
log_uniform = [0.25, 1]
[x]
columns = ["x"]
[simulator]
command = ["/usr/bin/python3", "simulate.py"]
workers = 1
[reference]
[reader]
command = ["/usr/bin/python3", "read.py"]
endings = [".dat"]
)";

// Reads a text file whose first line names its columns.
inline constexpr const char* kReadText = R"(import numpy as np
from pairs_reader import serve

def open_table(path):
    with open(path) as lines:
        names = lines.readline().split()
        rows = np.loadtxt(lines, ndmin=2)
    return {name: rows[:, k] for k, name in enumerate(names)}

serve(open_table)
)";

// A run of this task that has hardly been trained, in a folder of its own with caches and permissions of its own. x.csv
// holds the observations 1.1 and 0.9, both.csv the same with σ = 0.5.
class BoundedNoise {
 public:
  BoundedNoise() {
    if (const char* before = std::getenv("PAIRS_CACHE")) before_ = before;
    ::setenv("PAIRS_CACHE", path("cache").c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", path("config").c_str(), 1);
    write_file(folder_ / "simulate.py", kBoundedNoise);
    write_file(folder_ / "task.toml", kBoundedNoiseTask);
    write_file(folder_ / "read.py", kReadText);
    write_file(folder_ / "x.csv", "x\n1.1\n0.9\n");
    write_file(folder_ / "both.csv", "sigma,x\n0.5,1.1\n0.5,0.9\n");
    std::vector<std::string> words = {"run", path("task.toml"), "--allow",  "--device", "cpu", "--threads",
                                      "1",   "--out",           path("run")};
    for (const char* setting :
         {"likelihood.enabled=false", "embedder.layers=16", "embedder.size=8", "head.hidden=16", "pretrain.epochs=1",
          "pretrain.steps=20", "pretrain.batch=64", "pretrain.validation_sets=200", "cache.sizes=2", "cache.sets=200",
          "finetune.epochs=1", "finetune.steps=20", "finetune.validation_draws=200"})
      words.insert(words.end(), {"--set", setting});
    const Answer trained = run_words(words);
    EXPECT_EQ(trained.code, 0) << trained.err;
  }
  ~BoundedNoise() {
    ::unsetenv("XDG_CONFIG_HOME");
    before_.empty() ? ::unsetenv("PAIRS_CACHE") : ::setenv("PAIRS_CACHE", before_.c_str(), 1);
  }
  BoundedNoise(const BoundedNoise&) = delete;
  BoundedNoise& operator=(const BoundedNoise&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

}  // namespace pairs::batch
