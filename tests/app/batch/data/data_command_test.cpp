#include <gmock/gmock.h>

#include <fstream>

#include "app/batch/data/data_report.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Files *.pile of a folder, or one such file: a member a line, those that begin with "bad" set aside.
class Piles {
 public:
  DataSet set() {
    DataSet out{"Piles", "gaussian", "", "Piles are read line by line.", find};
    out.members = "stones";
    out.unique = false;
    out.account = [this](const std::string& folder, const Preparation& follow) {
      ++accounts;
      DataAccount account;
      std::ifstream file(find(folder).files[0].at);
      std::int64_t good = 0, number = 0;
      for (std::string line; std::getline(file, line); follow.progress("stones", ++number, 0))
        if (line.starts_with("bad"))
          account.set_aside.push_back(
              {fmt::format("line {}", number + 1), line, line == "bad 0" ? "it is hollow" : ""});
        else
          ++good;
      account.counts = {{"stones for stage 1", good - 1}, {"stones for tests", 1}};
      account.notes = {"Stones are weighed as they come."};
      return account;
    };
    return out;
  }
  static FoundData find(const std::string& folder) {
    FoundData out;
    const auto path = std::filesystem::path(folder);
    const auto at = path.extension() == ".pile" ? path : path / "stones.pile";
    const bool there = !folder.empty() && std::filesystem::exists(at);
    out.files = {{"stones.pile", there ? at.string() : ""}};
    if (!there)
      out.problem = "there is no pile";
    else
      out.source = at.filename().string();
    return out;
  }

  int accounts = 0;
};

class DataReport : public ::testing::Test {
 protected:
  std::string write(int kinds) {
    std::ofstream file(folder_ / "stones.pile");
    file << "a\nb\nc\n";
    for (int k = 0; k < kinds; ++k) file << "bad " << k << "\n";
    file << "bad 1\nbad 1\n";
    return folder_.path().string();
  }
  Result report(const DataQuestion& question) {
    return data_report(TaskCatalog({{.name = "gaussian",
                                     .make = [](const TaskOptions&) { return built_in_tasks()->make("gaussian"); },
                                     .data = piles_.set()}}),
                       question);
  }
  static nlohmann::json first(const Result& result) { return result.document.at("sets").at(0); }

  TemporaryFolder folder_;
  Piles piles_;
};

TEST_F(DataReport, IsQuickUnlessAskedToCheck) {
  const Result quick = report({.folder = write(3)});
  EXPECT_EQ(piles_.accounts, 0);
  EXPECT_THAT(quick.text, HasSubstr("stones.pile: stones not counted yet\n  --check"));
  const nlohmann::json set = first(quick);
  EXPECT_EQ(set.at("source"), "stones.pile");
  EXPECT_EQ(set.at("checked"), false);
  EXPECT_FALSE(set.contains("counts"));
  EXPECT_FALSE(set.contains("training_stones")) << "nobody has counted them";
  EXPECT_TRUE(set.at("usable").get<bool>());
}

TEST_F(DataReport, CheckedItCountsThePartsAndWhatIsSetAside) {
  const Result checked = report({.folder = write(3), .check = true});
  EXPECT_EQ(piles_.accounts, 1);
  const nlohmann::json set = first(checked);
  EXPECT_EQ(set.at("checked"), true);
  EXPECT_EQ(set.at("counts"), nlohmann::json::parse(R"([{"label": "stones for stage 1", "number": 2},
                                                        {"label": "stones for tests", "number": 1}])"));
  EXPECT_EQ(set.at("set_aside"), 5);
  ASSERT_EQ(set.at("reasons").size(), 3u);
  EXPECT_EQ(set.at("reasons")[0].at("reason"), "bad 1");
  EXPECT_EQ(set.at("reasons")[0].at("number"), 3);
  EXPECT_EQ(set.at("reasons")[0].at("first"), nlohmann::json({{"label", "line 5"}, {"why", "bad 1"}}));
  EXPECT_EQ(set.at("reasons")[1].at("first").at("why"), "it is hollow");
  EXPECT_EQ(set.at("notes")[0], "Stones are weighed as they come.");
  EXPECT_FALSE(set.contains("all_set_aside"));
  for (const char* part : {"stones for stage 1", "5 set aside", "bad 1", "line 5", "Stones are weighed", "--all names"})
    EXPECT_THAT(checked.text, HasSubstr(part));
}

TEST_F(DataReport, AllNamesEachThatIsSetAside) {
  const Result all = report({.folder = write(3), .check = true, .all = true});
  const nlohmann::json each = first(all).at("all_set_aside");
  ASSERT_EQ(each.size(), 5u);
  EXPECT_EQ(each[0], nlohmann::json({{"label", "line 4"}, {"why", "it is hollow"}}));
  EXPECT_EQ(each[4].at("label"), "line 8");
  for (const char* line : {"line 4: it is hollow\n", "line 7: bad 1\n", "line 8: bad 1\n"})
    EXPECT_THAT(all.text, HasSubstr(line));
  EXPECT_THAT(all.text, Not(HasSubstr("--all")));
}

