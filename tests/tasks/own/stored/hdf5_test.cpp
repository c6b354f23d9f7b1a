#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "core/base/threads/clock.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/stored/stored_files.h"
#include "tests/tasks/sets.h"

// HDF5 files that name other files, or hold numbers that nobody wrote.

#if PAIRS_WITH_HDF5
namespace pairs {
namespace {

using namespace pairs::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// One part of a virtual data set x [sets, m, 1]: where it comes from, and which of its sets it is.
struct VirtualPart {
  std::string file;
  std::int64_t first, count;
};

// Ends with the program, after whatever was begun later.
std::shared_ptr<const Task> lives_to_the_end;

class StoredHdf5Test : public ::testing::Test {
 protected:
  void SetUp() override {
    // The program's own code meets the library first, as it does in the program.
    std::ofstream(folder_ / "noise.h5") << "noise";
    EXPECT_NE(sentence_of([&] { (void)stored_task(folder_.path(), {"noise.h5"}, stored_info(4)); }), "");
    std::filesystem::create_directories(folder_ / "task/parts");
    write_hdf5(folder_ / "task/parts/a.h5", numbered_sets(30, 4));
    write_hdf5(folder_ / "task/parts/b.h5", numbered_sets(20, 4, 30));
  }
  std::filesystem::path task() const { return folder_ / "task"; }

