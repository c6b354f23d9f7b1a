#include "app/model/files/folder_listing.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "app/model/files/file_browsing.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<std::string> names(const FolderListing& listing, const ListingView& view) {
  std::vector<std::string> all;
  for (const FileEntry* entry : shown_entries(listing, view)) all.push_back(entry->name);
  return all;
}

FolderListing list(const fs::path& folder) {
  return list_folder(folder, [] { return false; });
}

TEST(FolderListing, ShowsWhatIsAskedFor) {
  TemporaryFolder folder;
  fs::create_directory(folder / "runs");
  std::ofstream(folder / "run-10.csv") << "123456";
  std::ofstream(folder / "run-2.CSV") << "12";
  std::ofstream(folder / "notes.txt") << "123";
  std::ofstream(folder / ".hidden.csv") << "1";
  fs::last_write_time(folder / "notes.txt", fs::file_time_type::clock::now() - std::chrono::hours(2));
  const FolderListing listing = list(folder.path());
  EXPECT_EQ(listing.problem, "");
  EXPECT_FALSE(listing.cut);
  ListingView view;
  EXPECT_THAT(names(listing, view), ElementsAre("runs", "notes.txt", "run-2.CSV", "run-10.csv"));
  view.filter = {"Tables", {".csv"}};
  EXPECT_THAT(names(listing, view), ElementsAre("runs", "run-2.CSV", "run-10.csv"));
  view.hidden = true;
  EXPECT_THAT(names(listing, view), ElementsAre("runs", ".hidden.csv", "run-2.CSV", "run-10.csv"));
  view = {};
  view.begins = "RUN-";
  EXPECT_THAT(names(listing, view), ElementsAre("run-2.CSV", "run-10.csv"));
  view.begins = ".";
  EXPECT_THAT(names(listing, view), ElementsAre(".hidden.csv")) << "who types the dot wants to see them";
  view = {};
  view.order = FileOrder::size;
  EXPECT_THAT(names(listing, view), ElementsAre("runs", "run-2.CSV", "notes.txt", "run-10.csv"));
  view.descending = true;
  EXPECT_THAT(names(listing, view), ElementsAre("runs", "run-10.csv", "notes.txt", "run-2.CSV"));
  view = {};
  view.order = FileOrder::changed;
  EXPECT_EQ(names(listing, view)[1], "notes.txt");
}

TEST(FolderListing, OpensNothing) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_symlink(folder / "gone", folder / "link");
  const FolderListing listing = list(folder.path());
  ASSERT_EQ(listing.entries.size(), 2u);
  for (const FileEntry& entry : listing.entries) EXPECT_FALSE(entry.regular || entry.folder) << entry.name;
}

TEST(FolderListing, SaysWhatIsWrong) {
  TemporaryFolder folder;
  EXPECT_THAT(list(folder / "gone").problem, HasSubstr("There is no folder"));
  std::ofstream(folder / "file") << "x";
  EXPECT_THAT(list(folder / "file").problem, HasSubstr("is no folder"));
  EXPECT_THROW(list_folder(folder.path(), [] { return true; }), Stopped);
}

TEST(FileBrowsing, LooksBehindTheWindow) {
  TemporaryFolder folder;
  std::ofstream(folder / "a.txt") << "first line\nsecond";
  std::atomic<int> woken{0};
  FileBrowsing disk(nullptr, [&] { ++woken; });
  const auto wait = [&](const std::function<bool()>& done) {
    const Stopwatch watch;
    while (!done() && watch.seconds() < 120) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return done();
  };
  disk.look(folder.path());
  disk.report(folder / "a.txt");
  ASSERT_TRUE(wait([&] { return disk.listing() && disk.preview(); }));
  EXPECT_EQ(disk.listing()->entries.front().name, "a.txt");
  EXPECT_THAT(disk.preview()->lines, ElementsAre("first line", "second"));
  EXPECT_GE(woken, 2);
  disk.look(folder / "gone");
  EXPECT_TRUE(!disk.listing() || !disk.listing()->problem.empty()) << "never of the folder before";
  ASSERT_TRUE(wait([&] { return disk.listing() != nullptr; }));
  EXPECT_NE(disk.listing()->problem, "");
  disk.report({});
  EXPECT_FALSE(disk.preview());
  // What comes later is seen.
  disk.look(folder.path());
  ASSERT_TRUE(wait([&] { return disk.listing() != nullptr; }));
  std::ofstream(folder / "b.txt") << "x";
  EXPECT_TRUE(wait([&] {
    disk.look(folder.path());
    return disk.listing() && disk.listing()->entries.size() == 2;
  }));
}

}  // namespace
}  // namespace pairs::model
