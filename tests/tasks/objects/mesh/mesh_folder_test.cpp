#include "tasks/objects/mesh/mesh_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/objects/mesh_folders.h"
#include "tests/tasks/objects/real_meshes.h"

namespace pairs {
namespace {
namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> labels_of(const MeshSource& source) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < source.size(); ++i) out.push_back(source.label(i));
  return out;
}

std::map<MeshSplit, int> parts_of(const MeshSource& source) {
  std::map<MeshSplit, int> out;
  for (std::size_t i = 0; i < source.size(); ++i) ++out[source.split(i)];
  return out;
}

TEST(MeshFolder, ListsMeshesInOrderOfTheirPaths) {
  const TemporaryFolder folder;
  for (const char* name : {"z.off", "a/z.ply", "a.OFF", "Z.stl", "a/b/c/\xc3\xa4.obj", "a/b/c/z.obj", "\xff.off"})
    put_file(folder / name, "x");
  for (const char* name : {".hidden.off", ".git/x.off", "__MACOSX/x.off", "a/._z.ply", "readme.txt", "a/mesh", "off"})
    put_file(folder / name, "x");
  fs::create_directory(folder / "folder.off");
  put_file(folder / "folder.off/in.off", "x");
  const auto source = open_mesh_folder(folder.path());
  EXPECT_THAT(labels_of(*source), ElementsAre("Z.stl", "a.OFF", "a/b/c/z.obj", "a/b/c/\xc3\xa4.obj", "a/z.ply",
                                              "folder.off/in.off", "z.off", "\\xff.off"));
  EXPECT_EQ(source->name(), "meshes of " + folder.path().filename().string());
  EXPECT_THAT(source->unread(), IsEmpty());
  EXPECT_FALSE(source->instant());
  EXPECT_THAT(message_of([&] { (void)source->label(8); }), HasSubstr("no mesh 8"));
}

TEST(MeshFolder, KeepsTheSplitOfModelNetsLayout) {
  const TemporaryFolder folder;
  for (int i = 0; i < 600; ++i) put_file(folder / fmt::format("below/{}/train/{}.off", i % 7, i), "x");
  for (int i = 0; i < 50; ++i) put_file(folder / fmt::format("below/{}/test/{}.off", i % 7, i), "x");
  const auto source = open_mesh_folder(folder.path());
  EXPECT_EQ(source->name(), "meshes in ModelNet's layout (650 files)");
  const auto parts = parts_of(*source);
  EXPECT_EQ(parts.at(MeshSplit::test), 50);
  EXPECT_NEAR(parts.at(MeshSplit::pretrain), 450, 35);  // 600 * 0.75, 3.3 standard deviations of 10.6
  std::map<std::string, MeshSplit> before;
  for (std::size_t i = 0; i < source->size(); ++i) {
    before[source->label(i)] = source->split(i);
    EXPECT_EQ(source->split(i) == MeshSplit::test, source->label(i).find("/test/") != std::string::npos);
  }
  // More meshes leave the others where they are.
  put_file(folder / "below/0/train/a.off", "x");
  const auto more = open_mesh_folder(folder.path());
  for (std::size_t i = 0; i < more->size(); ++i)
    if (const auto at = before.find(more->label(i)); at != before.end()) {
      EXPECT_EQ(more->split(i), at->second) << at->first;
    }
  // Many meshes elsewhere: the folders' names mean nothing.
  for (int i = 0; i < 80; ++i) put_file(folder / fmt::format("below/0/elsewhere/{}.off", i), "x");
  const auto other = open_mesh_folder(folder.path());
  EXPECT_THAT(other->name(), StartsWith("meshes of "));
  EXPECT_TRUE(other->divided_by_form());
}

TEST(MeshFolder, WithoutATestPartAllIsDivided) {
  const TemporaryFolder folder;
  for (int i = 0; i < 100; ++i) put_file(folder / fmt::format("chair/train/{}.off", i), "x");
  EXPECT_TRUE(open_mesh_folder(folder.path())->divided_by_form());
  put_file(folder / "chair/test/1.off", "x");
  EXPECT_EQ(parts_of(*open_mesh_folder(folder.path()))[MeshSplit::test], 1);
  // A class alone is in the layout as well.
  EXPECT_EQ(parts_of(*open_mesh_folder(folder / "chair"))[MeshSplit::test], 1);
}

