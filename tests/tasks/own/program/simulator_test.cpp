#include "tasks/own/program/simulator.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>
#include <vector>

#include "core/base/text/error.h"
#include "core/base/threads/interruption.h"
#include "core/base/threads/threads.h"
#include "core/invalid_draws.h"
#include "core/train/settings/config.h"
#include "tasks/own/blocks.h"
#include "tasks/own/own_tasks.h"
#include "tasks/own/simulated_task.h"
#include "tests/core/base/message.h"
#include "tests/tasks/own/own_files.h"
#include "tests/tasks/sets.h"

namespace pairs::own {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OwnSimulator : public OwnFolder {
 protected:
  // As many workers as a task asks for, whatever the tests before left.
  void SetUp() override { at::set_num_threads(usable_cores()); }
  // The error of drawing 100 sets of a program.
  std::string problem(const TaskFile& task, std::int64_t n = 2) const {
    try {
      const auto made = make_simulated_task(task);
      const Latents latents = testing::latents_of(*made, 1, Purpose::pretrain, 200, 100);
      std::vector<SetRange> ranges;
      for (std::int64_t k = 0; k < 100; ++k) ranges.push_back({200 + k, 0, n});
      made->observe(latents, 1, Purpose::pretrain, ranges, torch::kCPU);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  // The problem of a program whose simulate begins with `line`.
  std::string problem_of(const std::string& line, const std::string& more = "workers = 2\ntimeout = 20\n",
                         const std::string& prior = kPrior) const {
    return problem(python_task(prior + "def simulate(theta, psi, n, rng):\n    " + line + kRest + kServe, more));
  }
  static constexpr const char* kRest = "\n    return rng.normal(psi[0], 0.1 + theta[0], n)\n";
};

TEST(OwnBlocks, CoverASetOnce) {
  for (const Purpose purpose : {Purpose::pretrain, Purpose::finetune}) {
    std::int64_t at = 0;
    for (std::uint64_t number = 0; at < 20000; ++number) {
      const ItemBlock block = block_of(purpose, at);
      EXPECT_EQ(block.number, number);
      EXPECT_EQ(block.first, at);
      for (const std::int64_t item : {at, at + block.count / 2, at + block.count - 1}) {
        EXPECT_EQ(block_of(purpose, item).number, number);
        EXPECT_EQ(block_of(purpose, item).first, at);
      }
      EXPECT_LE(block.count, 4096);
      at += block.count;
    }
  }
  EXPECT_EQ(block_of(Purpose::pretrain, 1).count, 2) << "pairs cost one call";
  EXPECT_EQ(block_of(Purpose::finetune, 1).count, 32);
}

TEST_F(OwnSimulator, DrawsWhatATaskPromises) {
  const auto task = make_simulated_task(python_task(kPrior + kSimulate + kServe));
  testing::expect_addressable(*task);
  testing::expect_described(*task);
}

TEST_F(OwnSimulator, DrawsFromThePriorAndTheLikelihood) {
  const auto task = make_simulated_task(python_task(kPrior + kSimulate + kServe));
  const Latents latents = testing::latents_of(*task, 3, Purpose::test, 0, 4000);
  const auto sorted = [](const torch::Tensor& t) {
    const torch::Tensor flat = t.contiguous().to(torch::kFloat64).flatten();
    return std::vector<double>(flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel());
  };
  EXPECT_LT(testing::kolmogorov(sorted(latents.theta), [](double t) { return t; }), 1.95);
  const auto normal = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  EXPECT_LT(testing::kolmogorov(sorted(latents.psi), normal), 1.95);
  const torch::Tensor x = testing::sets_of(*task, latents, 3, Purpose::test, 0, 7).squeeze(2).to(torch::kFloat64);
  const torch::Tensor z = (x - latents.psi) / (latents.theta + 0.1);
  EXPECT_LT(testing::kolmogorov(sorted(z), normal), 1.95);
  // Observations of a set are independent, within a block and between blocks.
  EXPECT_LT(std::abs((z.select(1, 0) * z.select(1, 1)).mean().item<double>()), 4 / std::sqrt(4000.0));
  EXPECT_LT(std::abs((z.select(1, 1) * z.select(1, 2)).mean().item<double>()), 4 / std::sqrt(4000.0));
}

TEST_F(OwnSimulator, TheSameSeedGivesTheSameSetsWhateverTheWorkers) {
  std::vector<torch::Tensor> all;
  for (const char* workers : {"workers = 1\n", "workers = 4\n", "workers = 2\n"}) {
    const auto task = make_simulated_task(python_task(kPrior + kSimulate + kServe, workers));
    const Latents latents = testing::latents_of(*task, 9, Purpose::pretrain, 100, 700);
    all.push_back(
        torch::cat({testing::sets_of(*task, latents, 9, Purpose::pretrain, 100, 5).flatten(1).to(torch::kFloat64),
                    latents.theta, latents.psi},
                   1));
  }
  EXPECT_TRUE(at::equal(all[0], all[1]));
  EXPECT_TRUE(at::equal(all[0], all[2]));
}

// A set is simulated in blocks: what a program draws for the whole set is the same in all of them, whatever is drawn
// besides.
TEST_F(OwnSimulator, BlocksOfASetShareWhatIsDrawnForTheSet) {
  const auto task = make_simulated_task(python_task(
      kPrior + "def simulate(theta, psi, n, rng):\n    rng.random(3)\n    return np.full(n, rng.of_set().normal())\n" +
      kServe));
  const Latents latents = testing::latents_of(*task, 3, Purpose::test, 0, 50);
  std::vector<SetRange> whole, later;
  for (std::int64_t k = 0; k < 50; ++k) {
    whole.push_back({k, 0, 100});
    later.push_back({k, 70, 30});
  }
  const torch::Tensor x = task->observe(latents, 3, Purpose::test, whole, torch::kCPU).block().view({50, 100});
  EXPECT_TRUE(at::equal(x, x.slice(1, 0, 1).expand_as(x))) << "one number in all blocks";
  EXPECT_TRUE(
      at::equal(task->observe(latents, 3, Purpose::test, later, torch::kCPU).block().view({50, 30}), x.slice(1, 70)));
  EXPECT_EQ(std::get<0>(at::_unique(x.flatten())).numel(), 50) << "another one in each set";
  const torch::Tensor other = task->observe(latents, 4, Purpose::test, whole, torch::kCPU).block().view({50, 100});
  EXPECT_FALSE((other == x).any().item<bool>()) << "another one with another seed";
}

TEST_F(OwnSimulator, ImagesAndRows) {
  const auto images = make_simulated_task(python_task(
      kPrior + "def simulate(theta, psi, n, rng):\n    return rng.random((n, 1, 6, 5)) + theta[0]\n" + kServe, "",
      "shape = [1, 6, 5]"));
  const Latents latents = testing::latents_of(*images, 1, Purpose::pretrain, 0, 3);
  EXPECT_EQ(testing::sets_of(*images, latents, 1, Purpose::pretrain, 0, 3).sizes(),
            (std::vector<std::int64_t>{3, 3, 1, 6, 5}));

  const auto rows =
      make_simulated_task(python_task(kPrior +
                                          "def simulate(theta, psi, n, rng):\n"
                                          "    return [rng.random((int(rng.integers(0, 4)), 2)) for _ in range(n)]\n" +
                                          kServe,
                                      "", "rows = [\"a\", \"b\"]\ntypical = 2"));
  const Latents own = testing::latents_of(*rows, 1, Purpose::pretrain, 0, 40);
  std::vector<SetRange> ranges, later;
  for (std::int64_t k = 0; k < 40; ++k) {
    ranges.push_back({k, 0, 9});
    later.push_back({k, 3, 4});
  }
  const Observations whole = rows->observe(own, 1, Purpose::pretrain, ranges, torch::kCPU),
                     part = rows->observe(own, 1, Purpose::pretrain, later, torch::kCPU);
  ASSERT_TRUE(whole.is_ragged());
  EXPECT_EQ(whole.count(), 360);
  EXPECT_GT(whole.rows().size(0), 300);
  for (std::int64_t k = 0; k < 40; ++k)
    EXPECT_TRUE(at::equal(part.slice(4 * k, 4 * k + 4).rows(), whole.slice(9 * k + 3, 9 * k + 7).rows())) << k;
}

// Invalid observations are drawn again, one by one: of any kind of x, in float32 and float64, NaN or infinite, what is
// drawn follows from seed, set and observation alone, and those that were valid stay as they are.
TEST_F(OwnSimulator, InvalidObservationsAreDrawnAgainWhateverTheWorkersAndTheBatches) {
  const struct {
    const char *x, *valid, *spoil;
  } kinds[] = {
      {"columns = [\"x\"]", "rng.normal(psi[0], 0.1 + theta[0], (n, 1))", "x[bad] = np.nan"},
      {"columns = [\"x\", \"y\"]", "rng.normal(psi[0], 0.1 + theta[0], (n, 2))", "x[bad, 1] = np.inf"},
      {"shape = [1, 2, 3]", "rng.normal(psi[0], 1, (n, 1, 2, 3)).astype(np.float32)", "x[bad, 0, 1, 2] = np.nan"},
      {"columns = [\"x\"]\nstandardize = false", "rng.normal(psi[0], 1, (n, 1))", "x[bad] = 1e300"},
      {"rows = [\"a\", \"b\"]\ntypical = 2", "[rng.random((1 + int(rng.integers(0, 4)), 2)) for _ in range(n)]",
       "for k in np.flatnonzero(bad): x[k][-1, 0] = -np.inf"}};
  for (const auto& kind : kinds) {
    const auto program = [&](bool spoilt) {
      return kPrior + "def simulate(theta, psi, n, rng):\n    bad = rng.random(n) < 0.4\n    x = " + kind.valid + "\n" +
             (spoilt ? std::string("    ") + kind.spoil + "\n" : "") + "    return x\n" + kServe;
    };
    const std::vector<SetRange> ranges = {{300, 0, 2}, {301, 0, 9}, {302, 4, 60}, {303, 0, 1}, {304, 0, 2}};
    const auto observed = [&](const std::string& source, const std::string& more, bool alone) {
      const auto task = make_simulated_task(python_task(source, more, kind.x));
      const Latents latents = testing::latents_of(*task, 4, Purpose::pretrain, 300, 5);
      std::vector<Observations> parts;
      if (!alone) parts.push_back(task->observe(latents, 4, Purpose::pretrain, ranges, torch::kCPU));
      for (std::size_t k = 0; k < ranges.size() && alone; ++k) {
        const auto row = static_cast<std::int64_t>(k);
        parts.push_back(task->observe({latents.theta.slice(0, row, row + 1), latents.psi.slice(0, row, row + 1)}, 4,
                                      Purpose::pretrain, std::span(&ranges[k], 1), torch::kCPU));
      }
      return Observations::concatenate(parts);
    };
    const std::string redraw = "invalid = \"redraw\"\n";
    const Observations whole = observed(program(true), redraw + "workers = 1\n", false),
                       others = observed(program(true), redraw + "workers = 3\n", false),
                       alone = observed(program(true), redraw + "workers = 2\n", true),
                       valid = observed(program(false), "workers = 2\n", false);
    EXPECT_TRUE(all_numbers(whole).to(torch::kFloat32).isfinite().all().item<bool>()) << kind.x;
    std::int64_t same = 0;
    ASSERT_EQ(whole.count(), 74) << kind.x;
    for (std::int64_t k = 0; k < whole.count(); ++k) {
      const auto one = [&](const Observations& of) { return all_numbers(of.slice(k, k + 1)); };
      EXPECT_TRUE(at::equal(one(whole), one(others))) << kind.x << ", " << k;
      EXPECT_TRUE(at::equal(one(whole), one(alone))) << kind.x << ", " << k;
      same += at::equal(one(whole), one(valid));
    }
    EXPECT_GT(same, 74 * 6 / 10 - 20) << kind.x;
    EXPECT_LT(same, 74 * 6 / 10 + 20) << kind.x;
  }
}

TEST_F(OwnSimulator, DrawingAgainGivesTheDistributionOfValidObservationsAndCountsTheirShare) {
  // Valid is what lies below ψ with a probability that falls with θ: the prior of θ stays as it is.
  const auto task = make_simulated_task(python_task(kPrior +
                                                        "def simulate(theta, psi, n, rng):\n"
                                                        "    x = rng.normal(psi[0], 1, n)\n"
                                                        "    x[(x > psi[0]) & (rng.random(n) < theta[0])] = np.nan\n"
                                                        "    return x\n" +
                                                        kServe,
                                                    "invalid = \"redraw\"\n"));
  constexpr std::int64_t kSets = 2000, kEach = 30;
  const Latents latents = testing::latents_of(*task, 1, Purpose::pretrain, 0, kSets);
  EXPECT_NEAR(latents.theta.mean().item<double>(), 0.5, 5 * 0.289 / std::sqrt(kSets));
  const torch::Tensor x = testing::sets_of(*task, latents, 1, Purpose::pretrain, 0, kEach).to(torch::kFloat64);
  const torch::Tensor above = (x > latents.psi.unsqueeze(1)).to(torch::kFloat64).flatten(1).mean(1);  // of each set
  const torch::Tensor expected = ((1 - latents.theta) / (2 - latents.theta)).flatten();
  EXPECT_LT((above - expected).mean().abs().item<double>(), 5 * 0.5 / std::sqrt(kSets * kEach));
  const InvalidDraws invalid = invalid_draws_of(*task);
  EXPECT_GE(invalid.attempts, kSets * kEach);
  // The mean of θ / 2 / (1 - θ / 2), invalid attempts for each valid one, over θ is 2 log 2 - 1.
  const double odds = 2 * std::log(2.0) - 1;
  EXPECT_NEAR(invalid.share(), odds / (1 + odds), 0.01);
  ASSERT_EQ(invalid.targets.size(), 1u);
  EXPECT_EQ(invalid.targets[0].name, "theta");
  ASSERT_EQ(invalid.targets[0].bins.size(), 5u);
  double before = 0;
  for (const InvalidDraws::Bin& bin : invalid.targets[0].bins) {
    const double share = static_cast<double>(bin.invalid) / static_cast<double>(bin.attempts);
    EXPECT_NEAR(share, (bin.low + bin.high) / 4, 0.02);
    EXPECT_GT(share, before);
    before = share;
  }
}

TEST_F(OwnSimulator, WhereNothingIsValidDrawingAgainEndsWithThePlace) {
  const std::string words =
      problem_of("if theta[0] > 0.5: return np.full(n, np.nan)", "workers = 2\ninvalid = \"redraw\"\n");
  EXPECT_THAT(words,
              AllOf(HasSubstr("drew observation 1 of set"), HasSubstr("1000 times"), HasSubstr("at theta = 0.")));
  EXPECT_THAT(problem_of("if theta[0] > 0.5: return np.full(n, np.nan)"),
              AllOf(HasSubstr("observation 1 holds nan"), HasSubstr("invalid = \"redraw\"")));
  EXPECT_THAT(problem_of("if theta[0] > 0.5: return np.full(n, np.nan)", "invalid = \"stop\"\n"),
              HasSubstr("observation 1 holds nan"));
  EXPECT_THROW(python_task(kPrior + kSimulate + kServe, "invalid = \"skip\"\n"), Error);
}

TEST_F(OwnSimulator, NothingRunsBeforeItsCommandWasAgreedTo) {
  write("simulate.py", kPrior + kSimulate + "open('ran', 'w').write('yes')\n" + kServe);
  const TaskFile task = read_task_file(write("task.toml", task_text("[\"/usr/bin/python3\", \"simulate.py\"]")));
  EXPECT_THAT(problem(task), AllOf(HasSubstr("wants to run the program /usr/bin/python3 simulate.py in the folder"),
                                   HasSubstr("agree once with --allow")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  allow(task);
  EXPECT_EQ(problem(task), "");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "ran"));
  // Another command is another question.
  const TaskFile other = read_task_file(write("task.toml", task_text("[\"/usr/bin/python3\", \"other.py\"]")));
  EXPECT_THAT(problem(other), HasSubstr("other.py"));
  EXPECT_FALSE(is_allowed(other));
}

TEST_F(OwnSimulator, AProgramThatRaisesIsNamedWithItsTraceback) {
  EXPECT_EQ(problem_of("pass"), "");
  EXPECT_THAT(problem_of("if n == 2 and psi[0] > 1: raise ValueError('no such bump')"),
              AllOf(HasSubstr("The simulator of mine failed: worker "), HasSubstr(", set 2"),
                    HasSubstr("ValueError: no such bump"), HasSubstr("simulate.py:")));
}

TEST_F(OwnSimulator, AProgramThatDies) {
  EXPECT_THAT(problem_of("if psi[0] > 1: sys.stderr.write('out of luck\\n'); sys.stderr.flush(); os._exit(3)"),
              AllOf(HasSubstr("worker "), HasSubstr("set"), HasSubstr("ended with exit code 3: out of luck")));
  EXPECT_THAT(problem_of("if psi[0] > 1: os.kill(os.getpid(), 9)"), HasSubstr("was killed by signal 9"));
  EXPECT_THAT(problem(python_task("import nothing_of_that_name\n")),
              AllOf(HasSubstr("when it was started"), HasSubstr("ended with exit code 1"),
                    HasSubstr("No module named 'nothing_of_that_name'")));
}

TEST_F(OwnSimulator, AProgramThatHangs) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(problem_of("if psi[0] > 1: time.sleep(100)", "timeout = 4\n"),
              AllOf(HasSubstr("set"), HasSubstr("no answer came within 4 seconds (simulator.timeout)")));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(OwnSimulator, WhatIsPrintedDoesNotDisturb) {
  EXPECT_EQ(problem_of("print('a line', flush=True); os.write(1, b'another\\n')"), "");
}

TEST_F(OwnSimulator, AProgramThatPrintsBetweenAnswers) {
  write("print.py", "import sys\nprint('Loading the model')\nsys.stdout.flush()\nsys.stdin.read()\n");
  EXPECT_THAT(problem(allowed(task_text("[\"/usr/bin/python3\", \"print.py\"]"))),
              HasSubstr("printed \"Loading the model\" on standard output, where answers alone belong"));
}

TEST_F(OwnSimulator, WrongShapesAndValues) {
  EXPECT_THAT(problem_of("if psi[0] > 1: return rng.random((n, 3))"),
              AllOf(HasSubstr("set 2"), HasSubstr("simulate returned x of shape (2, 3) instead of (2, 1)")));
  EXPECT_THAT(problem_of("if psi[0] > 1: return rng.random(1)"),
              HasSubstr("simulate returned 1 observations instead of 2"));
  EXPECT_THAT(problem_of("if psi[0] > 1: return np.array([0.5, np.nan])"),
              AllOf(HasSubstr("set 2"), HasSubstr("observation 2 holds nan")));
  const std::string outside =
      "import numpy as np\nfrom pairs_simulator import serve\n"
      "def prior(rng, size):\n    return 1.2 * rng.random(size), rng.normal(0, 1, size)\n";
  EXPECT_THAT(
      problem_of("pass", "workers = 2\n", outside),
      AllOf(HasSubstr("prior drew theta = 1."), HasSubstr("for set "), HasSubstr("outside of its support [0, 1]")));
  const std::string wide =
      "import numpy as np\nfrom pairs_simulator import serve\n"
      "def prior(rng, size):\n    return rng.random((size, 2)), rng.normal(0, 1, size)\n";
  EXPECT_THAT(problem_of("pass", "workers = 2\n", wide), HasSubstr("prior returned theta of shape (4, 2)"));
}

TEST_F(OwnSimulator, AProgramThatIgnoresItsGenerator) {
  EXPECT_THAT(problem_of("return np.random.normal(0, 1, n)"), HasSubstr("when it is asked with the same seed again"));
  EXPECT_THAT(problem_of("time.sleep(0.05); return rng.random(n) + os.getpid() % 1000"),
              HasSubstr("other values to the same seed than the worker before it"));
}

// A program that speaks the protocol by itself, so that it can break it.
TEST_F(OwnSimulator, AnswersThatBreakTheProtocol) {
  const auto speak = [&](const std::string& reply) {
    write(
        "raw.py",
        "import sys, struct\n"
        "i, o = sys.stdin.buffer, sys.stdout.buffer\n"
        "i.readline(); o.write(b'pairs 1\\n'); o.flush()\n"
        "turn = 0\n"
        "while True:\n"
        "    w = i.readline().split()\n"
        "    if not w: break\n"
        "    k, count, turn = int(w[1]), int(w[2]), turn + 1\n"
        "    d = [struct.unpack('<4Q', i.read(32)) for _ in range(count)]\n"
        "    if w[0] == b'prior': data = b''.join(struct.pack('<%dd' % (2 * e[3]), *([0.25] * 2 * e[3])) for e in d)\n"
        "    else:\n"
        "        i.read(16 * count); data = b''.join(struct.pack('<%df' % e[3], *([0.5] * e[3])) for e in d)\n"
        "    if turn > 2:\n        " +
            reply +
            "\n"
            "    o.write(b'answer %d %d\\n' % (k, len(data)) + data); o.flush()\n");
    return problem(allowed(task_text("[\"/usr/bin/python3\", \"raw.py\"]", "workers = 1\ntimeout = 5\n")));
  };
  EXPECT_EQ(speak("pass"), "");
  EXPECT_THAT(speak("k -= 1"), HasSubstr("it answered request 2 where 3 was asked"));
  EXPECT_THAT(speak("data = data[:-4]"), HasSubstr("bytes where "));
  EXPECT_THAT(speak("o.write(b'answer one\\n')"), HasSubstr("printed \"answer one\" on standard output"));
  EXPECT_THAT(speak("o.write(b'error %d 0 4\\noops' % k); o.flush(); continue"), HasSubstr(": oops"));
  EXPECT_THAT(speak("o.write(b'x' * 1000)"), HasSubstr("printed \"xxx"));
  EXPECT_THAT(speak("o.write(b'answer %d %d\\n' % (k, len(data)) + data)"), HasSubstr("where "));
  write("raw.py", "import sys\nsys.stdin.readline()\nprint('pairs 2', flush=True)\nsys.stdin.read()\n");
  EXPECT_THAT(problem(allowed(task_text("[\"/usr/bin/python3\", \"raw.py\"]", "workers = 1\n"))),
              HasSubstr("another version of the protocol"));
}

TEST_F(OwnSimulator, AProgramThatIsGone) {
  EXPECT_THAT(problem(allowed(task_text("[\"./no-such-program\"]"))),
              AllOf(HasSubstr("The simulator of mine, ./no-such-program, cannot run"), HasSubstr("No such file")));
}

TEST_F(OwnSimulator, AStopIsHeardAndTheNextQuestionAnswered) {
  const auto task = make_simulated_task(
      python_task(kPrior + "def simulate(theta, psi, n, rng):\n    time.sleep(0.05 if os.path.exists('slow') else 0)" +
                  kRest + kServe));
  const Latents latents = testing::latents_of(*task, 1, Purpose::pretrain, 0, 400);
  write("slow", "");
  const auto begin = std::chrono::steady_clock::now();
  {
    const Interruptible within(
        [&] { return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(500); });
    EXPECT_THROW(testing::sets_of(*task, latents, 1, Purpose::pretrain, 0, 2), Stopped);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  std::filesystem::remove(folder_ / "slow");
  EXPECT_NO_THROW(testing::sets_of(*task, latents, 1, Purpose::pretrain, 0, 2));
}

TEST_F(OwnSimulator, WorkersEndWithTheirTask) {
  const TaskFile file = python_task("import os\nopen('pid-%d' % os.getpid(), 'w')\n" + kPrior + kSimulate + kServe);
  std::vector<pid_t> started;
  {
    const auto task = make_simulated_task(file);
    testing::latents_of(*task, 1, Purpose::pretrain, 0, 200);
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      if (const std::string name = entry.path().filename().string(); name.starts_with("pid-"))
        started.push_back(std::stoi(name.substr(4)));
    EXPECT_GE(started.size(), 1u);
    for (const pid_t process : started) EXPECT_EQ(::kill(process, 0), 0);
  }
  for (const pid_t process : started) EXPECT_NE(::kill(process, 0), 0) << "it was ended and waited for";
}

TEST_F(OwnSimulator, RangesThatTheFileLeavesOutAreMeasured) {
  std::string text = task_text("[\"/usr/bin/python3\", \"simulate.py\"]");
  text.replace(text.find("[0, 1]"), 6, "[-inf, inf]");
  text.replace(text.find("[-30, 30]"), 9, "[-inf, inf]");
  write("simulate.py",
        "import numpy as np\nfrom pairs_simulator import serve\n"
        "def prior(rng, size):\n    return rng.normal(100, 3, size), rng.normal(0, 1, size)\n"
        "def simulate(theta, psi, n, rng):\n    return rng.normal(theta[0], 1, n)\n" +
            kServe);
  const TaskFile file = allowed(text);
  const auto task = make_simulated_task(file);
  const Target& target = task->info().targets[0];
  EXPECT_NEAR(target.location, 100, 0.3);
  EXPECT_NEAR(target.scale, 3, 0.2);
  EXPECT_NEAR(target.range, 2 * 1.96 * 3, 0.8);
  EXPECT_LT(target.view_low, 93);
  EXPECT_NEAR(task->info().nuisances[0].view_high, 2.58, 0.4);
  // A run's copy holds them, so that nothing is run for it.
  const auto copy = write("copy.toml", OwnTasks({}).recorded_text(folder_ / "task.toml"));
  std::filesystem::remove(folder_ / "simulate.py");
  EXPECT_EQ(make_simulated_task(read_task_file(copy))->info().targets[0].location, target.location);
}

// The processes that a program noted in the file `pids`, that still run.
std::vector<pid_t> running(const std::filesystem::path& folder) {
  std::vector<pid_t> all;
  std::ifstream file(folder / "pids");
  for (pid_t one; file >> one;)
    if (::kill(one, 0) == 0) all.push_back(one);
  return all;
}

TEST_F(OwnSimulator, WhatAProgramStartedEndsWithItWhateverItsSession) {
  const std::string start =
      "if psi[0] > 1 and not os.path.exists('pids'): "
      "import subprocess; p = subprocess.Popen(['/bin/sh', '-c', 'trap \"\" TERM HUP; (setsid sleep 600 & echo $! >> "
      "pids);"
      " echo $$ >> pids; exec sleep 600'], start_new_session=True); time.sleep(0.3); ";
  // It dies, it hangs, and it is needed no longer.
  EXPECT_THAT(problem_of(start + "os._exit(3)"), HasSubstr("ended with exit code 3"));
  EXPECT_FALSE(read_file(folder_ / "pids").empty());
  EXPECT_THAT(running(folder_.path()), ::testing::IsEmpty());
  std::filesystem::remove(folder_ / "pids");
  EXPECT_THAT(problem_of(start + "time.sleep(100)", "workers = 1\ntimeout = 2\n"),
              HasSubstr("no answer came within 2"));
  EXPECT_THAT(running(folder_.path()), ::testing::IsEmpty());
  std::filesystem::remove(folder_ / "pids");
  EXPECT_EQ(problem_of(start + "pass", "workers = 1\n"), "");
  EXPECT_THAT(running(folder_.path()), ::testing::IsEmpty());
}

TEST_F(OwnSimulator, AProgramThatFloodsItsErrorsAndHangs) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(problem_of("while psi[0] > 1: os.write(2, b'again and again\\n' * 4000)", "workers = 1\ntimeout = 2\n"),
              AllOf(HasSubstr("no answer came within 2 seconds"), HasSubstr("again and again")));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// Rows whose BYTES are wrong are not waited for.
TEST_F(OwnSimulator, RaggedRowsBeyondAllThatIsTypicalAreRefusedAtOnce) {
  write("rows.py",
        "import sys, struct\n"
        "i, o = sys.stdin.buffer, sys.stdout.buffer\n"
        "i.readline(); o.write(b'pairs 1\\n'); o.flush()\n"
        "turn = 0\n"
        "while True:\n"
        "    w = i.readline().split()\n"
        "    if not w: break\n"
        "    k, count, turn = int(w[1]), int(w[2]), turn + (w[0] != b'prior')\n"
        "    d = [struct.unpack('<4Q', i.read(32)) for _ in range(count)]\n"
        "    if w[0] == b'prior': data = b''.join(struct.pack('<%dd' % (2 * e[3]), *([0.25] * 2 * e[3])) for e in d)\n"
        "    else:\n"
        "        i.read(16 * count); n = sum(e[3] for e in d)\n"
        "        data = struct.pack('<%dq' % n, *([1] * n)) + struct.pack('<%df' % n, *([0.5] * n))\n"
        "    o.write(b'answer %d %d\\n' % (k, 40000000000 if turn > 1 else len(data)))\n"
        "    while turn > 1: o.write(bytes(1 << 20))\n"
        "    o.write(data); o.flush()\n");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(problem(allowed(task_text("[\"/usr/bin/python3\", \"rows.py\"]", "workers = 1\ntimeout = 60\n",
                                        "rows = [\"e\"]\ntypical = 1"))),
              AllOf(HasSubstr("worker 1, set"), HasSubstr("it announced 40000000000 bytes for"),
                    HasSubstr("correct 'x.typical' or the program")));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(OwnSimulator, AnotherOwnerIsAnotherQuestion) {
  if (::geteuid() != 0) GTEST_SKIP() << "files are given away by root alone";
  const TaskFile task = allowed(task_text("[\"./sim\"]"));
  EXPECT_TRUE(is_allowed(task));
  ASSERT_EQ(::chown((folder_ / "task.toml").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(is_allowed(task));
  EXPECT_THAT(problem(task), HasSubstr("which belongs to the user"));
}

TEST_F(OwnSimulator, WhatWasAgreedToIsKeptInFilesOfItsOwn) {
  const TaskFile task = read_task_file(write("task.toml", task_text("[\"./sim\"]")));
  const std::string text = fmt::format("{}\n{}\n{}", task.origin.string(), ::getuid(), agreed_text(task));
  const std::filesystem::path kept = folder_ / "config/pairs-studio/allowed",
                              entry = kept / fmt::format("mine-{:08x}-{:x}", checksum(text), text.size());
  std::filesystem::create_directories(kept);
  write("precious", text);
  std::filesystem::create_symlink(folder_ / "precious", entry);
  EXPECT_FALSE(is_allowed(task)) << "somebody's file of that text is no consent";
  EXPECT_THAT(message_of([&] { allow(task); }), HasSubstr("is a link, a folder, a pipe or a device"));
  std::filesystem::remove(entry);
  write_file(entry, "");
  std::filesystem::resize_file(entry, std::uintmax_t{2} << 30);  // sparse
  EXPECT_FALSE(is_allowed(task));
  allow(task);
  EXPECT_TRUE(is_allowed(task));
  ASSERT_EQ(std::filesystem::file_size(entry), text.size());
  EXPECT_EQ(read_file(entry), text);
}

// Agreeing to a command agrees to the program that it names as it stands: another program in its file is asked about.
TEST_F(OwnSimulator, AChangedProgramIsAnotherQuestion) {
  const TaskFile task = python_task(kPrior + kSimulate + kServe);
  EXPECT_TRUE(is_allowed(task));
  const std::string before = read_file(folder_ / "simulate.py");
  write("simulate.py", before + "open('ran', 'w').write('yes')\n");
  EXPECT_FALSE(is_allowed(task));
  EXPECT_THAT(problem(task), HasSubstr("nothing was run yet since simulate.py stands as it does now"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  write("simulate.py", before);
  EXPECT_TRUE(is_allowed(task)) << "what was agreed to before";
}

// Whatever the umask is, nobody else can permit a program in place of the user.
TEST_F(OwnSimulator, WhatWasAgreedToIsThePersonsAlone) {
  const mode_t umask = ::umask(0);
  const TaskFile task = allowed(task_text("[\"./sim\"]"));
  ::umask(umask);
  const std::filesystem::path kept = folder_ / "config/pairs-studio/allowed";
  struct stat status {};
  ASSERT_EQ(::stat(kept.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  for (const std::filesystem::path& above : {kept.parent_path(), kept.parent_path().parent_path()}) {
    ASSERT_EQ(::stat(above.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0022, 0u) << above << " could be replaced by others";
  }
  std::filesystem::path entry;
  for (const auto& one : std::filesystem::directory_iterator(kept)) entry = one.path();
  ASSERT_EQ(::stat(entry.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const TaskFile other = read_task_file(write("task.toml", task_text("[\"./other\"]")));
  const std::string text = fmt::format("{}\n{}\n{}", other.origin.string(), ::getuid(), agreed_text(other));
  const std::filesystem::path forged = kept / fmt::format("mine-{:08x}-{:x}", checksum(text), text.size());
  write_file(forged, text);
  ASSERT_EQ(::chmod(forged.c_str(), 0666), 0);
  EXPECT_FALSE(is_allowed(other)) << "what others can write is no consent";
  ASSERT_EQ(::chmod(forged.c_str(), 0600), 0);
  EXPECT_TRUE(is_allowed(other));
}

}  // namespace
}  // namespace pairs::own
