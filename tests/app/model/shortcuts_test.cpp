#include "app/model/shortcuts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

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
  EXPECT_EQ(actions.size(), static_cast<std::size_t>(Shortcut::help) + 1) << "every action has keys";
}

}  // namespace
}  // namespace pairs::model