TEST(MeshFolder, IsModelNetOnlyWhenItIs) {
  const TemporaryFolder folder;
  const std::vector<std::string> kinds = {
      "airplane",  "bathtub", "bed",      "bench",   "bookshelf",  "bottle", "bowl",     "car",
      "chair",     "cone",    "cup",      "curtain", "desk",       "door",   "dresser",  "flower_pot",
      "glass_box", "guitar",  "keyboard", "lamp",    "laptop",     "mantel", "monitor",  "night_stand",
      "person",    "piano",   "plant",    "radio",   "range_hood", "sink",   "sofa",     "stairs",
      "stool",     "table",   "tent",     "toilet",  "tv_stand",   "vase",   "wardrobe", "xbox"};
  const std::set<std::string> ten = {"bathtub", "bed",         "chair", "desk",  "dresser",
                                     "monitor", "night_stand", "sofa",  "table", "toilet"};
  put_file(folder / "empty", "");
  const auto fill = [&](const char* below, int train, int test, const auto& of) {
    for (const auto& kind : of)
      for (const char* part : {"train", "test"})
        fs::create_directories(folder / fmt::format("{}/{}/{}", below, kind, part));
    const std::vector<std::string> names(of.begin(), of.end());
    for (int i = 0; i < train + test; ++i) {
      const std::string& kind = names[static_cast<std::size_t>(i) % names.size()];
      fs::create_hard_link(folder / "empty", folder / fmt::format("{}/{}/{}/{}_{:04}.off", below, kind,
                                                                  i < train ? "train" : "test", kind, i));
    }
  };
  fill("ten", 3991, 908, ten);
  fill("small", 480, 120, kinds);
  EXPECT_EQ(open_mesh_folder(folder / "ten")->name(), "ModelNet10");
  EXPECT_EQ(open_mesh_folder(folder / "small")->name(), "ModelNet40 (600 of its 12311 meshes)");
  const auto some = open_mesh_folder(folder / "ten", 100);
  EXPECT_EQ(some->name(), "ModelNet10, 100 of 4899 meshes");
  fs::rename(folder / "small/xbox", folder / "small/pyramid");
  EXPECT_EQ(open_mesh_folder(folder / "small")->name(), "meshes in ModelNet's layout (600 files)");

  // The selected meshes keep the order and the splits of the whole and cover all its classes. A smaller selection is a
  // subset of a larger one.
  ASSERT_EQ(some->size(), 100u);
  std::set<std::string> classes;
  std::map<std::string, MeshSplit> larger;
  const auto more = open_mesh_folder(folder / "ten", 300);
  for (std::size_t i = 0; i < more->size(); ++i) larger[more->label(i)] = more->split(i);
  const std::vector<std::string> labels = labels_of(*some);
  EXPECT_TRUE(std::is_sorted(labels.begin(), labels.end()));
  for (std::size_t i = 0; i < some->size(); ++i) {
    classes.insert(labels[i].substr(0, labels[i].find('/')));
    ASSERT_TRUE(larger.contains(labels[i]));
    EXPECT_EQ(larger[labels[i]], some->split(i));
  }
  EXPECT_EQ(classes.size(), 10u);
  const auto parts = parts_of(*some);
  EXPECT_NEAR(parts.at(MeshSplit::test), 20, 13);      // of 100, 3.3 standard deviations of 4
  EXPECT_NEAR(parts.at(MeshSplit::finetune), 20, 13);  // chosen and divided by hashes that do not know of each other
}

