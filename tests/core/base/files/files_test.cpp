#include "core/base/files/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "core/base/files/scratch_folder.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Lets files grow to `bytes` at most while it lives: writes beyond fail as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(Files, WritesReadsAndReplaces) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\n", 4);
  write_file(folder / "x", bytes);
  EXPECT_EQ(read_file(folder / "x"), bytes);
  write_file(folder / "x", "");
  EXPECT_EQ(read_file(folder / "x"), "");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Files, WritesIntoTheCurrentFolder) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("plain-name", "x");
  fs::current_path(before);
  EXPECT_EQ(read_file(folder / "plain-name"), "x");
}

TEST(Files, RefusesPipesAndDevicesAtOnce) {
  const TemporaryFolder folder;
  const std::string name = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  EXPECT_THAT(message_of([&] { read_file(name); }), HasSubstr("pipe or a device"));
  EXPECT_THAT(message_of([&] { read_file("/dev/zero"); }), HasSubstr("pipe or a device"));
}

TEST(Files, ChecksThatAFileCanBeWrittenAndLeavesNothing) {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  check_writable(folder / "x");
  check_writable(folder / "new");
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_FALSE(fs::exists(folder / "new"));
  EXPECT_THAT(message_of([&] { check_writable(folder / "missing" / "x"); }), HasSubstr("missing"));
}

TEST(Files, WhatAKilledWriterLeftGoesWithTheNextCheck) {
  const TemporaryFolder folder;
  const std::string gone = ".k.nc.4194305-0.tmp", own = fmt::format(".k.nc.{}-77.tmp", ::getpid());
  for (const std::string& name : {gone, own, std::string(".other.nc.4194305-0.tmp")}) write_file(folder / name, "x");
  check_writable(folder / "k.nc");
  EXPECT_FALSE(fs::exists(folder / gone));
  EXPECT_TRUE(fs::exists(folder / own)) << "of a process that writes it now";
  EXPECT_TRUE(fs::exists(folder / ".other.nc.4194305-0.tmp"));
}

TEST(Files, ReadingRespectsTheLimit) {
  const TemporaryFolder folder;
  write_file(folder / "x", "12345");
  EXPECT_EQ(read_file(folder / "x", 5), "12345");
  EXPECT_THAT(message_of([&] { read_file(folder / "x", 4); }), HasSubstr("larger than the 4 bytes"));
}