TEST_F(DataReport, PrintsTheCommonestReasons) {
  const std::string text = report({.folder = write(14), .check = true}).text;
  EXPECT_THAT(text, HasSubstr("for 4 reasons more"));
  EXPECT_THAT(text, HasSubstr("bad 9"));
  EXPECT_THAT(text, Not(HasSubstr("bad 10")));
}

TEST_F(DataReport, TakesASingleFileAndSaysWhatIsMissing) {
  write(0);
  const std::string file = (folder_ / "stones.pile").string();
  const Result of_file = report({.folder = file});
  EXPECT_THAT(of_file.text, HasSubstr("Data file: " + file));
  EXPECT_EQ(of_file.document.at("folder"), file);
  EXPECT_EQ(first(of_file).at("files")[0].at("file"), file);
  std::filesystem::create_directory(folder_ / "empty");
  const Result missing = report({.folder = (folder_ / "empty").string(), .check = true});
  EXPECT_EQ(piles_.accounts, 0);
  EXPECT_THAT(missing.text, HasSubstr("Piles: not found; without --data the task gaussian runs on simulated"));
  EXPECT_EQ(first(missing).at("reason"), "there is no pile");
  EXPECT_EQ(first(missing).at("files")[0].at("found"), false);
  EXPECT_THROW(report({.folder = (folder_ / "gone").string()}), Error);
}

TEST(DataCommand, LeavesMnistAsItWas) {
  const TemporaryFolder folder;
  const Answer none = run_words({"data", "--data", folder.path().string()});
  EXPECT_EQ(none.code, 0);
  EXPECT_THAT(none.out, HasSubstr("MNIST: not found; without --data the task digits runs on generated digits"));
  EXPECT_THAT(none.out, HasSubstr("train-images-idx3-ubyte[.gz]"));
  write_file(folder / "train-images-idx3-ubyte", "x");
  EXPECT_THAT(run_words({"data", "--data", folder.path().string(), "--check"}).out,
              HasSubstr("MNIST: 3 of 4 files are missing; the task digits needs all of them in one folder"));
  const Answer json = run_words({"data", "--data", (folder / "train-images-idx3-ubyte").string(), "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  const nlohmann::json set = nlohmann::json::parse(json.out).at("sets").at(0);
  EXPECT_EQ(set.at("name"), "MNIST");
  EXPECT_EQ(set.at("files").size(), 4u);
  EXPECT_FALSE(set.at("usable").get<bool>());
  EXPECT_EQ(run_words({"data", "--data", (folder / "gone").string()}).code, 1);
  EXPECT_EQ(run_words({"data", "--all"}).code, 2) << "names what --check set aside";
}

TEST(DataCommand, ThePlanTellsWhatARunDrawsAndWhatToStore) {
  const Answer answer = run_words({"data", "bump-hunt", "--plan", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json document = nlohmann::json::parse(answer.out);
  EXPECT_EQ(document.at("draws").at(0).at("use"), "stage 1");
  EXPECT_EQ(document.at("draws").at(0).at("sets"), 15 * 200 * 1024);
  EXPECT_EQ(document.at("store").at(0).at("n"), 2);
  EXPECT_EQ(document.at("store").at(0).at("sets"), 15 * 200 * 1024 * 5 / 3);
  const nlohmann::json& stages = document.at("stages");
  ASSERT_EQ(stages.size(), 3u);
  EXPECT_EQ(stages[0].at("stage"), "pretrain");
  EXPECT_EQ(stages[0].at("steps"), 15 * 200);
  EXPECT_EQ(stages[0].at("epochs"), 15);
  EXPECT_GT(stages[0].at("gflop"), 0);
  EXPECT_EQ(stages[2].at("steps"), 30 * 200);
  const nlohmann::json alone =
      nlohmann::json::parse(run_words({"data", "bump-hunt", "--plan", "--json", "--strategy", "e2e"}).out);
  EXPECT_EQ(alone.at("stages").size(), 1u);
  EXPECT_THAT(document.at("expected").at("text").get<std::string>(), HasSubstr("pretrain"));
  EXPECT_GT(document.at("expected").at("seconds").get<double>(), 0);
  const Answer fewer = run_words({"data", "bump-hunt", "--plan", "--set", "pretrain.epochs=1", "--strategy", "n1"});
  ASSERT_EQ(fewer.code, 0) << fewer.err;
  EXPECT_THAT(fewer.out, HasSubstr("204,800"));
  EXPECT_THAT(fewer.out, HasSubstr("Of five stored sets three train"));
  EXPECT_EQ(run_words({"data", "--plan"}).code, 2);
  EXPECT_EQ(run_words({"data", "bump-hunt"}).code, 2);
  EXPECT_EQ(run_words({"data", "bump-hunt", "--plan", "--set", "no.key=1"}).code, 2);
}

}  // namespace
}  // namespace pairs::batch