TEST(MeshFolder, FollowsLinksButNotInCircles) {
  const TemporaryFolder folder, outside;
  put_file(folder / "root/b/x.off", "x");
  put_file(outside / "far/y.off", "x");
  fs::create_directory_symlink("..", folder / "root/b/up");
  fs::create_directory_symlink("b", folder / "root/a");  // sorts before the folder itself
  fs::create_directory_symlink(outside.path(), folder / "root/c");
  fs::create_directory_symlink(folder / "root", outside / "back");
  fs::create_directory_symlink("self", folder / "root/self");
  fs::create_symlink("b/x.off", folder / "root/linked.off");
  fs::create_symlink("nowhere.off", folder / "root/lost.off");
  for (const fs::path& root : {folder / "root", folder / "root/b/up", folder / "root/b/.."}) {
    const auto source = open_mesh_folder(root);
    EXPECT_THAT(labels_of(*source), ElementsAre("b/x.off", "c/far/y.off", "linked.off", "lost.off")) << root;
    EXPECT_EQ(source->identity(), "folder " + fs::canonical(folder / "root").string());
  }
  const auto source = open_mesh_folder(folder / "root");
  EXPECT_EQ(source->measure(0).key, source->measure(2).key);
  const MeshRecord lost = source->measure(3);
  EXPECT_EQ(lost.key, "");
  EXPECT_THAT(lost.facts.set_aside, AllOf(HasSubstr("lost.off"), HasSubstr("does not exist")));
}

TEST(MeshFolder, TellsWhichFoldersCannotBeRead) {
  const TemporaryFolder folder;
  put_file(folder / "a.off", "x");
  put_file(folder / "closed/b.off", "x");
  fs::permissions(folder / "closed", fs::perms::none);
  // For root nothing is closed: look as someone else.
  const int before = ::geteuid() == 0 ? ::setfsuid(65534) : -1;
  const auto source = open_mesh_folder(folder.path());
  const std::string message = message_of([&] { open_mesh_folder(folder / "closed"); });
  if (before >= 0) ::setfsuid(static_cast<uid_t>(before));
  fs::permissions(folder / "closed", fs::perms::owner_all);
  EXPECT_THAT(labels_of(*source), ElementsAre("a.off"));
  ASSERT_EQ(source->unread().size(), 1u);
  EXPECT_EQ(source->unread()[0].label, (folder / "closed").string());
  EXPECT_THAT(source->unread()[0].why, HasSubstr("Permission denied"));
  EXPECT_THAT(message, AllOf(HasSubstr("closed"), HasSubstr("cannot be opened")));
}

TEST(MeshFolder, RefusesWhatHoldsNoMesh) {
  const TemporaryFolder folder;
  put_file(folder / "in/readme.txt", "x");
  put_file(folder / "in/.x.off", "x");
  for (const auto& [name, words] : {std::pair("in", "There is no mesh"), std::pair("none", "cannot be opened"),
                                    std::pair("in/readme.txt", "is no folder")}) {
    ErrorKind kind = ErrorKind::failed;
    const std::string message = message_of([&, n = name] { open_mesh_folder(folder / n); }, &kind);
    EXPECT_THAT(message, AllOf(HasSubstr(words), HasSubstr((folder / name).string())));
    EXPECT_EQ(kind, ErrorKind::usage);
  }
}

TEST(MeshFolder, MeasuresAndGivesMeshes) {
  const TemporaryFolder folder;
  put_file(folder / "a.off", corner_off(0.5));
  put_file(folder / "b.obj", corner_obj(0.5));
  put_file(folder / "c.off", corner_off(0.25));
  put_file(folder / "d.off", corner_off(0.5));
  put_file(folder / "e.obj", "PK\x03\x04 an archive");  // not what its name says
  put_file(folder / "f.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n1 0 0\n3 0 0 0\n");
  const auto source = open_mesh_folder(folder.path());
  std::vector<MeshRecord> records;
  for (std::size_t i = 0; i < source->size(); ++i) records.push_back(source->measure(i));
  for (const std::size_t i : {0u, 1u, 3u}) {
    EXPECT_EQ(records[i].facts.set_aside, "");
    EXPECT_NEAR(records[i].facts.volume, 0.5 / 6, 1e-15);
    EXPECT_NEAR(records[i].facts.log_aspect, std::log(2.0), 1e-15);
    const TriangleMesh mesh = source->mesh(i);
    EXPECT_EQ(mesh.triangles.size(), 4u);
    double high = -1, low = 1;
    for (const auto& place : mesh.vertices) high = std::max(high, place[2]), low = std::min(low, place[2]);
    EXPECT_EQ(high, 0.25);
    EXPECT_EQ(low, -0.25);
  }
  EXPECT_EQ(records[0].key, records[3].key);
  EXPECT_EQ(std::set<std::string>({records[0].key, records[1].key, records[2].key, records[4].key}).size(), 4u);
  EXPECT_THAT(records[4].facts.set_aside, HasSubstr("e.obj"));
  EXPECT_NE(records[4].key, "");
  EXPECT_THAT(message_of([&] { (void)source->mesh(4); }), HasSubstr((folder / "e.obj").string()));
  EXPECT_NE(records[5].facts.set_aside, "");
}

