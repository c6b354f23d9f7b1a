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
      "standardise = false\n"
      "embedder.neighbours = 32\n"
      "\"task.optimise\" = [\"true\", 'false']\n"
      "sets = [\n  [1, 2],\n  [3]\n]\n"
      "set_ = [\"task.optimise=false\", \"finetune.heads = amortised\", \"as standardise = x\"]\n"
      "heads = \"amortised\"\n\n"
      "[[given]]  # of a set\nname = \"given\"\n\n"
      "[simulations]\ngiven = \"given\"\nbeside = 1\n\n"
      "[pinned.set]\ngiven = \"t=2\"\n\n"
      "[reference]\n  normalised= true";
  const std::string now =
      "# standardise = true, given, beside\r\n"
      "title = \"optimise\"  # optimise\n"
      "note = \"\"\"\nstandardise = true\n[[given]]\n\"\"\"\n"
      "others = [\"runs/a\"]\n"
      "standardize = false\n"
      "embedder.neighbors = 32\n"
      "\"task.optimize\" = [\"true\", 'false']\n"
      "sets = [\n  [1, 2],\n  [3]\n]\n"
      "set_ = [\"task.optimize=false\", \"finetune.heads = amortized\", \"as standardise = x\"]\n"
      "heads = \"amortized\"\n\n"
      "[[conditions]]  # of a set\nname = \"given\"\n\n"
      "[simulations]\ngiven = \"given\"\nbeside = 1\n\n"
      "[pinned.set]\nconditions = \"t=2\"\n\n"
      "[reference]\n  normalized= true";
  EXPECT_EQ(with_present_keys(before), now);
  EXPECT_EQ(with_present_keys(now), now);
  EXPECT_EQ(with_present_keys(""), "");
}

TEST(RenamedKeys, AreNamedForErrors) {
  EXPECT_EQ(present_key("estimator.standardise"), "estimator.standardize");
  EXPECT_EQ(present_key("given"), "conditions");
  EXPECT_EQ(present_key("simulations.given"), "");
  EXPECT_EQ(present_key("rate"), "");
  EXPECT_EQ(present_value("amortised"), "amortized");
  EXPECT_EQ(present_value("per-n"), "");
}

}  // namespace
}  // namespace pairs
