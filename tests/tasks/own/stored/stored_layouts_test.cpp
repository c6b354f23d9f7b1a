// Stored simulations as people write them: whatever the type, byte order, order of axes and compression, they are the
// same sets.
#include <ATen/Functions.h>
#include <c10/util/Half.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>

#include "core/base/files/files.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/stored/stored_files.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {

using namespace pairs::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// How NumPy writes numbers.
struct Written {
  std::string type;
  bool big = false, fortran = false;
};

template <class Number>
std::string bytes_as(double value) {
  const auto number = static_cast<Number>(value);
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}
std::string number_bytes(double value, const Written& how) {
  const std::string& type = how.type;
  std::string bytes = type == "f2"   ? bytes_as<c10::Half>(static_cast<float>(value))
                      : type == "f4" ? bytes_as<float>(value)
                      : type == "f8" ? bytes_as<double>(value)
                      : type == "i1" ? bytes_as<std::int8_t>(value)
                      : type == "i2" ? bytes_as<std::int16_t>(value)
                      : type == "i4" ? bytes_as<std::int32_t>(value)
                      : type == "i8" ? bytes_as<std::int64_t>(value)
                      : type == "u1" ? bytes_as<std::uint8_t>(value)
                      : type == "u2" ? bytes_as<std::uint16_t>(value)
                      : type == "u4" ? bytes_as<std::uint32_t>(value)
                                     : bytes_as<std::uint64_t>(value);
  if (how.big) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

// A .npy array of float64 numbers, written so.
std::string npy_bytes(const torch::Tensor& values, const Written& how) {
  std::string text = "{'descr': '" + std::string(how.big ? ">" : "<") + how.type +
                     "', 'fortran_order': " + (how.fortran ? "True" : "False") + ", 'shape': (";
  for (const std::int64_t extent : values.sizes()) text += std::to_string(extent) + ",";
  text += "), }\n";
  std::string bytes = std::string("\x93NUMPY\x01", 7) + '\0' + static_cast<char>(text.size() & 0xff) +
                      static_cast<char>(text.size() >> 8) + text;
  std::vector<std::int64_t> axes;
  for (std::int64_t k = values.dim(); k-- > 0;) axes.push_back(k);
  const torch::Tensor order = (how.fortran ? values.permute(axes) : values).contiguous();
  for (std::int64_t i = 0; i < order.numel(); ++i) bytes += number_bytes(order.const_data_ptr<double>()[i], how);
  return bytes;
}

void write_archive_of(const std::filesystem::path& file, const std::map<std::string, std::string>& members,
                      bool packed) {
  int error = 0;
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  ASSERT_NE(archive, nullptr);
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const auto index =
        static_cast<zip_uint64_t>(zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8));
    zip_set_file_compression(archive, index, packed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 6);
  }
  ASSERT_EQ(zip_close(archive), 0);
}

class StoredLayouts : public ::testing::Test {
 protected:
  static TaskInfo info(std::int64_t max_n) {
    TaskInfo info = stored_info(max_n);
    info.observation_shape = {2};
    info.observation_columns = {"a", "b"};
    return info;
  }
  std::shared_ptr<const Task> task(const std::vector<std::string>& files, std::int64_t max_n,
                                   bool padded = false) const {
    SimulationFiles names;
    names.files = files;
    names.padding = padded ? "nan" : "";
    const TaskInfo of = info(max_n);
    return make_stored_task(std::make_shared<const Simulations>(names, folder_.path(), simulation_shape(of)), of);
  }
  std::string refused(const std::vector<std::string>& files, std::int64_t max_n, bool padded) const {
    return sentence_of([&] { task(files, max_n, padded)->prepare({}); });
  }
  // All that is read of the sets of two purposes.
  static torch::Tensor numbers_of(const Task& task, std::int64_t n) {
    std::vector<torch::Tensor> all;
    for (const Purpose purpose : {Purpose::pretrain, Purpose::test}) {
      const Latents latents = latents_of(task, 1, purpose, 0, task.stored()->sets(purpose, n));
      all.push_back(latents.theta.flatten().to(torch::kFloat64));
      all.push_back(sets_of(task, latents, 1, purpose, 0, n).flatten().to(torch::kFloat64));
    }
    return at::cat(all);
  }