TEST(Files, MissingAndWrongPathsSayWhich) {
  const TemporaryFolder folder;
  const auto missing = folder / "none" / "x";
  EXPECT_THAT(message_of([&] { read_file(missing); }),
              testing::AllOf(HasSubstr("cannot read " + missing.string()), HasSubstr("does not exist")));
  EXPECT_THAT(message_of([&] { write_file(missing, "x"); }),
              testing::AllOf(HasSubstr("cannot write " + missing.string()), HasSubstr("does not exist")));
  EXPECT_THAT(message_of([&] { read_file(folder.path()); }), HasSubstr("it is a folder"));
  EXPECT_THAT(message_of([&] { write_file(folder.path(), "x"); }), HasSubstr("it is a folder"));
  EXPECT_THAT(message_of([&] { write_file("/dev/null", "x"); }), HasSubstr("device"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Files, AFullDiskKeepsTheOldFileAndLeavesNothing) {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = message_of([&] { write_file(folder / "x", std::string(5000, 'n')); });
  }
  EXPECT_THAT(message, testing::AllOf(HasSubstr((folder / "x").string()), HasSubstr("file size")));
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(Files, AFullDeviceIsNamedSo) {
  EXPECT_THAT(message_of([] { append_line("/dev/full", "line"); }), HasSubstr("disk is full"));
}

TEST(Files, AFailingWriterKeepsTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  EXPECT_THROW(write_file_through(folder / "x",
                                  [](const fs::path& temporary) {
                                    std::ofstream(temporary) << "half";
                                    fail("writer {}", "failed");
                                  }),
               Error);
  EXPECT_THAT(message_of([&] { write_file_through(folder / "x", [](const fs::path&) {}); }), HasSubstr("cannot write"));
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
  write_file_through(folder / "x", [](const fs::path& temporary) { std::ofstream(temporary) << "new"; });
  EXPECT_EQ(read_file(folder / "x"), "new");
}

TEST(Files, SymbolicLinksStay) {
  const TemporaryFolder folder;
  write_file(folder / "target", "old");
  fs::create_symlink(folder / "target", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target"), "new");
}

// Root may write anywhere, so the check runs as another user where it can.
TEST(Files, ReadOnlyFolder) {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  fs::permissions(folder.path(), static_cast<fs::perms>(0555));
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    const auto denied = [](const auto& action) {
      try {
        action();
      } catch (const Error& error) {
        return std::string(error.what()).find("permission is denied") != std::string::npos;
      }
      return false;
    };
    const bool good = denied([&] { write_file(folder / "x", "new"); }) &&
                      denied([&] { append_line(folder / "y", "new"); }) &&
                      denied([&] { FolderLock lock(folder.path()); });
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AppendLine, AppendsAndDropsATornLine) {
  const TemporaryFolder folder;
  const auto file = folder / "events";
  append_line(file, "one");
  append_line(file, "");
  EXPECT_EQ(read_file(file), "one\n\n");
  std::ofstream(file, std::ios::app) << "torn";
  append_line(file, "two");
  EXPECT_EQ(read_file(file), "one\n\ntwo\n");
  write_file(file, "only torn");
  append_line(file, "three");
  EXPECT_EQ(read_file(file), "three\n");
  EXPECT_THAT(message_of([&] { append_line(file, "a\nb"); }), HasSubstr("line break"));
}

TEST(AppendLine, FollowsNoLink) {
  const TemporaryFolder folder;
  write_file(folder / "precious", "without a line break");
  fs::create_symlink(folder / "precious", folder / "events");
  EXPECT_THAT(message_of([&] { append_line(folder / "events", "line"); }), HasSubstr("is a symbolic link"));
  EXPECT_EQ(read_file(folder / "precious"), "without a line break");
}

TEST(AppendLine, AFullDiskLeavesTheFileAsItWas) {
  const TemporaryFolder folder;
  const auto file = folder / "events";
  append_line(file, "first");
  {
    const FileSizeLimit limit(10);
    EXPECT_THAT(message_of([&] { append_line(file, "a line too long"); }), HasSubstr("cannot append to"));
  }
  EXPECT_EQ(read_file(file), "first\n");
}

TEST(FreeDiskBytes, CountsForPathsThatDoNotExistYet) {
  const TemporaryFolder folder;
  EXPECT_GT(free_disk_bytes(folder.path()), 0u);
  EXPECT_GT(free_disk_bytes(folder / "a" / "b" / "c"), 0u);
}

TEST(FolderLock, OneHolderAtATime) {
  const TemporaryFolder folder;
  {
    const FolderLock lock(folder.path());
    const std::string message = message_of([&] { FolderLock second(folder.path()); });
    EXPECT_THAT(message, testing::AllOf(HasSubstr(folder.path().string()), HasSubstr(std::to_string(::getpid()))));
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        FolderLock other(folder.path());
      } catch (const Error&) {
        ::_exit(7);
      }
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_TRUE(is_locked(folder.path()));
  }
  EXPECT_FALSE(is_locked(folder.path()));
  EXPECT_FALSE(is_locked(folder / "none"));
  const FolderLock again(folder.path());
  EXPECT_THAT(message_of([&] { FolderLock lock(folder / "none"); }), HasSubstr("does not exist"));
}

TEST(FolderLock, WritesThroughNoLinkAndIntoNoFileOfOthers) {
  const TemporaryFolder folder;
  write_file(folder / "precious", "precious\n");
  const auto lock = folder / ".lock";
  fs::create_symlink(folder / "precious", lock);
  EXPECT_THAT(message_of([&] { FolderLock held(folder.path()); }), HasSubstr(".lock is a link"));
  EXPECT_EQ(read_file(folder / "precious"), "precious\n");
  EXPECT_FALSE(is_locked(folder.path()));
  fs::remove(lock);
  fs::create_symlink(folder / "nothing", lock);
  EXPECT_THAT(message_of([&] { FolderLock held(folder.path()); }), HasSubstr(".lock is a link"));
  EXPECT_FALSE(fs::exists(folder / "nothing"));
  fs::remove(lock);
  ASSERT_EQ(::mkfifo(lock.c_str(), 0600), 0);
  EXPECT_THAT(message_of([&] { FolderLock held(folder.path()); }), HasSubstr("a pipe"));
  fs::remove(lock);
  fs::create_directory(lock);
  EXPECT_THAT(message_of([&] { FolderLock held(folder.path()); }), HasSubstr("a folder"));
  fs::remove(lock);
  fs::create_hard_link(folder / "precious", lock);
  {
    const FolderLock held(folder.path());
    EXPECT_TRUE(is_locked(folder.path()));
  }
  EXPECT_EQ(read_file(folder / "precious"), "precious\n");
}

TEST(FolderLock, NoticesThatItsFolderIsNoLongerThere) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "a");
  const FolderLock lock(folder / "a");
  EXPECT_NO_THROW(lock.check());
  fs::rename(folder / "a", folder / "b");
  EXPECT_THAT(message_of([&] { lock.check(); }), HasSubstr("was moved"));
  fs::create_directory(folder / "a");
  const FolderLock other(folder / "a");
  EXPECT_THAT(message_of([&] { lock.check(); }), HasSubstr("was moved"));
  EXPECT_NO_THROW(other.check());
}

