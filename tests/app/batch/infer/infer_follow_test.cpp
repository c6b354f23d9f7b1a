#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "core/base/files/files.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using testing::HasSubstr;

class InferFollow : public testing::Test {
 protected:
  // The output of the program for this text on standard input.
  Answer follow(const std::string& text, std::vector<std::string> words = {}) {
    write_file(folder_ / "input", text);
    const int before = ::dup(STDIN_FILENO), input = ::open((folder_ / "input").c_str(), O_RDONLY);
    ::dup2(input, STDIN_FILENO);
    std::vector<std::string> all = {"infer", "bump-hunt", "--data", "-", "--follow", "--out", path("s.npz")};
    all.insert(all.end(), words.begin(), words.end());
    Answer answer = run_words(all);
    ::dup2(before, STDIN_FILENO);
    ::close(before);
    ::close(input);
    return answer;
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string numbers(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += std::to_string(0.1 * (i % 97)) + "\n";
    return text;
  }
  TemporaryFolder folder_;
};

TEST_F(InferFollow, EndsWithWhatInferSaysOfTheWholeFile) {
  const std::string text = "x\n" + numbers(60);
  write_file(folder_ / "all.csv", text);
  const Answer whole = run_words({"infer", "bump-hunt", "--data", path("all.csv"), "--out", path("w.npz"), "--json"});
  const Answer followed = follow(text, {"--json"});
  ASSERT_EQ(followed.code, 0) << followed.err;
  std::istringstream lines(followed.out);
  std::vector<nlohmann::json> documents;
  for (std::string line; std::getline(lines, line);) documents.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(documents.size(), 2u) << "one for what arrived at once, and one on the samples";
  const nlohmann::json expected = nlohmann::json::parse(whole.out);
  for (const nlohmann::json& document : documents) {
    EXPECT_EQ(document.at("n"), 60);
    EXPECT_EQ(document.at("seen"), 60);
  }
  EXPECT_NEAR(documents[0].at("mean")[0].get<double>(), expected.at("mean")[0].get<double>(), 1e-6);
  EXPECT_NEAR(documents[0].at("sd")[0].get<double>(), expected.at("sd")[0].get<double>(), 1e-6);
  EXPECT_FALSE(documents[1].contains("mean")) << "no answer stands there twice";
  EXPECT_EQ(documents.back().at("samples"), path("s.npz"));
  EXPECT_TRUE(std::filesystem::exists(path("s.npz")));
}

TEST_F(InferFollow, GoesOnBeyondWhatTrainingSawAndSaysSo) {
  const Answer answer = follow(numbers(300));
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("N = 100 at random of 300  θ: mean 0."));
  EXPECT_THAT(answer.out, HasSubstr(", 90 % 0."));
  EXPECT_THAT(answer.err, HasSubstr("knows sets of at most 100"));
}

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return NAN;
}

// The peak of memory rises no more once the set is as large as the estimator knows.
TEST_F(InferFollow, MemoryIsTheSameHoweverMuchComes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  const std::string text = numbers(100000);
  ASSERT_EQ(follow(text).code, 0);
  const double few = peak_megabytes();
  std::string more = text + text + text;
  ASSERT_EQ(follow(more).code, 0);
  const double held = static_cast<double>(text.size() + more.size()) / 1e6;  // of this test itself
  EXPECT_LT(peak_megabytes(), few + 2 * held + 8) << "300,000 embeddings of 256 numbers are 300 MB";
}

