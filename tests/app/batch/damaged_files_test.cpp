#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "app/queue/queue.h"
#include "app/scores/metrics_file.h"
#include "app/session/session.h"
#include "app/studies/study_entry.h"
#include "app/studies/study_worker.h"
#include "core/base/files/files.h"
#include "core/base/text/log.h"
#include "core/train/run/cost.h"
#include "core/train/run/run.h"
#include "core/train/run/run_progress.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/long_tests.h"

// Every file of a finished and of a half-finished run, of a study, a queue and a session: cut at many places, with
// bytes changed, with a line, a key or a table less. What is read then is what stood there before, or refused, or
// reported as unknown or changed; no other number and no other setting comes of it.
namespace pairs::batch {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kUnknown = "not known";

// Facts that are read from a folder, by name. The value of a fact that the program reports as unknown is kUnknown.
using Facts = std::map<std::string, std::string>;

// A way in which a file differs from what was written.
struct Change {
  std::string what;
  std::string text;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  return lines;
}

std::string joined(const std::vector<std::string>& lines, std::size_t without, std::size_t count = 1) {
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k)
    if (k < without || k >= without + count) text += lines[k];
  return text;
}

// Documents with one key less, at every depth; of lists the first element alone.
void without_keys(const nlohmann::json& document, const std::function<void(const std::string&, nlohmann::json)>& take,
                  const std::string& path = "") {
  const auto inside = [&](const auto& key, const std::string& name) {
    without_keys(
        document[key],
        [&](const std::string& what, nlohmann::json less) {
          nlohmann::json whole = document;
          whole[key] = std::move(less);
          take(what, std::move(whole));
        },
        name);
  };
  if (document.is_object())
    for (const auto& [key, value] : document.items()) {
      nlohmann::json less = document;
      less.erase(key);
      take(path + "/" + key, std::move(less));
      inside(key, path + "/" + key);
    }
  else if (document.is_array() && !document.empty() && document[0].is_structured())
    inside(std::size_t{0}, path + "/0");
}

// The changes of a file that are tried: `count` cuts, and as many bytes, of all its places.
std::vector<Change> changes_of(const fs::path& file, std::size_t count) {
  const std::string text = read_file(file), name = file.filename().string();
  std::vector<Change> all;
  const auto add = [&](const std::string& what, std::string changed) {
    if (changed != text) all.push_back({fmt::format("{}: {}", name, what), std::move(changed)});
  };
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = text.size() * k / count;
    add(fmt::format("cut at {}", at), text.substr(0, at));
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    add(fmt::format("byte {} with another bit", at), changed);
    changed = text;
    // Changes the next digit, which alters a value and nothing else in the format.
    const std::size_t digit = text.find_first_of("123456789", at);
    if (digit == text.npos) continue;
    changed[digit] = changed[digit] == '9' ? '4' : static_cast<char>(changed[digit] + 1);
    add(fmt::format("digit {} one more", digit), changed);
  }
  const std::string ending = file.extension();
  if (ending == ".toml" || ending == ".jsonl" || ending == ".pairs") {
    const std::vector<std::string> lines = lines_of(text);
    const std::size_t step = std::max<std::size_t>(1, lines.size() / (2 * count));
    for (std::size_t k = 0; k < lines.size(); k += step) {
      add(fmt::format("without line {}", k + 1), joined(lines, k));
      if (!lines[k].starts_with('[')) continue;
      std::size_t end = k + 1;
      while (end < lines.size() && !lines[end].starts_with('[')) ++end;
      add(fmt::format("without the table of line {}", k + 1), joined(lines, k, end - k));
    }
    add("without its last line", joined(lines, lines.size() - 1));
  }
  if (ending == ".json" || ending == ".item")
    without_keys(nlohmann::json::parse(text), [&](const std::string& what, const nlohmann::json& less) {
      add("without " + what, less.dump() + "\n");
    });
  return all;
}

// Settings small enough for stages of a second.
std::vector<std::string> tiny_settings() {
  std::vector<std::string> words;
  for (const char* one :
       {"embedder.layers=8", "embedder.size=4", "head.hidden=8", "head.transforms=1", "head.bins=4",
        "pretrain.epochs=2", "pretrain.steps=4", "pretrain.batch=16", "pretrain.validation_sets=32", "cache.sizes=10",
        "cache.pieces=2", "cache.sets=40", "finetune.epochs=2", "finetune.steps=4", "finetune.batch=8",
        "finetune.validation_draws=32", "evaluate.sizes=1,10", "evaluate.sets=20", "evaluate.samples=19"})
    words.insert(words.end(), {"--set", one});
  return words;
}

