// Files of an earlier version: a run, a session and a custom task.
#include <gmock/gmock.h>

#include "app/posterior/validation/external_validation_file.h"
#include "app/session/session.h"
#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/train/events/events.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/app/batch/action.h"
#include "tests/app/model/small_run.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Settings as earlier versions wrote them.
std::string former(std::string text) {
  for (const auto& [now, before] : {std::pair("standardize =", "standardise ="),
                                    {"neighbors =", "neighbours ="},
                                    {"optimize =", "optimise ="},
                                    {"\"amortized\"", "\"amortised\""}})
    text = replaced(std::move(text), now, before);
  return text;
}

class Convert : public ::testing::Test {
 protected:
  Convert() {
    run_ = model::small_run(folder_.path(), "run", "gaussian", 1, "pairs", {}, built_in_tasks());
    now_ = contents();
    write_file(fs::path(run_) / "run.toml", former(read_file(fs::path(run_) / "run.toml")));
    for (const char* name : {"estimator.safetensors", "pretrained.safetensors"}) {
      TensorFile content = read_safetensors(fs::path(run_) / name);
      for (auto& [key, value] : content.metadata) value = former(value);
      write_safetensors(fs::path(run_) / name, content);
    }
    before_ = contents();
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> out;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) out[fs::relative(entry.path(), folder_.path()).string()] = read_file(entry.path());
    return out;
  }
  Acted convert(std::vector<std::string> words) const { return act(add_convert, words, built_in_tasks()); }

  TemporaryFolder folder_;
  std::string run_;
  std::map<std::string, std::string> now_, before_;
};

TEST_F(Convert, ARunIsAsItWouldBeWrittenNowAndItsWeightsKeepTheirChecksum) {
  ASSERT_NE(before_, now_);
  EXPECT_THROW(load_run(built_in_tasks(), run_, "", "cpu"), Error);
  const std::string weights = weights_checksum(fs::path(run_) / "estimator.safetensors");
  const Acted dry = convert({folder_.path().string(), "--dry-run"});
  ASSERT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(dry.document["files"].size(), 3);
  EXPECT_EQ(contents(), before_);
  const Acted done = convert({folder_.path().string()});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.document["files"], dry.document["files"]);
  EXPECT_EQ(weights_checksum(fs::path(run_) / "estimator.safetensors"), weights);
  for (const auto& [name, bytes] : contents()) {
    if (!name.ends_with(".safetensors")) {
      EXPECT_EQ(bytes, now_.at(name)) << name;
      continue;
    }
    TensorFile content = parse_safetensors(bytes, name);
    content.metadata.erase(kWeightsChecksum);
    EXPECT_EQ(format_safetensors(content, name), now_.at(name)) << name;
  }
  EXPECT_NO_THROW(load_run(built_in_tasks(), run_, "", "cpu"));
  EXPECT_THAT(convert({folder_.path().string()}).text, HasSubstr("Nothing to convert"));
}

TEST_F(Convert, ADamagedFileStaysAndIsReported) {
  std::string log = read_file(fs::path(run_) / "events.jsonl");
  log[log.size() / 2] ^= 1;
  write_file(fs::path(run_) / "events.jsonl", log);
  const Acted done = convert({run_});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, HasSubstr("events.jsonl is damaged"));
  EXPECT_EQ(done.document["problems"].size(), 1);
  EXPECT_EQ(read_file(fs::path(run_) / "events.jsonl"), log);
  EXPECT_EQ(read_file(fs::path(run_) / "run.toml"), now_.at("run/run.toml"));
  EXPECT_NO_THROW(load_run(built_in_tasks(), run_, "", "cpu"));
}

