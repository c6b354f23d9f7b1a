// A set at one N has one posterior. The window, the figure, infer, infer --follow, a file that the window follows,
// saved samples and the posterior that is watched in training agree to the bit.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "app/model/posterior/posterior.h"
#include "app/model/posterior/work/sample_saving.h"
#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/figures/training_posterior.h"
#include "app/posterior/follow/followed_posterior.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/threads/clock.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

constexpr double kPatience = 120;

// Numbers by target, as documents of infer have them.
struct Status {
  std::vector<double> mean, sd, low, median, high;
  bool operator==(const Status&) const = default;
};
void PrintTo(const Status& reported, std::ostream* out) {
  *out << fmt::format("mean {:.17g}, sd {:.17g}, median {:.17g}", reported.mean[0], reported.sd[0], reported.median[0]);
}

Status set_by(const std::vector<TargetNumbers>& numbers) {
  Status reported;
  for (const TargetNumbers& one : numbers) {
    reported.mean.push_back(one.mean);
    reported.sd.push_back(one.sd);
    reported.low.push_back(one.quantiles[0]);
    reported.median.push_back(one.quantiles[2]);
    reported.high.push_back(one.quantiles[4]);
  }
  return reported;
}

Status set_by(const nlohmann::json& document) {
  const nlohmann::json& quantiles = document.at("quantiles");
  return {document.at("mean"), document.at("sd"), quantiles.at("0.05"), quantiles.at("0.5"), quantiles.at("0.95")};
}

