#include "app/model/compare/run_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/base/text/error.h"

namespace pairs::model {
namespace {

using testing::HasSubstr;
using Fit = RunFilter::Fit;

const std::vector<std::string> kKeys = {"name", "note", "tags", "strategy",       "preset",         "gap",
                                        "cost", "seed", "nll",  "pretrain.batch", "finetune.batch", "embedder.size"};

const std::map<std::string, RunValue> kRun = {{"name", {"Bump first"}},
                                              {"note", {"a wide prior"}},
                                              {"tags", {"paper, late"}},
                                              {"strategy", {"n1"}},
                                              {"preset", {"small"}},
                                              {"gap", {"–"}},
                                              {"nll", {"−1.204 ± 0.010", -1.204, 0.01}},
                                              {"cost", {"2.5 TFLOP", 2500}},
                                              {"seed", {"2", 2}},
                                              {"pretrain.batch", {"64", 64}},
                                              {"embedder.size", {"8", 8}}};

Fit fit(const std::string& text) {
  return RunFilter(text, kKeys).fits([](const std::string& key) {
    const auto found = kRun.find(key);
    return found == kRun.end() ? RunValue{"–"} : found->second;
  });
}

TEST(RunFilter, ComparesNumbers) {
  EXPECT_EQ(fit("nll<-1.2"), Fit::yes);
  EXPECT_EQ(fit("nll>-1.2"), Fit::no);
  EXPECT_EQ(fit("cost>=2500 cost<=2500 cost=2.5e3"), Fit::yes);
  EXPECT_EQ(fit("cost<2500"), Fit::no);
  EXPECT_EQ(fit("seed!=2"), Fit::no);
  EXPECT_EQ(fit("seed=1,2,3"), Fit::yes);
  EXPECT_EQ(fit("seed=02"), Fit::yes) << "the number, not the letters";
}

TEST(RunFilter, ComparesWordsWithoutCapitals) {
  EXPECT_EQ(fit("strategy=pairs,N1 preset=Small"), Fit::yes);
  EXPECT_EQ(fit("strategy=n"), Fit::no) << "the whole word";
  EXPECT_EQ(fit("strategy!=pairs"), Fit::yes);
  EXPECT_EQ(fit("name=bump*"), Fit::yes);
  EXPECT_EQ(fit("name=*first name=b*f*t"), Fit::yes);
  EXPECT_EQ(fit("name=bump"), Fit::no);
  EXPECT_EQ(fit("note:prior"), Fit::yes);
  EXPECT_EQ(fit("note:\"wide pri\""), Fit::yes);
}

TEST(RunFilter, FindsTextTagsAndTheirContrary) {
  EXPECT_EQ(fit("wide"), Fit::yes);
  EXPECT_EQ(fit("\"wide prior\" BUMP late"), Fit::yes);
  EXPECT_EQ(fit("small"), Fit::no) << "a preset is no text of the run";
  EXPECT_EQ(fit("tag:paper tag=LATE"), Fit::yes);
  EXPECT_EQ(fit("tag:pap"), Fit::no);
  EXPECT_EQ(fit("tag:pap*"), Fit::yes);
  EXPECT_EQ(fit("-tag:paper"), Fit::no);
  EXPECT_EQ(fit("-wide"), Fit::no);
  EXPECT_EQ(fit("-nowhere -\"other words\""), Fit::yes);
  EXPECT_EQ(fit(""), Fit::yes);
  EXPECT_EQ(fit("  "), Fit::yes);
}

TEST(RunFilter, TellsRunsThatLackAValue) {
  EXPECT_EQ(fit("gap<0.02"), Fit::lacks);
  EXPECT_EQ(fit("gap=0.02"), Fit::lacks);
  EXPECT_EQ(fit("gap!=0.02"), Fit::yes);
  EXPECT_EQ(fit("strategy<3"), Fit::lacks) << "a word is no number";
  EXPECT_EQ(fit("gap<0.02 strategy=pairs"), Fit::no) << "it does not fit for another reason, too";
}

TEST(RunFilter, TakesTheLastPartOfAKey) {
  EXPECT_EQ(fit("size=8"), Fit::yes);
  EXPECT_EQ(fit("pretrain.batch=64"), Fit::yes);
  EXPECT_EQ(RunFilter("size>4 tag:x text", kKeys).keys(), (std::vector<std::string>{"embedder.size", "tags"}));
}

TEST(RunFilter, SaysWhatIsWrong) {
  const auto problem = [](const std::string& text) { return filter_problem(text, kKeys); };
  EXPECT_THAT(problem("gaap<0.02"), testing::AllOf(HasSubstr("gaap<0.02"), HasSubstr("did you mean gap?")));
  EXPECT_THAT(problem("elsewhere=1"), HasSubstr("no column or setting elsewhere"));
  EXPECT_THAT(problem("batch=64"), HasSubstr("pretrain.batch or finetune.batch; write the whole key"));
  EXPECT_THAT(problem("gap<low"), HasSubstr("low is no number"));
  EXPECT_THAT(problem("gap<"), HasSubstr("nothing after <"));
  EXPECT_THAT(problem("=3"), HasSubstr("nothing before ="));
  EXPECT_THAT(problem("gap<1<2"), HasSubstr("compares twice"));
  EXPECT_THAT(problem("gap!3"), HasSubstr("write !="));
  EXPECT_THAT(problem("\"open"), HasSubstr("quote without an end"));
  EXPECT_THAT(problem("gap<nan"), HasSubstr("nan is no number"));
  EXPECT_THAT(problem(std::string(1001, 'x')), HasSubstr("longer than 1000 bytes"));
  EXPECT_EQ(problem("gap<0.02 preset=small tag:paper strategy=pairs,n1 text"), "");
  EXPECT_THROW(RunFilter("gap<", kKeys), Error);
}

// A pattern of many stars ends all the same.
TEST(RunFilter, ManyStarsTakeNoTime) {
  std::string stars;
  for (int i = 0; i < 40; ++i) stars += "*a";
  EXPECT_EQ(fit("name=" + stars + "b"), Fit::no);
}

}  // namespace
}  // namespace pairs::model