// A process that was killed between writing a file under its new name and removing the old one.
TEST_F(Convert, AStoppedConversionIsFinished) {
  write_file(fs::path(run_) / "tried-values.npz", "bytes");
  write_file(fs::path(run_) / "external-validation-values.npz", "bytes");
  fs::permissions(fs::path(run_) / "run.toml", fs::perms::owner_read | fs::perms::owner_write);
  const Acted done = convert({run_});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_FALSE(fs::exists(fs::path(run_) / "tried-values.npz"));
  EXPECT_EQ(read_file(fs::path(run_) / "external-validation-values.npz"), "bytes");
  EXPECT_EQ(fs::status(fs::path(run_) / "run.toml").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  write_file(fs::path(run_) / "tried-values.npz", "others");
  EXPECT_EQ(convert({run_}).code, 1);
  EXPECT_EQ(read_file(fs::path(run_) / "tried-values.npz"), "others");
}

// A study finds its runs by their names, of which a varied setting is a part.
TEST_F(Convert, RunsOfStudiesGetTheNamesThatTheirStudyLooksFor) {
  fs::rename(run_, folder_ / "gaussian-pairs-standardisetrue-s1");
  const Acted done = convert({folder_.path().string()});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(fs::exists(folder_ / "gaussian-pairs-standardizetrue-s1/run.toml"));
  EXPECT_FALSE(fs::exists(folder_ / "gaussian-pairs-standardisetrue-s1"));
}

TEST_F(Convert, ARunAtWorkIsRefused) {
  const FolderLock lock(run_);
  EXPECT_NE(convert({run_}).code, 0);
  EXPECT_EQ(contents(), before_);
}

TEST_F(Convert, LogsKeepTheChainOfTheirChecksums) {
  Event event;
  event.type = EventType::loss;
  event.values = {{"train", 1.5}, {"learnt_nothing", true}};
  const std::string text = log_text({event, event, event});
  const std::string now = changed_log(text, "log", [](std::string line) {
    return replaced(std::move(line), "\"learnt_nothing\":", "\"learned_nothing\":");
  });
  event.values = {{"train", 1.5}, {"learned_nothing", true}};
  EXPECT_EQ(now, log_text({event, event, event}));
  EXPECT_EQ(changed_log(text, "log", [](std::string line) { return line; }), text);
  EXPECT_THROW(changed_log(replaced(text, "1.5", "1.6"), "log", [](std::string line) { return line; }), Error);
}

TEST_F(Convert, SessionsKeepTheirSeal) {
  SavedSession session;
  session.task = "gaussian";
  session.question.set.given = "t=2";
  session.question.others = {"runs/b"};
  const fs::path file = folder_ / "a.pairs";
  write_session(file, session);
  const std::string now = read_file(file);
  const std::string before = changed_session(now, file, [](const std::string& text) {
    return replaced(replaced(text, "conditions =", "given ="), "others =", "beside =");
  });
  ASSERT_NE(before, now);
  write_file(file, before);
  EXPECT_THROW(read_session(file), Error);
  const Acted done = convert({file.string()});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(read_file(file), now);
  write_file(file, replaced(before, "t=2", "t=3"));
  EXPECT_NE(convert({file.string()}).code, 0);
  EXPECT_EQ(read_file(file), replaced(before, "t=2", "t=3"));
}

TEST_F(Convert, ExternalValidationGetsItsNameKeysAndChecksum) {
  nlohmann::json kind = {{"kind", "charged molecule, unlike training"},
                         {"missed_99_and_told", 1},
                         {"missed_99_and_unlike_training", 2},
                         {"unlike_training", 3}};
  nlohmann::json before = {{"kinds", {kind}}, {"learnt_from", "elsewhere"}};
  before["check"] = fmt::format("{:08x}", checksum(before.dump()));
  const fs::path old = fs::path(run_) / "tried.json", now = fs::path(run_) / "external-validation.json";
  std::string damaged = before.dump(2);
  damaged.replace(damaged.find("elsewhere"), 4, "some");
  write_file(old, damaged);
  const Acted refused = convert({run_});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("does not fit its checksum"));
  EXPECT_EQ(read_file(old), damaged);
  write_file(old, before.dump(2));
  write_file(fs::path(run_) / "tried-parts.npz", "bytes");
  ASSERT_EQ(convert({run_}).code, 0);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_EQ(read_file(fs::path(run_) / "external-validation-parts.npz"), "bytes");
  nlohmann::json after = nlohmann::json::parse(read_file(now));
  const std::string check = after["check"];
  after.erase("check");
  EXPECT_EQ(check, fmt::format("{:08x}", checksum(after.dump())));
  EXPECT_EQ(after, (nlohmann::json{{"kinds",
                                    {{{"kind", "charged molecule, out of distribution"},
                                      {"missed_99_and_disagreed", 1},
                                      {"missed_99_and_out_of_distribution", 2},
                                      {"out_of_distribution", 3}}}},
                                   {"learned_from", "elsewhere"}}));
}

TEST_F(Convert, OtherFilesAreRefusedOrLeftAlone) {
  write_file(folder_ / "pyproject.toml", "standardise = 1\n");
  write_file(folder_ / "notes.txt", "standardise\n");
  EXPECT_THAT(convert({(folder_ / "notes.txt").string()}).err, HasSubstr("is no file that is converted"));
  EXPECT_THAT(convert({(folder_ / "missing").string()}).err, HasSubstr("does not exist"));
  write_file(folder_ / "task.toml", "standardise = \n");
  EXPECT_THAT(convert({(folder_ / "task.toml").string()}).err, HasSubstr("TOML"));
  EXPECT_EQ(convert({folder_.path().string()}).code, 1) << "and the run is converted";
  EXPECT_EQ(read_file(fs::path(run_) / "run.toml"), now_.at("run/run.toml"));
  fs::remove(folder_ / "task.toml");
  ASSERT_EQ(convert({folder_.path().string()}).code, 0);
  EXPECT_EQ(read_file(folder_ / "pyproject.toml"), "standardise = 1\n");
}

}  // namespace
}  // namespace pairs::batch