// Stops in stage 3 once one of its epochs is done.
class StopInFinetune : public TestMonitor {
 public:
  void event(const Event& event) override {
    stop_ = stop_ || (event.type == EventType::loss && event.stage == Stage::finetune);
  }
  bool should_stop() override { return stop_; }

 private:
  bool stop_ = false;
};

class DamagedFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const auto train = [](const std::string& name, std::vector<std::string> more) {
      std::vector<std::string> words = {"run", "bump-hunt", "--preset", "quick", "--device",
                                        "cpu", "--threads", "1",        "--out", (*folder_ / name).string()};
      const std::vector<std::string> tiny = tiny_settings();
      words.insert(words.end(), tiny.begin(), tiny.end());
      words.insert(words.end(), more.begin(), more.end());
      const Answer answer = run_words(words);
      ASSERT_EQ(answer.code, 0) << answer.err;
    };
    train("whole", {});
    ASSERT_EQ(run_words({"evaluate", (*folder_ / "whole").string()}).code, 0);
    train("half", {"--until", "pretrain"});
    copy("half", "stopped");
    StopInFinetune monitor;
    EXPECT_THROW(execute_run(built_in_tasks(), *folder_ / "stopped", monitor), Stopped);
    ASSERT_TRUE(fs::exists(*folder_ / "stopped" / run_file::resume));
  }
  static void TearDownTestSuite() {
    std::cout << validated_ << " damaged files, " << refused_ << " refused, " << reported_ << " reported, "
              << validated_ - refused_ - reported_ << " that change no number and no setting, or leave it unknown\n";
    if (long_tests()) {
      EXPECT_GE(validated_, 2000u);
    }
    folder_.reset();
  }

  // What a run comes to when it goes on.
  static Facts resumed(const fs::path& run) {
    const fs::path on = run.parent_path() / (run.filename().string() + "-on");
    fs::remove_all(on);
    fs::copy(run, on, fs::copy_options::recursive);
    TestMonitor monitor;
    execute_run(built_in_tasks(), on, monitor);
    return {{"weights", weights_checksum(on / run_file::estimator)}};
  }

  // What a run's folder is read as; throws what refuses it.
  static Facts facts_of_run(const fs::path& run) {
    const Tasks tasks = built_in_tasks();
    const LoadedRun loaded = load_run(tasks, run.string(), "", "cpu");
    Facts facts;
    RunConfig config = loaded.config;
    facts["settings"] = training_settings(config);
    facts["weights"] = weights_checksum(loaded);
    const RunCost cost = cost_of(loaded);
    facts["cost"] = cost.known ? fmt::format("{} {}", cost.cost.paper(), cost.cost.with_cache()) : kUnknown;
    const RunProgress progress = read_progress(run / run_file::events);
    const bool reported = record_problem(config, progress, loaded.finetuned).empty();
    facts["learned"] = reported ? fmt::format("{}", progress.learned_nothing()) : kUnknown;
    std::string losses;
    for (const Stage stage : {Stage::pretrain, Stage::finetune})
      for (const auto& [n, points] : progress.losses(stage))
        for (const LossPoint& point : points)
          losses += fmt::format("{} {} {};", point.step, point.train, point.validation);
    facts["losses"] = reported ? losses : kUnknown;
    const auto metrics = read_metrics(tasks, run / run_file::metrics);
    facts["scores"] = metrics ? metrics_text(*metrics) : "";
    return facts;
  }

  // Reads the folder after each change of the file: no other value may come of it.
  static void expect_noticed(const fs::path& folder, const fs::path& file, std::size_t count,
                             const std::function<Facts(const fs::path&)>& read) {
    const Facts whole = read(folder);
    const std::string text = read_file(file);
    std::ostringstream said;
    const auto before = spdlog::default_logger();
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(said)));
    for (const Change& change : changes_of(file, count)) {
      ++validated_;
      write_file(file, change.text);
      said.str("");
      try {
        const Facts facts = read(folder);
        if (!said.str().empty()) {
          ++reported_;
          continue;
        }
        for (const auto& [name, value] : facts)
          if (value != kUnknown) {
            const auto was = whole.find(name);
            EXPECT_TRUE(was != whole.end() && value == was->second)
                << change.what << " passes, and the " << name << " are other ones:\n"
                << value;
          }
      } catch (const Error&) {
        ++refused_;
      }
    }
    spdlog::set_default_logger(before);
    write_file(file, text);
  }
  static std::size_t count() { return long_tests() ? 120 : 16; }
  static fs::path copy(const std::string& of, const std::string& name) {
    fs::copy(*folder_ / of, *folder_ / name, fs::copy_options::recursive);
    return *folder_ / name;
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
  static inline std::size_t validated_ = 0, refused_ = 0, reported_ = 0;
};

