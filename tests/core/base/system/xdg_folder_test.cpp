#include "core/base/system/xdg_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/base/system/caches.h"

namespace pairs {
namespace {

// Sets a variable, or takes it away, and puts it back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before, was_ = true;
    value ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~Variable() { was_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool was_ = false;
};

TEST(XdgFolder, IsTheVariablesOrBelowHome) {
  const Variable home("HOME", "/home/someone");
  {
    const Variable own("XDG_STATE_HOME", "/var/mine");
    EXPECT_EQ(xdg_folder("XDG_STATE_HOME", ".local/state"), "/var/mine");
  }
  for (const char* value : {"", "relative"}) {
    const Variable own("XDG_STATE_HOME", value);
    EXPECT_EQ(xdg_folder("XDG_STATE_HOME", ".local/state"), "/home/someone/.local/state") << value;
  }
}

TEST(XdgFolder, HomeIsWhatTheSystemKnowsWhereTheVariableIsNone) {
  for (const char* value : {static_cast<const char*>(nullptr), "", "here"}) {
    const Variable home("HOME", value);
    EXPECT_TRUE(home_folder().empty() || home_folder().is_absolute());
    EXPECT_NE(home_folder(), "here");
  }
}

TEST(XdgFolder, CachesLieThere) {
  const Variable home("HOME", "/home/someone"), own("PAIRS_CACHE", nullptr);
  {
    const Variable cache("XDG_CACHE_HOME", "/var/cache/mine");
    EXPECT_EQ(caches_folder(), "/var/cache/mine/pairs-studio");
  }
  const Variable cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(caches_folder(), "/home/someone/.cache/pairs-studio");
  const Variable named("PAIRS_CACHE", "/scratch");
  EXPECT_EQ(caches_folder(), "/scratch");
}

}  // namespace
}  // namespace pairs
