#include "app/model/files/typed_path.h"

#include <gtest/gtest.h>

#include "tests/app/model/environment.h"

namespace pairs::model {
namespace {

TEST(TypedPath, IsWhatAShellWouldMakeOfIt) {
  const Environment home("HOME", "/home/ada");
  EXPECT_EQ(typed_path("  ~/a b.csv\t"), "/home/ada/a b.csv");
  EXPECT_EQ(typed_path("~"), "/home/ada");
  EXPECT_EQ(typed_path("~ada/x"), "~ada/x");
  EXPECT_EQ(typed_path("  "), "");
}

TEST(TypedPath, HasAFolderAndABeginning) {
  const Environment home("HOME", "/home/ada");
  EXPECT_EQ(typed_parts(" ~/runs/fi").folder, "~/runs/");
  EXPECT_EQ(typed_parts(" ~/runs/fi").name, "fi");
  EXPECT_EQ(typed_parts(" ~/runs/fi").place(), "/home/ada/runs/");
  EXPECT_EQ(typed_parts("/").folder, "/");
  EXPECT_EQ(typed_parts("name").folder, "");
  EXPECT_EQ(typed_parts("name").place(), std::filesystem::current_path());
  EXPECT_EQ(typed_parts("").name, "");
}

TEST(TypedPath, IsCompletedAsFarAsItIsClear) {
  const std::vector<std::string> names = {"plot-1.svg", "plot-2.svg", "Plans/", "über", "übel"};
  EXPECT_EQ(completed("plo", names), "plot-");
  EXPECT_EQ(completed("plot-2", names), "plot-2.svg");
  EXPECT_EQ(completed("Pl", names), "Plans/") << "as it was typed goes before";
  EXPECT_EQ(completed("pla", names), "Plans/") << "in upper or lower case";
  EXPECT_EQ(completed("none", names), "none");
  EXPECT_EQ(completed("ü", names), "übe");
  EXPECT_EQ(completed("", {"é", "è"}), "") << "no half of a character";
}

}  // namespace
}  // namespace pairs::model
