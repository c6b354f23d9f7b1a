#include "core/base/fields/renamed_keys.h"

#include <gtest/gtest.h>

namespace pairs {
namespace {

TEST(RenamedKeys, AreRenamedInTextsAndAllElseStays) {
  const std::string before =
      "# standardise = true, given, beside\r\n"
      "title = \"optimise\"  # optimise\n"
      "note = \"\"\"\nstandardise = true\n[[given]]\n\"\"\"\n"
      "beside = [\"runs/a\"]\n"
      "prior = \"beta(2, 8); learnt theta = normal(0, 1)\"\n"
      "about = \"learnt on two cores; learnt twice\"\n"
      "standardise = false\n"
      "embedder.neighbours = 32\n"
      "\"task.optimise\" = [\"true\", 'false']\n"
      "sets = [\n  [1, 2],\n  [3]\n]\n"
      "command = [\"sim.py\", \"a.optimise=1\", \"amortised\"]\n"
      "heads = \"amortised\"\n\"finetune.heads\" = [\n  \"amortised\",\n  'per-n' ]\n\n"
      "[[ given ]]  # of a set\nname = \"given\"\nset = { standardise = true }\n\n"
      "[simulations]\ngiven = \"given\"\nbeside = 1\n\n"
      "[[pinned]]\ngiven = \"t=2\"\nlists = [\n  [1],\n  [2]\n]\ngiven = \"t=3\"\n\n"
      "[reference]\n  normalised= true";
  const std::string now =
      "# standardise = true, given, beside\r\n"
      "title = \"optimise\"  # optimise\n"
      "note = \"\"\"\nstandardise = true\n[[given]]\n\"\"\"\n"
      "others = [\"runs/a\"]\n"
      "prior = \"beta(2, 8); training theta = normal(0, 1)\"\n"
      "about = \"learnt on two cores; learnt twice\"\n"
      "standardize = false\n"
      "embedder.neighbors = 32\n"
      "\"task.optimize\" = [\"true\", 'false']\n"
      "sets = [\n  [1, 2],\n  [3]\n]\n"
      "command = [\"sim.py\", \"a.optimise=1\", \"amortised\"]\n"
      "heads = \"amortized\"\n\"finetune.heads\" = [\n  \"amortized\",\n  'per-n' ]\n\n"
      "[[ conditions ]]  # of a set\nname = \"given\"\nset = { standardise = true }\n\n"
      "[simulations]\ngiven = \"given\"\nbeside = 1\n\n"
      "[[pinned]]\nconditions = \"t=2\"\nlists = [\n  [1],\n  [2]\n]\nconditions = \"t=3\"\n\n"
      "[reference]\n  normalized= true";
  EXPECT_EQ(with_present_keys(before), now);
  EXPECT_EQ(with_present_keys(now), now);
  EXPECT_EQ(with_present_keys(""), "");
  EXPECT_EQ(with_present_keys("\xEF\xBB\xBFstandardise = true"), "\xEF\xBB\xBFstandardize = true");
}

TEST(RenamedKeys, AreNamedForErrors) {
  EXPECT_EQ(present_key("estimator.standardise"), "estimator.standardize");
  EXPECT_EQ(present_key("given"), "conditions");
  EXPECT_EQ(present_key("simulations.given"), "");
  EXPECT_EQ(present_key("rate"), "");
  EXPECT_EQ(present_option("--given"), "--conditions");
  EXPECT_EQ(present_option("--n"), "");
  EXPECT_EQ(present_value("amortised"), "amortized");
  EXPECT_EQ(present_value("per-n"), "");
}

TEST(RenamedKeys, NameTheWordOfAnotherPrior) {
  EXPECT_EQ(earlier_prior_word("beta(2, 8); learnt theta = normal(0, 1)"), "learnt");
  EXPECT_EQ(earlier_prior_word("  learnt normal(0, 1)"), "learnt");
  for (const char* prior : {"", "beta(2, 8)", "training normal(0, 1)", "beta(2, 8);", "learnt", "x = learnt y"})
    EXPECT_EQ(earlier_prior_word(prior), "") << prior;
}

}  // namespace
}  // namespace pairs
