#include "app/model/shortcuts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "app/model/navigation.h"

namespace pairs::model {
namespace {

TEST(Shortcuts, EachOnceAndNoTwoOnTheSameKeys) {
  std::set<Shortcut> actions;
  std::set<std::pair<Key, bool>> keys;
  std::set<std::string> texts;
  for (const ShortcutEntry& one : shortcuts()) {
    EXPECT_TRUE(actions.insert(one.shortcut).second) << one.keys;
    EXPECT_TRUE(keys.insert({one.key, one.control}).second) << one.keys;
    EXPECT_TRUE(texts.insert(one.keys).second) << one.keys;
    EXPECT_EQ(std::string(one.keys).starts_with("Ctrl+"), one.control) << one.keys;
    EXPECT_EQ(&entry(one.shortcut), &one);
  }
  for (int one = 0; one <= static_cast<int>(Shortcut::help); ++one) {
    const int tab = one - static_cast<int>(Shortcut::tab_first);
    const bool free = tab >= tab_count && one <= static_cast<int>(Shortcut::tab_last);  // for tabs that may come
    EXPECT_NE(actions.contains(static_cast<Shortcut>(one)), free) << one;
  }
}

}  // namespace
}  // namespace pairs::model
