#include "app/posterior/files/draws_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

#if PAIRS_WITH_HDF5
#define H5_USE_110_API
#include <hdf5.h>
#include <hdf5_hl.h>

namespace pairs {
namespace {

using ::testing::ElementsAre;

// A file read by the library alone, without what wrote it.
class DrawsFile : public ::testing::Test {
 protected:
  DrawsFile() {
    info_.name = "toy";
    info_.observation_columns = {"x1", "x2"};
    info_.targets.resize(2);
    info_.targets[0].name = "theta1";
    info_.targets[0].label = "θ₁";
    info_.targets[1].name = "theta2";
    info_.targets[1].label = "θ₂";
  }
  void open() { file_ = H5Fopen((folder_ / "a.nc").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT); }
  ~DrawsFile() override {
    if (file_ >= 0) H5Fclose(file_);
  }

  std::vector<hsize_t> shape(const std::string& name) const {
    std::vector<hsize_t> dims(8);
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
    dims.resize(static_cast<std::size_t>(H5Sget_simple_extent_dims(space, dims.data(), nullptr)));
    H5Sclose(space);
    H5Dclose(dataset);
    return dims;
  }
  std::vector<double> numbers(const std::string& name) const {
    std::size_t count = 1;
    for (const hsize_t extent : shape(name)) count *= extent;
    std::vector<double> values(count);
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(dataset);
    return values;
  }
  std::vector<std::string> texts(const std::string& name) const {
    std::vector<char*> at(shape(name).front());
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), type = H5Dget_type(dataset),
                space = H5Dget_space(dataset);
    EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, at.data()), 0);
    std::vector<std::string> out(at.begin(), at.end());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, at.data());
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    return out;
  }
  // What the dimension scales of a data set are called, axis by axis.
  std::vector<std::string> dimensions(const std::string& name) const {
    std::vector<std::string> out;
    const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    for (unsigned axis = 0; axis < shape(name).size(); ++axis)
      H5DSiterate_scales(
          dataset, axis, nullptr,
          [](hid_t, unsigned, hid_t scale, void* names) -> herr_t {
            char text[64] = {};
            H5DSget_scale_name(scale, text, sizeof text);
            static_cast<std::vector<std::string>*>(names)->emplace_back(text);
            return 0;
          },
          &out);
    H5Dclose(dataset);
    return out;
  }

  TaskInfo info_;
  TemporaryFolder folder_;
  hid_t file_ = -1;
};

TEST_F(DrawsFile, HoldsOneSetsSamplesAndObservations) {
  const torch::Tensor samples = torch::arange(8, torch::kFloat64).view({4, 2}) / 3,
                      x = torch::tensor({{0.5f, 1.f}, {2.f, 3.f}, {4.f, 5.f}});
  write_draws(folder_ / "a.nc", info_, samples, x, {{"run", "runs/a"}});
  open();
  EXPECT_THAT(shape("/posterior/theta1"), ElementsAre(1, 4));
  EXPECT_THAT(dimensions("/posterior/theta2"), ElementsAre("chain", "draw"));
  EXPECT_THAT(numbers("/posterior/theta1"), ElementsAre(0, 2.0 / 3, 4.0 / 3, 2));
  EXPECT_THAT(numbers("/posterior/theta2"), ElementsAre(1.0 / 3, 1, 5.0 / 3, 7.0 / 3));
  EXPECT_THAT(numbers("/posterior/draw"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(dimensions("/observed_data/x"), ElementsAre("observation", "column"));
  EXPECT_THAT(numbers("/observed_data/x"), ElementsAre(0.5, 1, 2, 3, 4, 5));
  EXPECT_THAT(texts("/observed_data/column"), ElementsAre("x1", "x2"));
  EXPECT_GT(H5Aexists(file_, "run"), 0);
  EXPECT_LE(H5Lexists(file_, "sample_stats", H5P_DEFAULT), 0) << "without weights";
}

TEST_F(DrawsFile, HoldsWeightsBesideSamples) {
  const torch::Tensor weights = torch::tensor({0.5, 1.5}, torch::kFloat64);
  write_draws(folder_ / "a.nc", info_, torch::zeros({2, 2}, torch::kFloat64), {}, {}, weights);
  open();
  EXPECT_THAT(dimensions("/sample_stats/weight"), ElementsAre("chain", "draw"));
  EXPECT_THAT(numbers("/sample_stats/weight"), ElementsAre(0.5, 1.5));
}

TEST_F(DrawsFile, HoldsManySetsBlockByBlock) {
  constexpr int kSets = 150;  // more than two blocks
  SetsHead head;
  head.info = &info_;
  head.sets = kSets;
  head.samples = 3;
  head.reported = {{"run", "runs/a"}, {"count", kSets}};
  write_sets(folder_ / "a.nc", head, [&](const std::function<void(const SetRow&)>& take) {
    for (int k = 0; k < kSets; ++k) {
      SetRow row;
      row.name = "set " + std::to_string(k);
      if (k == 77)
        row.problem = "it is broken";
      else
        row.samples =
            torch::full({3, 2}, k, torch::kFloat64) + torch::tensor({{0., .5}, {.1, .6}, {.2, .7}}, torch::kFloat64);
      take(row);
    }
  });
  open();
  EXPECT_THAT(shape("/posterior/theta2"), ElementsAre(1, 3, kSets));
  EXPECT_THAT(dimensions("/posterior/theta2"), ElementsAre("chain", "draw", "set"));
  const std::vector<double> values = numbers("/posterior/theta2");
  const std::vector<std::string> names = texts("/posterior/set");
  for (int k = 0; k < kSets; ++k) {
    EXPECT_EQ(names[static_cast<std::size_t>(k)], "set " + std::to_string(k));
    for (int draw = 0; draw < 3; ++draw) {
      const double value = values[static_cast<std::size_t>(draw * kSets + k)];
      if (k == 77)
        EXPECT_TRUE(std::isnan(value));
      else
        EXPECT_EQ(value, k + (draw == 0 ? .5 : draw == 1 ? .6 : .7));
    }
  }
}

TEST_F(DrawsFile, AFailureLeavesTheFileThatWasThere) {
  write_file(folder_ / "a.nc", "kept");
  SetsHead head;
  head.info = &info_;
  head.sets = 2;
  head.samples = 3;
  EXPECT_THROW(write_sets(folder_ / "a.nc", head, [](const auto&) { fail("the data are gone"); }), Error);
  EXPECT_EQ(read_file(folder_ / "a.nc"), "kept");
}

}  // namespace
}  // namespace pairs
#endif
