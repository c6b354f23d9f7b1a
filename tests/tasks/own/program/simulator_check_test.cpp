// `python3 simulate.py --check`: what people ask before a training.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdio>

#include "tests/tasks/own/own_files.h"

namespace pairs::own {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Status {
  std::string text;
  int code = 0;
};

class OwnSimulatorCheck : public OwnFolder {
 protected:
  // Runs --check on a simulator with these functions, for the task of task_text() with this x and these nuisances.
  Status check(const std::string& functions, const std::string& x = "columns = [\"energy\"]", bool nuisance = true) {
    std::string text = task_text("[\"python3\", \"simulate.py\"]", "", x);
    if (!nuisance) {
      const std::size_t at = text.find("[[nuisances]]");
      text.erase(at, text.find("[x]") - at);
    }
    write("task.toml", text);
    write("simulate.py",
          "import numpy as np\nfrom pairs_simulator import serve\n" + functions + "serve(prior, simulate)\n");
    const std::string command = fmt::format("cd '{}' && PYTHONPATH='{}/assets/python' {} simulate.py --check 2>&1",
                                            folder_.path().string(), PAIRS_SOURCE_DIR, kPython);
    Status reported;
    FILE* pipe = ::popen(command.c_str(), "r");
    char part[4096];
    for (std::size_t got = 0; (got = std::fread(part, 1, sizeof part, pipe)) > 0;) reported.text.append(part, got);
    reported.code = WEXITSTATUS(::pclose(pipe));
    return reported;
  }
};

const std::string kDraws = "def prior(rng, size):\n    return rng.random(size), rng.normal(0, 1, size)\n";

TEST_F(OwnSimulatorCheck, FindsNothingInWhatIsRight) {
  const Status right = check(kDraws + "def simulate(theta, psi, n, rng):\n    return rng.normal(theta[0], 1, n)\n");
  EXPECT_EQ(right.code, 0) << right.text;
  EXPECT_THAT(right.text, AllOf(HasSubstr("prior answers 1 targets and 1 nuisances"), HasSubstr("Nothing is wrong."),
                                HasSubstr("observations per second"), Not(HasSubstr("HINT")), Not(HasSubstr("WRONG"))));
  const Status without = check(
      "def prior(rng, size):\n    return rng.random(size)\n"
      "def simulate(theta, psi, n, rng):\n    return rng.normal(theta[0], 1, n)\n",
      "columns = [\"energy\"]", false);
  EXPECT_EQ(without.code, 0) << without.text;
  EXPECT_THAT(without.text, HasSubstr("1 targets and 0 nuisances"));
  const Status image =
      check(kDraws + "def simulate(theta, psi, n, rng):\n    return rng.normal(theta[0], 1, (n, 1, 4, 6))\n",
            "shape = [1, 4, 6]");
  EXPECT_EQ(image.code, 0) << image.text;
  const Status rows = check(
      kDraws +
          "def simulate(theta, psi, n, rng):\n    return [rng.normal(0, 1, (rng.poisson(4), 2)) for _ in range(n)]\n",
      "rows = [\"e\", \"t\"]\ntypical = 4");
  EXPECT_EQ(rows.code, 0) << rows.text;
}

TEST_F(OwnSimulatorCheck, NamesWhatIsWrong) {
  const std::string good = "def simulate(theta, psi, n, rng):\n    return rng.normal(theta[0], 1, n)\n";
  const Status outside =
      check("def prior(rng, size):\n    return 2 * rng.random(size), rng.normal(0, 1, size)\n" + good);
  EXPECT_EQ(outside.code, 1);
  EXPECT_THAT(outside.text, HasSubstr("WRONG  targets: theta stays within [0, 1]"));
  const Status global =
      check(kDraws + "def simulate(theta, psi, n, rng):\n    return np.random.normal(theta[0], 1, n)\n");
  EXPECT_EQ(global.code, 1);
  EXPECT_THAT(global.text, HasSubstr("WRONG  simulate, 2 observations: the same seed gives the same x"));
  const Status constant = check(kDraws + "def simulate(theta, psi, n, rng):\n    return np.full(n, theta[0])\n");
  EXPECT_THAT(constant.text, HasSubstr("WRONG  simulate, 2 observations: another seed gives other x"));
  const Status few = check(kDraws + "def simulate(theta, psi, n, rng):\n    return rng.normal(0, 1, n - 1)\n");
  EXPECT_EQ(few.code, 1);
  EXPECT_THAT(few.text, HasSubstr("WRONG  simulate, 2 observations"));
  const Status raising = check(kDraws + "def simulate(theta, psi, n, rng):\n    raise ValueError('no beam')\n");
  EXPECT_EQ(raising.code, 1);
  EXPECT_THAT(raising.text, HasSubstr("no beam"));
}

// Units do not matter where x is standardized, but a constant column does.
TEST_F(OwnSimulatorCheck, HintsAtColumns) {
  const std::string large = "def simulate(theta, psi, n, rng):\n    return rng.normal(3e4, 1e3, n)\n";
  const Status standardized = check(kDraws + large);
  EXPECT_EQ(standardized.code, 0);
  EXPECT_THAT(standardized.text, Not(HasSubstr("HINT")));
  const Status plain = check(kDraws + large, "columns = [\"energy\"]\nstandardize = false");
  EXPECT_EQ(plain.code, 0) << "a hint is no fault";
  EXPECT_THAT(plain.text, HasSubstr("HINT   x: energy is 3e+04, give or take"));
  const Status flat = check(
      kDraws + "def simulate(theta, psi, n, rng):\n    return np.stack([np.full(n, 5.0), rng.normal(0, 1, n)], 1)\n",
      "columns = [\"energy\", \"time\"]");
  EXPECT_THAT(flat.text,
              AllOf(HasSubstr("HINT   x: energy is always 5, which carries no information"), Not(HasSubstr("time"))));
  const Status rare =
      check(kDraws + "def simulate(theta, psi, n, rng):\n    return rng.choice([5.0, 5.0, 5.0, 6.0], n)\n");
  EXPECT_THAT(rare.text, AllOf(Not(HasSubstr("Traceback")), Not(HasSubstr("HINT"))));
}

}  // namespace
}  // namespace pairs::own