  // All observations of all sets, in their order.
  std::vector<double> all_numbers(const std::vector<std::string>& files, bool padded) const {
    SimulationFiles names;
    names.files = files;
    names.padding = padded ? "nan" : "";
    const Simulations simulations(names, folder_.path(), simulation_shape(info(4)));
    std::vector<double> all;
    for (const Split split : kSplits)
      for (std::int64_t k = 0; k < simulations.sets(split, 1); ++k) {
        const StoredSet set = simulations.set(split, k);
        const SetFile& file = simulations.file(set.file);
        std::vector<std::int64_t> positions(static_cast<std::size_t>(file.observations(set.set)));
        std::iota(positions.begin(), positions.end(), std::int64_t{0});
        all.resize(all.size() + 2 * positions.size());
        file.read_observations(set.set, positions, all.data() + all.size() - 2 * positions.size());
      }
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(StoredLayouts, EveryTypeOrderAndCompressionIsTheSameSets) {
  // 40 sets of 5 observations of two numbers, which every type holds: 0 to 120.
  const torch::Tensor theta = torch::arange(40, torch::kFloat64).unsqueeze(1),
                      x = torch::arange(400, torch::kFloat64).mul(37).remainder(121).view({40, 5, 2});
  write_stored_npz(folder_ / "plain.npz", {{"theta", theta}, {"x", x}});
  const torch::Tensor expected = numbers_of(*task({"plain.npz"}, 5), 5);
  int validated = 0;
  for (const char* type : {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"})
    for (const bool big : {false, true})
      for (const bool fortran : {false, true})
        for (const char* kind : {"stored", "deflated", "folder"}) {
          const Written how{type, big, fortran};
          SCOPED_TRACE(::testing::Message() << type << big << fortran << kind);
          const std::string name = std::string(kind) + std::to_string(validated++);
          const std::map<std::string, std::string> members = {{"theta", npy_bytes(theta, how)},
                                                              {"x", npy_bytes(x, how)}};
          if (std::string(kind) == "folder") {
            std::filesystem::create_directories(folder_ / name);
            for (const auto& [array, bytes] : members) write_file(folder_ / (name + "/" + array + ".npy"), bytes);
          } else {
            write_archive_of(folder_ / (name + ".npz"), members, std::string(kind) == "deflated");
          }
          const auto made = task({std::string(kind) == "folder" ? name : name + ".npz"}, 5);
          EXPECT_TRUE(at::equal(numbers_of(*made, 5), expected));
          made->prepare({});
        }
  EXPECT_EQ(validated, 132);
}

TEST_F(StoredLayouts, FortranOrderOfManyAxesAndBlocksIsTurned) {
  // More than one block of 32 MiB, of images.
  const torch::Tensor x = torch::arange(3 * 1500 * 31 * 33, torch::kFloat64).view({1500, 3, 31, 33});
  write_archive_of(folder_ / "f.npz", {{"x", npy_bytes(x, {"f8", true, true})}}, true);
  const auto arrays = npz_arrays(std::make_shared<const StoredFile>(folder_ / "f.npz", "f.npz"));
  const auto read = arrays->array("x");
  EXPECT_EQ(read->shape(), (std::vector<std::int64_t>{1500, 3, 31, 33}));
  torch::Tensor out = torch::empty_like(x);
  read->read(0, read->count(), out.mutable_data_ptr<double>());
  EXPECT_TRUE(at::equal(out, x));
  const std::int64_t some = 1234567;
  read->read(some, 100, out.mutable_data_ptr<double>());
  EXPECT_EQ(out.flatten()[99].item<double>(), static_cast<double>(some + 99));
}

TEST_F(StoredLayouts, NothingIsLeftOfWhatWasUnpacked) {
  const char* const before = std::getenv("PAIRS_CACHE");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("PAIRS_CACHE", (folder_ / "cache").c_str(), 1);
  const torch::Tensor theta = torch::arange(40, torch::kFloat64), x = torch::ones({40, 5, 2}, torch::kFloat64);
  write_archive_of(folder_ / "a.npz", {{"theta", npy_bytes(theta, {"f8"})}, {"x", npy_bytes(x, {"f8"})}}, true);
  const auto made = task({"a.npz"}, 5);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "cache/unpacked"));
  const auto state = made->stored()->state();
  ASSERT_EQ(state.size(), 1u) << "the file itself is what a run records";
  EXPECT_EQ(state[0].file, "a.npz");
  ::setenv("PAIRS_CACHE", (folder_ / "a.npz").c_str(), 1);
  EXPECT_THAT(refused({"a.npz"}, 5, false), AllOf(HasSubstr("cannot be unpacked into"), HasSubstr("set PAIRS_CACHE")));
  before != nullptr ? ::setenv("PAIRS_CACHE", kept.c_str(), 1) : ::unsetenv("PAIRS_CACHE");
}

TEST_F(StoredLayouts, SetsThatNaNFillsUpAreRaggedWhereAskedFor) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::int64_t sets = 60, most = 9;
  const torch::Tensor theta = torch::arange(sets, torch::kFloat64);
  torch::Tensor x = torch::arange(sets * most * 2, torch::kFloat64).view({sets, most, 2}).clone();
  std::vector<torch::Tensor> held;
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t s = 0; s < sets; ++s) {
    const std::int64_t n = 2 + s * 5 % (most - 1);
    held.push_back(x[s].narrow(0, 0, n).clone());
    x[s].narrow(0, n, most - n).fill_(kNaN);
    offsets.push_back(offsets.back() + n);
  }
  write_stored_npz(folder_ / "ragged.npz",
                   {{"theta", theta}, {"x", at::cat(held)}, {"offsets", torch::tensor(offsets, torch::kInt64)}});
  const auto expected = task({"ragged.npz"}, 4);
  std::vector<std::string> padded;
  for (const char* type : {"f2", "f4", "f8"})
    for (const bool fortran : {false, true}) {
      padded.push_back(fmt::format("{}{}.npz", type, fortran));
      write_archive_of(folder_ / padded.back(),
                       {{"theta", npy_bytes(theta, {"f8"})}, {"x", npy_bytes(x, {type, true, fortran})}}, fortran);
    }
#if PAIRS_WITH_HDF5
  write_hdf5(folder_ / "a.h5", {{"theta", theta}, {"x", x}}, 7);
  padded.emplace_back("a.h5");
#endif
  for (const std::string& file : padded) {
    SCOPED_TRACE(file);
    const auto made = task({file}, 4, true);
    EXPECT_EQ(made->info().data_source, expected->info().data_source);
    EXPECT_EQ(refused({file}, 4, true), "");
    for (const std::int64_t n : {2, 4, 7})
      EXPECT_EQ(made->stored()->sets(Purpose::pretrain, n), expected->stored()->sets(Purpose::pretrain, n));
    EXPECT_TRUE(at::equal(numbers_of(*made, 2), numbers_of(*expected, 2)));
    EXPECT_EQ(all_numbers({file}, true), all_numbers({"ragged.npz"}, false)) << "whole sets";
    EXPECT_THAT(refused({file}, 4, false), AllOf(StartsWith(file), HasSubstr("padding = \"nan\" in [simulations]")));
  }
  // Files of sets that are full, or have offsets, are read as they are.
  write_stored_npz(folder_ / "full.npz",
                   {{"theta", theta + 100}, {"x", torch::ones({sets, most, 2}, torch::kFloat64)}});
  EXPECT_EQ(refused({"full.npz"}, 9, true), "");
  EXPECT_EQ(refused({"ragged.npz"}, 4, true), "");