// NaN, where a line pauses, is the same as NaN.
bool same_bytes(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

class OnePosterior : public testing::TestWithParam<std::pair<const char*, int>> {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string task() const { return GetParam().first; }
  void write_set(int count) {
    std::string text = GetParam().second == 1 ? "x\n" : "x1,x2\n";
    for (int i = 0; i < count; ++i)
      text += GetParam().second == 1 ? fmt::format("{}\n", 0.1 * (i % 89) - 0.7)
                                     : fmt::format("{},{}\n", 0.1 * (i % 7), -0.05 * (i % 11));
    write_file(path("set.csv"), text);
  }
  batch::Answer program(std::vector<std::string> words) {
    const batch::Answer answer = batch::run_words(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer;
  }
  Status by_infer(std::int64_t n) {
    return set_by(nlohmann::json::parse(program({"infer", task(), "--data", path("set.csv"), "--n", std::to_string(n),
                                                 "--out", path("infer.npz"), "--seed", "3", "--json"})
                                            .out));
  }
  // Reads the whole file from standard input.
  Status by_follow() {
    const int before = ::dup(STDIN_FILENO), input = ::open(path("set.csv").c_str(), O_RDONLY);
    ::dup2(input, STDIN_FILENO);
    const std::string out =
        program({"infer", task(), "--data", "-", "--follow", "--out", path("follow.npz"), "--seed", "3", "--json"}).out;
    ::dup2(before, STDIN_FILENO);
    ::close(before);
    ::close(input);
    return set_by(nlohmann::json::parse(out.substr(0, out.find('\n'))));
  }
  Status by_following_window() {
    posterior_.follow.start(path("set.csv"));
    std::shared_ptr<const PosteriorSnapshot> shown;
    for (const Stopwatch watch; watch.seconds() < kPatience;) {
      posterior_.poll();
      shown = posterior_.shown();
      if (const auto state = posterior_.follow.state(); state && shown && state->seen == shown->n && shown->n > 1)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    posterior_.follow.stop();
    return shown && !shown->series.empty() ? set_by(shown->series.front().targets) : Status();
  }
  void settle() { ASSERT_TRUE(posterior_.wait(kPatience)) << posterior_.activity(); }

  Hub hub_{built_in_tasks()};
  TemporaryFolder folder_;
  Posterior posterior_{hub_};
};

TEST_P(OnePosterior, IsTheSameToTheBitWhoeverAsks) {
  write_set(70);
  posterior_.open(task());
  settle();
  posterior_.set.open_file(path("set.csv"));
  settle();
  const LoadedRun run = load_run(built_in_tasks(), task(), "", "cpu");
  for (const std::int64_t n : {23, 70}) {
    posterior_.set_n(n);
    settle();
    const auto shown = posterior_.shown();
    ASSERT_TRUE(shown && shown->n == n);
    const Status window = set_by(shown->series.front().targets);
    EXPECT_EQ(by_infer(n), window) << n;

    // The samples, too.
    auto asked = posterior_.files.samples_asked();
    ASSERT_TRUE(asked);
    asked->draws = 1000;
    asked->question.seed = 3;
    asked->file = path("window.npz");
    posterior_.files.samples().save(*asked);
    ASSERT_TRUE(posterior_.files.samples().job().wait(kPatience));
    ASSERT_EQ(posterior_.files.samples().job().take()->failure, "");
    EXPECT_TRUE(read_file(path("window.npz")) == read_file(path("infer.npz"))) << n;

    // The curves of the figure.
    PosteriorFigureOptions options;
    options.asked.set.file = path("set.csv");
    options.asked.n = n;
    const Plot figure = posterior_figure({run}, options).plots.front(), drawn = shown->density->plots.front();
    ASSERT_EQ(figure.lines.size(), drawn.lines.size());
    for (std::size_t k = 0; k < figure.lines.size(); ++k) {
      EXPECT_EQ(figure.lines[k].name, drawn.lines[k].name);
      EXPECT_EQ(figure.lines[k].x, drawn.lines[k].x) << figure.lines[k].name;
      EXPECT_TRUE(same_bytes(figure.lines[k].y, drawn.lines[k].y)) << figure.lines[k].name;
    }
  }
  const Status whole = set_by(posterior_.shown()->series.front().targets);
  EXPECT_EQ(by_follow(), whole);
  EXPECT_TRUE(torch::equal(read_npz(path("follow.npz")).at("samples"), read_npz(path("infer.npz")).at("samples")));
  EXPECT_EQ(by_following_window(), whole);
}

// A run has the same numbers alone and next to other runs.
TEST_P(OnePosterior, DoesNotDependOnWhatStandsBesideIt) {
  const LoadedRun run = load_run(built_in_tasks(), task(), "", "cpu");
  LoadedRun other = run;
  other.name = "other";
  const auto set = std::make_shared<ObservedSet>(run.task, SetChoice{.index = 4});
  SetPosterior alone(set, {{run}}), extra(set, {{run}, {other, SeriesRole::n1}});
  for (SetPosterior* one : {&alone, &extra}) one->embed_until(50);
  const PosteriorAnswer known = extra.answer(50);
  ASSERT_GE(known.numbers.size(), 3u);
  EXPECT_EQ(set_by(known.numbers[0].targets), set_by(alone.answer(50, false).numbers[0].targets));
  EXPECT_EQ(set_by(known.exact_numbers()), set_by(alone.answer(50).exact_numbers()));
}

// The posterior that is watched in training, by weights that are trained.
TEST_P(OnePosterior, IsWhatTrainingShows) {
  const LoadedRun run = load_run(built_in_tasks(), task(), "", "cpu");
  TrainingPosterior training(*run.estimator, 50);
  training.find_reference({});
  const std::vector<PosteriorNumbers> series = training.series(*run.estimator, SeriesRole::pairs, false);
  SetPosterior posterior(std::make_shared<ObservedSet>(run.task, SetChoice()), {{run}});
  posterior.embed_until(training.n());
  const PosteriorAnswer answer = posterior.answer(training.n());
  const PosteriorNumbers same = numbers_on(answer.sources.front(), series.back().cells);
  EXPECT_EQ(same.marginals, series.back().marginals);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(numbers_on(answer.sources[1], series.front().cells).marginals, series.front().marginals) << "the exact one";
}

// A set that grows, one observation after another, is at each N the set of so many.
TEST_P(OnePosterior, OfAGrowingSetIsThatOfTheSetSoFar) {
  const LoadedRun run = load_run(built_in_tasks(), task(), "", "cpu");
  torch::manual_seed(3);
  const torch::Tensor x = torch::randn({90, GetParam().second});
  FollowedPosterior growing({run}, 100, torch::Tensor(), 1);
  for (const std::int64_t n : {1, 2, 37, 90}) {
    while (growing.seen() < n) growing.add(x.slice(0, growing.seen(), growing.seen() + 1));
    write_npz(path("x.npz"), {{"x", x.slice(0, 0, n).contiguous()}});
    SetChoice choice;
    choice.file = path("x.npz");
    SetPosterior whole(std::make_shared<ObservedSet>(run.task, choice), {{run}});
    whole.embed_until(n);
    const PosteriorAnswer so_far = growing.answer(), answer = whole.answer(n);
    EXPECT_EQ(set_by(so_far.numbers.front().targets), set_by(answer.numbers.front().targets)) << n;
    EXPECT_EQ(so_far.typicality.distance, answer.typicality.distance) << n;
    EXPECT_TRUE(torch::equal(growing.samples(so_far, 50, 2), whole.samples(answer, 50, 2))) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, OnePosterior, testing::Values(std::pair("bump-hunt", 1), std::pair("gaussian", 2)),
                         [](const auto& one) { return one.param.second == 1 ? "BumpHunt" : "Gaussian"; });

}  // namespace
}  // namespace pairs::model