  // all.h5: θ of 50 sets, and x that the parts hold.
  void write_virtual(const std::vector<VirtualPart>& parts) const {
    write_hdf5(task() / "all.h5", {{"theta", numbered_theta(50)}});
    const hid_t file = H5Fopen((task() / "all.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t extents[] = {50, 4, 1};
    const hid_t space = H5Screate_simple(3, extents, nullptr), created = H5Pcreate(H5P_DATASET_CREATE);
    for (const VirtualPart& part : parts) {
      const hsize_t start[] = {static_cast<hsize_t>(part.first), 0, 0},
                    count[] = {static_cast<hsize_t>(part.count), 4, 1};
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
      const hid_t from = H5Screate_simple(3, count, nullptr);
      H5Pset_virtual(created, space, part.file.c_str(), "x", from);
      H5Sclose(from);
    }
    H5Sselect_all(space);
    const hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, created, H5P_DEFAULT);
    H5Dclose(set);
    H5Pclose(created);
    H5Sclose(space);
    H5Fclose(file);
  }
  std::shared_ptr<const Task> opened(const std::string& file = "all.h5") const {
    return stored_task(task(), {file}, stored_info(4));
  }
  std::string refused(const std::string& file = "all.h5") const {
    const Stopwatch watch;
    std::string said = sentence_of([&] { (void)opened(file); });
    EXPECT_LT(watch.seconds(), 2) << "at once";
    return said;
  }

  TemporaryFolder folder_;
};

TEST_F(StoredHdf5Test, VirtualDataSetsAreReadAndTheirSourcesRecorded) {
  write_virtual({{"parts/a.h5", 0, 30}, {"parts/b.h5", 30, 20}});
  const auto made = opened();
  for (const Purpose purpose : {Purpose::pretrain, Purpose::test}) {
    const std::int64_t all = made->stored()->sets(purpose, 4);
    const Latents latents = latents_of(*made, 1, purpose, 0, all);
    const torch::Tensor x = sets_of(*made, latents, 1, purpose, 0, 4);
    for (std::int64_t k = 0; k < all; ++k)
      EXPECT_TRUE(at::equal(std::get<0>(x[k].flatten().sort()),
                            numbered_x(1, 4, std::llround(latents.theta[k][0].item<double>() * 1000)).flatten()));
  }
  std::vector<std::string> files;
  for (const StoredState& one : made->stored()->state()) files.push_back(one.file);
  EXPECT_THAT(files, ::testing::UnorderedElementsAre("all.h5", "parts/a.h5", "parts/b.h5"));
  std::filesystem::remove(task() / "parts/b.h5");
  EXPECT_THAT(
      sentence_of([&] { sets_of(*made, latents_of(*made, 1, Purpose::pretrain, 0, 3), 1, Purpose::pretrain, 0, 2); }),
      StartsWith("parts/b.h5 has gone since it was opened"));
}

TEST_F(StoredHdf5Test, SourcesThatAreMissingOutsideOrNoFilesAreRefused) {
  const std::vector<VirtualPart> first = {{"parts/a.h5", 0, 30}};
  const auto with = [&](const std::string& file) {
    std::vector<VirtualPart> parts = first;
    parts.push_back({file, 30, 20});
    write_virtual(parts);
    return refused();
  };
  EXPECT_THAT(with("parts/none.h5"),
              AllOf(StartsWith("all.h5: array 'x' is virtual, and its source parts/none.h5 cannot"),
                    HasSubstr("would be read as fill values; restore it")));
  write_hdf5(folder_ / "outside.h5", numbered_sets(20, 4, 30));
  EXPECT_THAT(with("../outside.h5"), HasSubstr("../outside.h5 lies outside the task's folder"));
  EXPECT_THAT(with((folder_ / "outside.h5").string()), HasSubstr("lies outside the task's folder"));
  std::filesystem::create_symlink(folder_ / "outside.h5", task() / "parts/link.h5");
  EXPECT_THAT(with("parts/link.h5"), HasSubstr("lies outside the task's folder"));
  EXPECT_THAT(with("/etc/passwd"), HasSubstr("lies outside the task's folder"));
  ASSERT_EQ(::mkfifo((task() / "parts/fifo.h5").c_str(), 0600), 0);
  EXPECT_THAT(with("parts/fifo.h5"), HasSubstr("parts/fifo.h5 is no regular file"));
  write_hdf5(task() / "parts/short.h5", numbered_sets(19, 4, 30));
  EXPECT_THAT(with("parts/short.h5"),
              HasSubstr("parts/short.h5: x has shape [19, 4, 1], which does not hold what is asked"));
  write_hdf5(task() / "parts/other.h5", {{"y", numbered_x(20, 4, 30)}});
  EXPECT_THAT(with("parts/other.h5"), HasSubstr("holds no such data set"));
  write_virtual(first);
  EXPECT_THAT(refused(), HasSubstr("its sources hold 120 of its 200 numbers: the others would be read as fill values"));
  // Sources lie next to the file that names them.
  write_virtual({{"parts/a.h5", 0, 30}, {"parts/b.h5", 30, 20}});
  std::filesystem::rename(task() / "all.h5", task() / "parts/all.h5");
  EXPECT_THAT(refused("parts/all.h5"), HasSubstr("cannot be opened"));
}

TEST_F(StoredHdf5Test, NumbersInOtherFilesAreRefused) {
  for (const std::string& source : {std::string("/etc/passwd"), std::string("/dev/zero"), (task() / "fifo").string()}) {
    if (source.ends_with("fifo")) {
      ASSERT_EQ(::mkfifo(source.c_str(), 0600), 0);
    }
    write_hdf5(task() / "e.h5", {{"theta", numbered_theta(50)}});
    const hid_t file = H5Fopen((task() / "e.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t extents[] = {50, 4, 1};
    const hid_t space = H5Screate_simple(3, extents, nullptr), created = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(created, source.c_str(), 0, 800);
    const hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, created, H5P_DEFAULT);
    ASSERT_GE(set, 0);
    H5Dclose(set);
    H5Pclose(created);
    H5Sclose(space);
    H5Fclose(file);
    EXPECT_THAT(refused("e.h5"),
                AllOf(StartsWith("e.h5: array 'x' keeps its numbers in other files (external storage)"),
                      HasSubstr("write them into the file itself")));
  }
}

TEST_F(StoredHdf5Test, LinksAreFollowedWithinTheFileAlone) {
  write_hdf5(task() / "l.h5", {{"theta", numbered_theta(50)}, {"x0", numbered_x(50, 4)}});
  const auto link = [&](const auto& make) {
    const hid_t file = H5Fopen((task() / "l.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "x", H5P_DEFAULT);
    make(file);
    H5Fclose(file);
  };
  link([](hid_t file) { H5Lcreate_soft("/x0", file, "x", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_EQ(refused("l.h5"), "");
  link([](hid_t file) { H5Lcreate_hard(file, "x0", file, "x", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_EQ(refused("l.h5"), "");
  link([](hid_t file) { H5Lcreate_soft("/nowhere", file, "x", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_THAT(refused("l.h5"), HasSubstr("is a link that leads nowhere or to another file"));
  link([](hid_t file) { H5Lcreate_external("parts/a.h5", "x", file, "x", H5P_DEFAULT, H5P_DEFAULT); });
  EXPECT_THAT(refused("l.h5"), HasSubstr("is a link that leads nowhere or to another file"));
  link([](hid_t file) {
    H5Lcreate_external("parts/a.h5", "/", file, "g", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/g/x", file, "x", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_THAT(refused("l.h5"), HasSubstr("is a link that leads nowhere or to another file"));
}

TEST_F(StoredHdf5Test, AVirtualDataSetOfItselfIsRefused) {
  write_virtual({{".", 0, 50}});
  EXPECT_THAT(refused(), HasSubstr("is virtual over more than 4 data sets in a row"));
}

TEST_F(StoredHdf5Test, NumbersThatNobodyWroteAreRefused) {
  const auto written = [&](std::int64_t chunk, std::int64_t sets) {
    write_hdf5(task() / "w.h5", {{"theta", numbered_theta(50)}});
    const hid_t file = H5Fopen((task() / "w.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t extents[] = {50, 4, 1}, chunks[] = {static_cast<hsize_t>(chunk), 4, 1}, start[] = {0, 0, 0},
                  part[] = {static_cast<hsize_t>(sets), 4, 1};
    const hid_t space = H5Screate_simple(3, extents, nullptr), memory = H5Screate_simple(3, part, nullptr),
                created = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0) H5Pset_chunk(created, 3, chunks);
    const hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, created, H5P_DEFAULT);
    if (sets > 0) {
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, part, nullptr);
      const torch::Tensor x = numbered_x(sets, 4).contiguous();
      H5Dwrite(set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, x.const_data_ptr());
    }
    H5Dclose(set);
    H5Pclose(created);
    H5Sclose(memory);
    H5Sclose(space);
    H5Fclose(file);
    return refused("w.h5");
  };
  EXPECT_EQ(written(10, 50), "");
  EXPECT_THAT(written(10, 31), HasSubstr("of its 5 chunks only 4 were written"));
  EXPECT_THAT(written(0, 0), HasSubstr("was made but never written"));
  EXPECT_EQ(written(0, 50), "");
}

// A task lives to the end of the program, and its files with it.
TEST_F(StoredHdf5Test, TheEndOfTheProgramSaysNothing) {
  write_hdf5(task() / "c.h5", numbered_sets(50, 4), 7);
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // a program of its own
  EXPECT_EXIT(
      {
        lives_to_the_end = opened("c.h5");
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), Not(HasSubstr("H5")));
}

}  // namespace
}  // namespace pairs
#endif
