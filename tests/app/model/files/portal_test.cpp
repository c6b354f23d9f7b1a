#include "app/model/files/portal.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <memory>

#include "core/base/files/descriptor.h"
#include "tests/app/model/files/mock_portal.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

using testing::HasSubstr;

bool until(const std::function<bool()>& done, double seconds = 120) {
  const Stopwatch watch;
  while (!done()) {
    if (watch.seconds() > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

class PortalTest : public ::testing::Test {
 protected:
  Portal& portal() {
    if (!portal_) portal_ = std::make_unique<Portal>([this] { ++woken_; });
    return *portal_;
  }
  bool there() {
    portal().look();
    return until([&] { return !portal().looking(); }) && portal().there();
  }
  std::optional<Portal::Answer> answer_to(std::uint64_t number) {
    std::optional<Portal::Answer> answer;
    until([&] { return (answer = portal().take(number)).has_value(); });
    return answer;
  }

  TemporaryFolder folder_;
  std::atomic<int> woken_{0};
  std::unique_ptr<Portal> portal_;
};

TEST_F(PortalTest, ThereIsNoneWithoutABus) {
  const Environment none("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + (folder_ / "nobody").string());
  const Stopwatch watch;
  EXPECT_FALSE(there());
  EXPECT_LT(watch.seconds(), 2);
  const auto answer = answer_to(portal().ask({}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, Portal::End::failed);
  EXPECT_THAT(answer->problem, HasSubstr("There is no session bus"));
}

// A bus that accepts connections and never replies.
TEST_F(PortalTest, NobodyWaitsForABusThatIsSilent) {
  const std::string path = (folder_ / "silent").string();
  const Descriptor listens(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listens, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listens, 5), 0);
  const Environment silent("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + path);
  portal().look();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const Stopwatch watch;
  EXPECT_TRUE(portal().looking());
  EXPECT_FALSE(portal().there());
  portal_.reset();
  EXPECT_LT(watch.seconds(), 1) << "the window can end meanwhile";
}

TEST_F(PortalTest, ABusWithoutAPortalHasNone) {
  const PrivateBus bus(folder_.path());
  EXPECT_FALSE(there());
}

TEST_F(PortalTest, OpensAFile) {
  const PrivateBus bus(folder_.path());
  MockPortal desktop;
  ASSERT_TRUE(there());
  Portal::Question question;
  question.title = "Open an observed set";
  question.accept = "Open";
  question.start = folder_.path();
  question.filters = {{"Observations", {".csv", ".npz"}}, {"All files", {}}};
  question.window = "x11:1f";
  const auto number = portal().ask(question);
  ASSERT_TRUE(until([&] { return desktop.calls() == 1; }));
  const MockPortal::Call call = desktop.call(0);
  EXPECT_EQ(call.method, "OpenFile");
  EXPECT_EQ(call.title, question.title);
  EXPECT_EQ(call.window, "x11:1f");
  EXPECT_EQ(call.options.at("accept_label"), "Open");
  EXPECT_EQ(call.options.at("multiple"), "false");
  EXPECT_FALSE(call.options.contains("directory"));
  EXPECT_EQ(call.options.at("current_folder"), folder_.path().string());
  EXPECT_EQ(call.options.at("filters"), "Observations:*.[cC][sS][vV],*.[nN][pP][zZ],;All files:*,;");
  EXPECT_FALSE(portal().take(number)) << "nobody has answered";
  const int before = woken_;
  desktop.respond(0, {"file:///tmp/a%20b%C3%A9.csv"});
  const auto answer = answer_to(number);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, Portal::End::chosen);
  EXPECT_EQ(answer->path, "/tmp/a bé.csv");
  EXPECT_GT(woken_, before);
  EXPECT_FALSE(portal().take(number)) << "once";
}

TEST_F(PortalTest, SavesUnderANameAndChoosesFolders) {
  const PrivateBus bus(folder_.path());
  MockPortal desktop;
  Portal::Question save;
  save.save = true;
  save.name = "plot.svg";
  auto number = portal().ask(save);
  ASSERT_TRUE(until([&] { return desktop.calls() == 1; }));
  EXPECT_EQ(desktop.call(0).method, "SaveFile");
  EXPECT_EQ(desktop.call(0).options.at("current_name"), "plot.svg");
  desktop.respond(0, {"file://localhost/tmp/other.svg"});
  ASSERT_EQ(answer_to(number)->path, "/tmp/other.svg");
  Portal::Question folder;
  folder.folder = true;
  number = portal().ask(folder);
  ASSERT_TRUE(until([&] { return desktop.calls() == 2; }));
  EXPECT_EQ(desktop.call(1).options.at("directory"), "true");
  desktop.respond(0, {"file:///tmp"});
  EXPECT_EQ(answer_to(number)->path, "/tmp");
}

TEST_F(PortalTest, TellsHowItEndedOtherwise) {
  const PrivateBus bus(folder_.path());
  auto desktop = std::make_unique<MockPortal>();
  ASSERT_TRUE(there());
  const auto asked = [&] {
    const std::size_t before = desktop->calls();
    const auto number = portal().ask({});
    EXPECT_TRUE(until([&] { return desktop->calls() == before + 1; }));
    return number;
  };
  auto number = asked();
  desktop->respond(1, {});
  EXPECT_EQ(answer_to(number)->end, Portal::End::canceled);
  number = asked();
  desktop->respond(0, {"sftp://elsewhere/file.csv"});
  auto answer = answer_to(number);
  EXPECT_EQ(answer->end, Portal::End::failed);
  EXPECT_THAT(answer->problem, HasSubstr("sftp://elsewhere/file.csv is no file of this machine"));
  number = asked();
  desktop->respond(2, {});
  EXPECT_EQ(answer_to(number)->end, Portal::End::failed);
  // It ends while its dialog is open.
  number = asked();
  desktop.reset();
  answer = answer_to(number);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, Portal::End::failed);
  EXPECT_THAT(answer->problem, HasSubstr("has ended"));
  EXPECT_TRUE(until([&] { return !portal().looking() && !portal().there(); })) << "there is none any more";
}

TEST_F(PortalTest, ABusThatEndsIsNoAnswer) {
  PrivateBus bus(folder_.path());
  MockPortal desktop;
  const auto number = portal().ask({});
  ASSERT_TRUE(until([&] { return desktop.calls() == 1; }));
  bus.end();
  const auto answer = answer_to(number);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, Portal::End::failed);
}

TEST_F(PortalTest, ADialogThatNobodyWantsIsClosed) {
  const PrivateBus bus(folder_.path());
  MockPortal desktop;
  auto number = portal().ask({});
  ASSERT_TRUE(until([&] { return desktop.calls() == 1; }));
  portal().withdraw(number);
  EXPECT_TRUE(until([&] { return desktop.closed() == 1; }));
  // Another question takes its place; the window ends with that open.
  number = portal().ask({});
  ASSERT_TRUE(until([&] { return desktop.calls() == 2; }));
  portal().ask({});
  ASSERT_TRUE(until([&] { return desktop.calls() == 3; }));
  EXPECT_EQ(desktop.closed(), 2);
  EXPECT_FALSE(portal().take(number));
  const Stopwatch watch;
  portal_.reset();
  EXPECT_LT(watch.seconds(), 2);
  EXPECT_TRUE(until([&] { return desktop.closed() == 3; }));
}

TEST(PathOfAddress, TakesFilesOfThisMachine) {
  EXPECT_EQ(path_of_address("file:///a/b"), "/a/b");
  EXPECT_EQ(path_of_address("file://localhost/a%25b"), "/a%b");
  for (const char* wrong :
       {"", "/a", "http://a/b", "file://host/a", "file:///a%", "file:///a%0", "file:///a%zz", "file:///a%00b"})
    EXPECT_FALSE(path_of_address(wrong)) << wrong;
}

}  // namespace
}  // namespace pairs::model