TEST_F(InferFollow, SaysWhatIsWrong) {
  EXPECT_THAT(follow("x\n1\nabc\n").err, HasSubstr("standard input, line 3: value 1 is 'abc', not a number"));
  EXPECT_THAT(follow("x\n1\nabc\n").out, HasSubstr("N = 1 ")) << "what stands before it is answered";
  EXPECT_EQ(follow("\xEF\xBB\xBFx\n1\n2\n").code, 0) << "a text may begin with a byte order mark";
  EXPECT_THAT(follow("1,2\n").err, HasSubstr("standard input has 2 columns but task bump-hunt needs 1"));
  EXPECT_THAT(follow("x\n\n").err, HasSubstr("standard input holds no observations"));
  EXPECT_THAT(follow("1\nnan\n").err, HasSubstr("standard input, line 2: a value is missing or not finite"));
  EXPECT_THAT(follow("1\nnan\n").err, HasSubstr("--missing drop"));
  EXPECT_THAT(follow("x\n1.5\n1e300\n").err, HasSubstr("standard input, line 3: a value lies beyond ±3.4e38"));
  EXPECT_THAT(follow("1\nnan\n2\nNA\n", {"--missing", "drop"}).err, HasSubstr("2 of 4 observations"));
  EXPECT_THAT(follow("1\nnan\n2\nNA\n", {"--missing", "drop"}).out, HasSubstr("N = 2 "));
  EXPECT_THAT(follow(std::string(100000, '1')).err, HasSubstr("a line of more than"));
  EXPECT_THAT(follow("1\n", {"--n", "3"}).err, HasSubstr("do not go with --follow"));
  EXPECT_EQ(follow("1\n", {"--random"}).code, 2);
  EXPECT_THAT(run_words({"infer", "bump-hunt", "--data", "-"}).err, HasSubstr("add --follow"));
  EXPECT_THAT(run_words({"infer", "digits", "--data", "-", "--follow"}).err, HasSubstr("no line of text holds one"));
  EXPECT_THAT(run_words({"infer", "bump-hunt", "--data", path("gone.csv"), "--follow"}).err,
              HasSubstr("gone.csv cannot be opened"));
  write_file(folder_ / "set.npz", std::string("PK\x03\x04\0\0\n", 7));
  EXPECT_THAT(run_words({"infer", "bump-hunt", "--data", path("set.npz"), "--follow", "--out", path("s.npz")}).err,
              HasSubstr("set.npz holds no text, and only lines of text can be followed"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(run_words({"infer", "bump-hunt", "--data", path("pipe"), "--follow"}).err,
              HasSubstr("is no file that grows but a pipe"));
}

TEST_F(InferFollow, NamesTheValueThatItsNetworkOverflowsOn) {
  write_file(folder_ / "input", "0.1,0.2\n1e38,1e38\n");
  const int before = ::dup(STDIN_FILENO), input = ::open((folder_ / "input").c_str(), O_RDONLY);
  ::dup2(input, STDIN_FILENO);
  const Answer answer = run_words({"infer", "gaussian", "--data", "-", "--follow", "--out", path("s.npz")});
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(input);
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.err, HasSubstr("number 2 holds a value of size 1e+38"));
}

// One document a line, the error too.
TEST_F(InferFollow, AWrongLineIsOneDocument) {
  const Answer answer = follow("x\n1\nabc\n", {"--json"});
  EXPECT_EQ(answer.code, 1);
  std::istringstream lines(answer.out);
  std::vector<nlohmann::json> documents;
  for (std::string line; std::getline(lines, line);) documents.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(documents.size(), 2u) << answer.out;
  EXPECT_EQ(documents[0].at("n"), 1);
  EXPECT_THAT(documents[1].at("error").get<std::string>(), HasSubstr("line 3"));
}

TEST_F(InferFollow, AFileThatIsCutShortOrReplacedEndsItWithASentence) {
  write_file(folder_ / "grows.csv", "x\n" + numbers(20));
  const auto spoiled = [&](const std::function<void()>& spoil) {
    std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      spoil();
    });
    return run_words({"infer", "bump-hunt", "--data", path("grows.csv"), "--follow", "--out", path("s.npz")});
  };
  const Answer cut = spoiled([&] { std::filesystem::resize_file(folder_ / "grows.csv", 5); });
  EXPECT_EQ(cut.code, 1);
  EXPECT_THAT(cut.out, HasSubstr("N = 20"));
  EXPECT_THAT(cut.err, HasSubstr("was cut short or written anew"));
  write_file(folder_ / "grows.csv", "x\n" + numbers(20));
  const Answer replaced = spoiled([&] { write_file(folder_ / "grows.csv", "x\n" + numbers(30)); });
  EXPECT_EQ(replaced.code, 1);
  EXPECT_THAT(replaced.err, HasSubstr("was replaced by another file"));
}

// A random subset: the same by one seed, another by another, all of them of the file.
TEST_F(InferFollow, RandomTakesASubsetBySeed) {
  std::string text = "x\n";
  for (int i = 0; i < 400; ++i) text += i < 200 ? "1\n" : "9\n";
  write_file(folder_ / "many.csv", text);
  const auto mean = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"infer", "bump-hunt", "--data", path("many.csv"), "--out", path("r.npz"), "--json"});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    const nlohmann::json document = nlohmann::json::parse(answer.out);
    return std::pair(document.at("n").get<int>(), document.at("distance").get<double>());
  };
  const auto first = mean({"--n", "100"}), random = mean({"--n", "100", "--random"}),
             same = mean({"--n", "100", "--random"}), other = mean({"--n", "100", "--random", "--seed", "2"}),
             all = mean({"--random"});
  EXPECT_EQ(all.first, 100) << "as many as training saw";
  EXPECT_EQ(random.second, same.second);
  EXPECT_NE(random.second, other.second);
  EXPECT_NE(random.second, first.second);
  EXPECT_THAT(run_words({"infer", "bump-hunt", "--data", path("many.csv"), "--out", path("r.npz")}).err,
              HasSubstr("at random with --random"));
}

}  // namespace
}  // namespace pairs::batch