TEST(FolderLock, RemovesItsOwnLeftoversAlone) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "inner");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);  // its number is free now
  const std::string dead = std::to_string(child), alive = std::to_string(::getpid());
  const auto own = folder / (".run.toml." + dead + "-0.tmp");
  const std::vector<fs::path> others = {
      folder / "inner" / (".run.toml." + dead + "-0.tmp"),  // another folder
      folder / (".mail." + dead + "-0.tmp"),                // another file's
      folder / (".run.toml." + alive + "-0.tmp"),           // still being written
      folder / (".run.toml." + dead + "-0x.tmp"),
      folder / ".run.toml.tmp",
      folder / ("run.toml." + dead + "-0.tmp"),
  };
  std::ofstream(own) << "x";
  for (const auto& file : others) std::ofstream(file) << "x";
  const auto linked = folder / (".run.toml." + dead + "-1.tmp");
  fs::create_symlink(others[0], linked);
  const FolderLock lock(folder.path());
  lock.remove_leftovers([](std::string_view name) { return name == "run.toml"; });
  EXPECT_FALSE(fs::exists(own));
  for (const auto& file : others) EXPECT_TRUE(fs::exists(file)) << file;
  EXPECT_TRUE(fs::is_symlink(linked));
}

TEST(Files, AKilledWriterLeavesTheOldFile) {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    write_file_through(folder / "x", [](const fs::path& temporary) {
      std::ofstream(temporary) << "half";
      ::raise(SIGKILL);
    });
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(entries(folder.path()), 2u);
  const FolderLock lock(folder.path());
  lock.remove_leftovers([](std::string_view name) { return name == "x"; });
  EXPECT_EQ(entries(folder.path()), 2u);  // the file and the lock
}

TEST(Files, AProcessThatEndsWhileWritingLeavesNothing) {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    write_file_through(folder / "x", [](const fs::path& temporary) {
      std::ofstream(temporary) << "half";
      abandon_writes();
      ::_exit(7);
    });
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

// Whether there is a folder of that name or not.
TEST(Files, AFolderIsFilledAllAtOnceOrNotAtAll) {
  for (const bool there : {false, true}) {
    const TemporaryFolder scratch;
    const fs::path folder = scratch / "new";
    if (there) fs::create_directory(folder);
    const auto fill = [&](bool fails) {
      write_folder_through(folder / "", [&](const fs::path& made) {
        std::ofstream(made / "a") << "one";
        EXPECT_FALSE(fs::exists(folder / "a"));
        if (fails) fail("no more");
        std::ofstream(made / "b") << "two";
      });
    };
    EXPECT_THROW(fill(true), Error);
    EXPECT_EQ(fs::exists(folder), there);
    EXPECT_EQ(entries(scratch.path()), there ? 1u : 0u);
    if (there) {
      EXPECT_TRUE(fs::is_empty(folder));
    }
    fill(false);
    EXPECT_EQ(read_file(folder / "a") + read_file(folder / "b"), "onetwo");
    EXPECT_EQ(entries(folder), 2u);
    EXPECT_EQ(entries(scratch.path()), 1u);
  }
}

TEST(Files, AProcessThatEndsWhileFillingAFolderLeavesNothing) {
  for (const bool there : {false, true}) {
    const TemporaryFolder scratch;
    const fs::path folder = scratch / "new";
    if (there) fs::create_directory(folder);
    const pid_t child = ::fork();
    if (child == 0) {
      write_folder_through(folder, [&](const fs::path& made) {
        std::ofstream(made / "a") << "one";
        abandon_writes();
        ::_exit(7);
      });
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(entries(scratch.path()), there ? 1u : 0u);
    if (there) {
      EXPECT_TRUE(fs::is_empty(folder));
    }
  }
}

TEST(Files, ATemporaryTakesNoOtherFilesName) {
  const TemporaryFolder folder;
  fs::path first;
  write_file_through(folder / "x", [&](const fs::path& temporary) { std::ofstream(first = temporary) << "one"; });
  const std::string name = first.filename().string();
  const auto dash = name.rfind('-');
  const auto next = folder / (name.substr(0, dash + 1) + std::to_string(std::stoi(name.substr(dash + 1)) + 1) + ".tmp");
  std::ofstream(next) << "kept";
  write_file(folder / "x", "two");
  EXPECT_EQ(read_file(folder / "x"), "two");
  EXPECT_EQ(read_file(next), "kept");
}

TEST(Checksum, IsCrc32) {
  EXPECT_EQ(checksum("123456789"), 0xcbf43926u);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(checksum(""), 0u);
  EXPECT_EQ(checksum("6789", checksum("12345")), 0xcbf43926u);
}

TEST(AssetsFolder, FollowsTheEnvironmentThenTheSourceTree) {
  const TemporaryFolder folder;
  ::setenv("PAIRS_ASSETS", folder.path().c_str(), 1);
  EXPECT_EQ(assets_folder(), folder.path());
  ::setenv("PAIRS_ASSETS", (folder / "none").c_str(), 1);
  EXPECT_THAT(message_of([] { assets_folder(); }), HasSubstr("PAIRS_ASSETS"));
  ::unsetenv("PAIRS_ASSETS");
  EXPECT_TRUE(fs::equivalent(assets_folder(), fs::path(PAIRS_SOURCE_DIR) / "assets"));
}

TEST(Scratch, AFolderIsGoneWithItsObject) {
  fs::path kept;
  {
    const ScratchFolder folder;
    kept = (folder / "x").parent_path();
    write_file(folder / "x", "text");
    EXPECT_TRUE(fs::exists(kept / "x"));
  }
  EXPECT_FALSE(fs::exists(kept));
}

}  // namespace
}  // namespace pairs