TEST(MeshFolder, RefusesFilesThatChangedOrVanished) {
  const TemporaryFolder folder;
  for (const char* name : {"a.off", "b.off", "c.off"}) put_file(folder / name, corner_off(0.5));
  const auto source = open_mesh_folder(folder.path());
  const std::string state = source->state(1);
  put_file(folder / "a.off", corner_off(0.25));                      // another length
  fs::last_write_time(folder / "b.off", fs::file_time_type::max());  // another time
  fs::remove(folder / "c.off");
  for (const auto& [i, words] :
       {std::pair(0u, "changed since"), std::pair(1u, "changed since"), std::pair(2u, "does not exist")}) {
    EXPECT_THAT(message_of([&, k = i] { (void)source->mesh(k); }),
                AllOf(HasSubstr(words), HasSubstr((folder / source->label(i)).string())));
    const MeshRecord record = source->measure(i);
    EXPECT_THAT(record.facts.set_aside, HasSubstr(words));
    EXPECT_EQ(record.key, "");
  }
  EXPECT_EQ(source->state(1), state);
  EXPECT_NE(open_mesh_folder(folder.path())->state(1), state);
}

TEST(MeshFolder, FindsMeshesBelowAFolderOfData) {
  const TemporaryFolder folder;
  const std::string root = folder.path().string();
  const auto found = [&] { return find_meshes(root).folder; };
  EXPECT_EQ(find_meshes("").folder, "");
  EXPECT_EQ(find_meshes(root + "/none").folder, "");
  put_file(folder / "mnist/train-images", "x");
  put_file(folder / "meshes/.x.off", "x");
  EXPECT_EQ(found(), "");
  put_file(folder / "a/b/c/d/x.off", "x");  // of which nobody said that it is for meshes
  EXPECT_EQ(found(), folder.path());
  put_file(folder / "meshes/a/b/x.off", "x");
  EXPECT_EQ(found(), folder / "meshes");
  put_file(folder / "meshes/ModelNet/chair/train/x.off", "x");  // in the layout: before any depth
  EXPECT_EQ(found(), folder / "meshes/ModelNet");
  put_file(folder / "meshes/x.ply", "x");
  EXPECT_EQ(found(), folder / "meshes");
  put_file(folder / "modelnet40/chair/test/x.off", "x");
  EXPECT_EQ(found(), folder / "modelnet40");
  EXPECT_EQ(find_meshes((folder / "modelnet40").string()).folder, folder / "modelnet40");
  EXPECT_EQ(find_meshes((folder / "modelnet40/chair").string()).folder, folder / "modelnet40/chair");
  put_file(folder / "x.stl", "x");
  EXPECT_EQ(found(), folder.path());
  EXPECT_EQ(find_meshes((folder / "x.stl").string()).folder, "");
}

TEST(MeshFolder, OpensRealMeshes) {
  const fs::path real = real_meshes();
  if (real.empty()) GTEST_SKIP() << "no real meshes on this machine: set PAIRS_DATA";
  EXPECT_EQ(find_meshes(real.parent_path().string()).folder, real.parent_path() / "meshes/ModelNet");
  const auto source = open_mesh_folder(real / "ModelNet");
  EXPECT_EQ(source->name(), "meshes in ModelNet's layout (17 files)");
  EXPECT_EQ(parts_of(*source)[MeshSplit::test], 2);
  EXPECT_EQ(open_mesh_folder(real / "furniture")->name().find("meshes in ModelNet's layout ("), 0u);
  const auto broken = open_mesh_folder(real / "broken");
  EXPECT_EQ(broken->size(), 55u);
  for (std::size_t i = 0; i < broken->size(); ++i) {
    const MeshRecord record = broken->measure(i);
    EXPECT_NE(record.key, "") << broken->label(i);
    if (!record.facts.set_aside.empty()) continue;
    EXPECT_FALSE(broken->mesh(i).triangles.empty());
  }
}

}  // namespace
}  // namespace pairs
