#include "core/report/fitted_name.h"

#include <gtest/gtest.h>

#include <set>

namespace pairs {
namespace {

// Room for so many characters.
std::function<bool(const std::string&)> room(std::size_t most) {
  return [most](const std::string& text) {
    std::size_t count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count <= most;
  };
}

TEST(FittedName, IsWholeWhereItFits) {
  EXPECT_EQ(fitted_name("bump-hunt-1", {"bump-hunt-2"}, room(11)), "bump-hunt-1");
}

TEST(FittedName, KeepsWhatTellsRunsApartWhereverThatIs) {
  const std::vector<std::vector<std::string>> lists = {
      {"bump-hunt-20261122-1530-pairs", "bump-hunt-20261122-1530-n1", "bump-hunt-20261122-1530-e2e"},
      {"bump-hunt-20261122-1530-pairs", "bump-hunt-20261121-1530-pairs"},
      {"bump-hunt-20261122-0930-pairs", "bump-hunt-20261122-1530-pairs", "bump-hunt-20261122-1531-pairs"},
      {"first-of-many-long-names", "other-of-many-long-names"},
      {"the-same-long-beginning-alpha-and-the-same-long-end", "the-same-long-beginning-omega-and-the-same-long-end",
       "the-same-long-beginning-omicron-and-the-same-long-end"},
      {"gauß-messung-nummer-eins-größer", "gauß-messung-nummer-zwei-größer"}};
  for (const auto& names : lists) {
    std::set<std::string> shown;
    for (const std::string& name : names) {
      const std::string cut = fitted_name(name, names, room(16));
      EXPECT_TRUE(room(16)(cut)) << cut;
      EXPECT_NE(cut.find("…"), cut.npos) << cut;
      shown.insert(cut);
    }
    EXPECT_EQ(shown.size(), names.size()) << *shown.begin();
  }
  EXPECT_EQ(fitted_name(lists[0][1], lists[0], room(20)), "bump-h…61122-1530-n1");
}

TEST(FittedName, TakesWhatRoomThereIs) {
  EXPECT_EQ(fitted_name("bump-hunt", {}, room(0)), "…");
  const std::string cut = fitted_name("bump-hunt-long-name", {"bump-hunt-long-name"}, room(8));
  EXPECT_TRUE(room(8)(cut));
  EXPECT_GE(cut.size(), 8u) << "names that are alike are cut all the same";
}

}  // namespace
}  // namespace pairs
