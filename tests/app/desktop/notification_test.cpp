#include "app/desktop/notification.h"

#include <gtest/gtest.h>

#include "tests/app/desktop/mock_notifications.h"
#include "tests/app/desktop/private_bus.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

TEST(Notification, IsShownByTheDesktop) {
  const TemporaryFolder folder;
  const model::PrivateBus bus(folder.path());
  const MockNotifications desktop;
  EXPECT_TRUE(notify_desktop("The queue is done", "2 done & <b>1</b> failed\xff"));
  const auto shown = desktop.shown();
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].program, "Pairs Studio");
  EXPECT_EQ(shown[0].icon, "pairs-studio");
  EXPECT_EQ(shown[0].title, "The queue is done");
  EXPECT_EQ(shown[0].text, "2 done &amp; &lt;b&gt;1&lt;/b&gt; failed\\xff");
}

TEST(Notification, IsSilentWhereNobodyShowsIt) {
  const TemporaryFolder folder;
  {
    const model::PrivateBus bus(folder.path());  // without anybody who shows notifications
    EXPECT_FALSE(notify_desktop("Title", "Text"));
  }
  const model::Environment none("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + (folder / "no-bus").string());
  EXPECT_FALSE(notify_desktop("Title", "Text"));
}

}  // namespace
}  // namespace pairs
