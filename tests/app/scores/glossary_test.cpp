#include "app/scores/glossary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace pairs {
namespace {

TEST(Glossary, HoldsEachTermOnce) {
  std::set<std::string> names;
  for (const Term& term : glossary()) {
    EXPECT_TRUE(names.insert(term.name).second) << term.name;
    EXPECT_EQ(find_term(term.name), &term);
    EXPECT_EQ(std::string(term.sentence).back(), '.') << term.name;
  }
}

TEST(Glossary, GivesTheEquationsThatPeopleAskFor) {
  for (const char* name : {"KL", "gap", "RMAE", "ACAUC", "rank", "naive product", "per-event classifier", "exact",
                           "location z", "width z", "rank p", "coverage", "NLL"})
    EXPECT_FALSE(equation(name).empty()) << name;
}

TEST(Glossary, KnowsHeadingsWithUnitsAndRemarks) {
  EXPECT_STREQ(find_term("gap / nat")->name, "gap");
  EXPECT_STREQ(find_term("KL / nat")->name, "KL");
  EXPECT_STREQ(find_term("ACAUC (noise)")->name, "ACAUC");
  EXPECT_STREQ(find_term("noise, 95 %: PAIRS")->name, "noise");
  EXPECT_STREQ(find_term("calibrated, 95 %")->name, "calibrated");
  EXPECT_STREQ(find_term("simulated, 5 to 95 %")->name, "simulated");
  EXPECT_EQ(find_term("bump-hunt-1"), nullptr);
  EXPECT_EQ(find_term(""), nullptr);
}

// docs/reference/metrics.md speaks of the same terms, and of the divergence in the same direction: exact first.
TEST(Glossary, AgreesWithTheDocumentation) {
  std::ifstream file(std::string(PAIRS_SOURCE_DIR) + "/docs/reference/metrics.md");
  std::string page((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(page.empty());
  std::replace(page.begin(), page.end(), '\n', ' ');
  for (const char* term : {"*Exact*", "*naive product*", "*per-event classifier*", "ACAUC", "\"Gap\""})
    EXPECT_NE(page.find(term), std::string::npos) << term;
  EXPECT_NE(page.find("KL(exact ‖ shown)"), std::string::npos);
  EXPECT_EQ(equation("KL").substr(0, std::string("KL(p ‖ q)").size()), "KL(p ‖ q)");
  EXPECT_NE(page.find("mean of log exact density minus log ours"), std::string::npos);
  EXPECT_NE(equation("gap").find("mean of log p(θ | X) − log q(θ | X)"), std::string::npos);
}

}  // namespace
}  // namespace pairs