TEST_F(DamagedFiles, OfAFinishedRunAreNoticed) {
  const fs::path run = copy("whole", "finished");
  for (const char* file : {run_file::config, run_file::events, run_file::metrics, run_file::estimator})
    expect_noticed(run, run / file, count(), facts_of_run);
}

TEST_F(DamagedFiles, OfAHalfFinishedRunAreNoticed) {
  const fs::path run = copy("half", "half-finished");
  for (const char* file : {run_file::config, run_file::events, run_file::pretrained})
    expect_noticed(run, run / file, count(), facts_of_run);
}

// What a run that goes on comes to is what it would have come to, where nothing refuses it or reports a change.
TEST_F(DamagedFiles, ARunGoesOnAsItBeganOrIsRefused) {
  const std::string weights = weights_checksum(*folder_ / "whole" / run_file::estimator);
  const fs::path run = copy("half", "going-on");
  ASSERT_EQ(resumed(run).at("weights"), weights);
  expect_noticed(run, run / run_file::config, long_tests() ? 60 : 4, resumed);
}

TEST_F(DamagedFiles, ARunThatWasStoppedInStage3GoesOnAsItBeganOrIsRefused) {
  const std::string weights = weights_checksum(*folder_ / "whole" / run_file::estimator);
  const fs::path run = copy("stopped", "going-on-in-3");
  ASSERT_EQ(resumed(run).at("weights"), weights);
  for (const char* file : {run_file::resume, run_file::cache, run_file::pretrained, run_file::config, run_file::events})
    expect_noticed(run, run / file, long_tests() ? 40 : 3, resumed);
}

TEST_F(DamagedFiles, AnotherFileInThePlaceOfTheWeightsIsRefused) {
  const fs::path run = copy("half", "swapped");
  write_file(run / run_file::estimator, read_file(run / run_file::pretrained));
  const Answer resumed = run_words({"run", "--resume", run.string()});
  EXPECT_EQ(resumed.code, 1);
  EXPECT_THAT(resumed.err, HasSubstr("holds the weights of stage 1, not of stage 3"));
  EXPECT_EQ(run_words({"evaluate", run.string()}).code, 1);
}

TEST_F(DamagedFiles, SettingsThatAreGoneAreNamed) {
  const fs::path run = copy("half", "lacking");
  const std::string text = read_file(run / run_file::config);
  const std::size_t table = text.find("[finetune]"), next = text.find("\n[", table);
  write_file(run / run_file::config, text.substr(0, table) + text.substr(next + 1));
  const Answer resumed = run_words({"run", "--resume", run.string()});
  EXPECT_EQ(resumed.code, 2);
  EXPECT_THAT(resumed.err, HasSubstr("settings that the run was made with are missing"));
  EXPECT_THAT(resumed.err, HasSubstr("finetune.epochs"));
}

TEST_F(DamagedFiles, ADamagedRecordIsToldWhereverItsNumbersAre) {
  const std::string run = copy("whole", "record").string(), other = copy("whole", "sound").string();
  const fs::path events = fs::path(run) / run_file::events;
  std::vector<std::string> lines = lines_of(read_file(events));
  std::string cut;
  for (std::size_t k = 0; k < lines.size() / 2; ++k) cut += lines[k];
  write_file(events, cut);
  EXPECT_THAT(run_words({"compare", other, run}).out,
              HasSubstr("is not known: its events.jsonl does not hold the end"));
  write_file(fs::path(run) / "x.csv", "x\n0.1\n0.4\n");
  const Answer asked = run_words({"infer", run, "--data", run + "/x.csv", "--out", run + "/s.csv"});
  EXPECT_THAT(asked.out + asked.err, HasSubstr("Whether record learned anything is not known"));
  const std::size_t sets = lines.front().find("\"steps\":");
  ASSERT_NE(sets, std::string::npos);
  lines.front()[sets + 8] = '7';
  write_file(events, joined(lines, lines.size()));
  EXPECT_THAT(run_words({"compare", other, run}).out, HasSubstr("is not known: its events.jsonl is damaged"));
  EXPECT_EQ(run_words({"figure", "loss", run, "--out", run + "/loss.svg"}).code, 1);
}