  const auto with = [&](std::int64_t s, std::int64_t m, std::int64_t k, double value) {
    torch::Tensor other = x.clone();
    other[s][m][k] = value;
    write_stored_npz(folder_ / "wrong.npz", {{"theta", theta}, {"x", other}});
    return refused({"wrong.npz"}, 4, true);
  };
  EXPECT_THAT(with(7, 0, 1, kNaN), AllOf(StartsWith("wrong.npz: array 'x': observation 0 of set 7 is NaN in part"),
                                         HasSubstr("leave the set out")));
  EXPECT_THAT(with(0, 1, 1, kNaN), HasSubstr("observation 1 of set 0 is NaN in part"));
  EXPECT_THAT(with(0, 5, 0, 1.0), HasSubstr("of set 0 is NaN in part"));
  EXPECT_THAT(with(3, 0, 1, std::numeric_limits<double>::infinity()), HasSubstr("holds inf"));
  x[12].fill_(kNaN);
  write_stored_npz(folder_ / "wrong.npz", {{"theta", theta}, {"x", x}});
  EXPECT_THAT(refused({"wrong.npz"}, 4, true), HasSubstr("set 12 is NaN throughout"));
}

#if PAIRS_WITH_HDF5
TEST_F(StoredLayouts, BooleansOfHdf5AreNumbers) {
  const hid_t file = H5Fcreate((folder_ / "b.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
              truth = H5Tenum_create(H5T_STD_I8LE);
  for (const std::int8_t value : {0, 1}) H5Tenum_insert(truth, value == 1 ? "TRUE" : "FALSE", &value);
  const hsize_t extents[] = {40, 5, 2}, sets = 40;
  const hid_t space = H5Screate_simple(3, extents, nullptr), line = H5Screate_simple(1, &sets, nullptr);
  std::vector<std::int8_t> flags(400);
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = static_cast<std::int8_t>(i * 7 / 3 % 2);
  std::vector<double> theta(40);
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = static_cast<double>(i);
  const hid_t x = H5Dcreate2(file, "x", truth, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
              t = H5Dcreate2(file, "theta", H5T_IEEE_F64BE, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(x, truth, H5S_ALL, H5S_ALL, H5P_DEFAULT, flags.data());
  H5Dwrite(t, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, theta.data());
  H5Dclose(x);
  H5Dclose(t);
  H5Tclose(truth);
  H5Sclose(space);
  H5Sclose(line);
  H5Fclose(file);
  const torch::Tensor plain = torch::tensor(std::vector<std::int64_t>(flags.begin(), flags.end())).view({40, 5, 2});
  write_stored_npz(folder_ / "plain.npz", {{"theta", torch::tensor(theta, torch::kFloat64)}, {"x", plain}});
  EXPECT_TRUE(at::equal(numbers_of(*task({"b.h5"}, 5), 5), numbers_of(*task({"plain.npz"}, 5), 5)));
}
#endif

}  // namespace
}  // namespace pairs