TEST_F(DamagedFiles, OfAStudyAreNoticed) {
  const fs::path study = *folder_ / "study";
  std::string text = "title = \"Mine\"\ntasks = [\"bump-hunt\"]\nstrategies = [\"pairs\"]\nseeds = [1, 2]\n[set]\n";
  const std::set<std::string> lists = {"embedder.layers", "cache.sizes", "cache.sets", "evaluate.sizes",
                                       "evaluate.sets"};
  const std::vector<std::string> tiny = tiny_settings();
  for (std::size_t k = 1; k < tiny.size(); k += 2) {
    const std::size_t equals = tiny[k].find('=');
    const std::string value = tiny[k].substr(equals + 1);
    text += fmt::format("{} = {}\n", tiny[k].substr(0, equals),
                        lists.contains(tiny[k].substr(0, equals)) ? "[" + value + "]" : value);
  }
  write_file(*folder_ / "study.toml", text + "device = \"cpu\"\nthreads = 1\n");
  const Answer made = run_words({"study", (*folder_ / "study.toml").string(), "--out", study.string()});
  ASSERT_EQ(made.code, 0) << made.err;
  // Maps the name of each finished run to its metrics.
  const auto read = [](const fs::path& folder) {
    const Tasks tasks = built_in_tasks();
    const std::vector<StudyRun> runs = runs_of_study(built_in_tasks(), "", folder);
    const std::vector<FoundRun> found = look_over(tasks, folder, runs);
    Claims claims(claims_folder(folder), 60);
    claims.scan();
    const std::vector<StudyStatus> status = study_status(folder, runs, claims);
    Facts facts;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      const bool done = status[k].state == StudyState::done && !found[k].scores_missing && found[k].damage.empty();
      if (!done) continue;  // it is made again
      const auto metrics = read_metrics(tasks, folder / runs[k].name / run_file::metrics);
      facts[runs[k].name] = metrics ? metrics_text(*metrics) : "";
    }
    return facts;
  };
  ASSERT_EQ(read(study).size(), 2u);
  expect_noticed(study, study / "study.toml", count(), read);
  for (const auto& claim : fs::directory_iterator(claims_folder(study)))
    expect_noticed(study, claim.path(), count() / 2, read);
  for (const auto& entry : fs::directory_iterator(study))
    if (fs::exists(entry.path() / run_file::config))
      for (const char* file : {run_file::config, run_file::metrics, run_file::estimator})
        expect_noticed(study, entry.path() / file, count() / 4, read);
}

TEST_F(DamagedFiles, OfAQueueAreNoticed) {
  const fs::path runs = *folder_ / "queued";
  fs::create_directories(runs);
  fs::copy(*folder_ / "half", runs / "a", fs::copy_options::recursive);
  const Queue queue(runs);
  QueueItem item = item_of(runs / "a");
  item.seconds = {12.5, 3, 40};
  item.processes = 3;
  const std::string id = queue.add(item);
  const auto read = [&](const fs::path&) {
    Facts facts;
    for (const QueueItem& one : queue.read().items)
      if (one.state != QueueState::failed)
        facts[one.id] = fmt::format("{} {} {} {}", one.folder.string(), one.processes, one.data,
                                    nlohmann::json(one.seconds).dump());
    return facts;
  };
  expect_noticed(runs, queue.folder() / (id + ".item"), count(), read);
  queue.move(id, 0);
  expect_noticed(runs, queue.folder() / "order", count() / 4, read);
}

TEST_F(DamagedFiles, OfASessionAreNoticed) {
  SavedSession session;
  session.task = "bump-hunt";
  session.question.run = (*folder_ / "whole").string();
  session.question.set.index = 12;
  session.question.set.theta = {0.25};
  session.question.set.psi = {1.5};
  session.question.n = 20;
  session.question.interval = IntervalKind::upper_limit;
  session.question.derived = {"twice = 2*theta"};
  session.question.pinned = {{"mine", session.question.run, session.question.set, 10}};
  write_session(*folder_ / "s.pairs", session);
  const auto read = [](const fs::path& folder) {
    const SavedSession read = read_session(folder / "s.pairs");
    Facts facts = {{"run", read.question.run},
                   {"n", std::to_string(read.question.n)},
                   {"set", std::to_string(read.question.set.index)}};
    facts["values"] = nlohmann::json({read.question.set.theta, read.question.set.psi}).dump();
    facts["interval"] = std::to_string(static_cast<int>(read.question.interval));
    facts["derived"] = nlohmann::json(read.question.derived).dump();
    for (const PinnedQuestion& pin : read.question.pinned)
      facts["pin"] += fmt::format("{} {} {}", pin.name, pin.run, pin.n);
    return facts;
  };
  expect_noticed(folder_->path(), *folder_ / "s.pairs", count(), read);
}

}  // namespace
}  // namespace pairs::batch
