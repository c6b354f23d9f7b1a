#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

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

class StoredErrorsTest : public ::testing::Test {
 protected:
  std::string opened(const std::vector<std::string>& files, const TaskInfo& info = stored_info(4)) {
    return sentence_of([&] { (void)stored_task(folder_.path(), files, info); });
  }
  std::string of_arrays(const Arrays& arrays, const TaskInfo& info = stored_info(4)) {
    write_stored_npz(folder_ / "a.npz", arrays);
    return opened({"a.npz"}, info);
  }
  // The error that a.npz gives when a run begins, or before --plan.
  std::string prepared(const TaskInfo& info) {
    return sentence_of([&] { stored_task(folder_.path(), {"a.npz"}, info)->prepare({}); });
  }
  void truncate(const std::string& file, double share) {
    const auto bytes = static_cast<double>(std::filesystem::file_size(folder_ / file));
    std::filesystem::resize_file(folder_ / file, static_cast<std::uintmax_t>(bytes * share));
  }

  TemporaryFolder folder_;
  const Arrays good_ = numbered_sets(50, 4);
};

TEST_F(StoredErrorsTest, MissingFilesAndArrays) {
  EXPECT_EQ(of_arrays(good_), "");
  EXPECT_THAT(opened({"none/*.npz"}), HasSubstr("nothing matches \"none/*.npz\""));
  EXPECT_THAT(opened({}), HasSubstr("names no files"));
  EXPECT_EQ(of_arrays({{"theta", good_.at("theta")}, {"data", good_.at("x")}}),
            "a.npz holds no array 'x' ([S, M, 1]), only data, theta; save it under that name, or set x = \"...\" in "
            "[simulations]");
  EXPECT_THAT(of_arrays({{"x", good_.at("x")}}), StartsWith("a.npz holds no array 'theta' ([S, 1]), only x;"));
  TaskInfo nuisance = stored_info(4);
  nuisance.nuisances = {{"psi", "ψ"}};
  EXPECT_THAT(of_arrays(good_, nuisance), StartsWith("a.npz holds no array 'psi' ([50, 1])"));
  std::ofstream(folder_ / "notes.txt") << "sets";
  EXPECT_THAT(opened({"notes.txt"}), StartsWith("notes.txt is neither .npz, .npy, .h5 nor .hdf5"));
  std::filesystem::create_directories(folder_ / "empty");
  EXPECT_THAT(opened({"empty"}), StartsWith("empty holds no theta.npy and no x.npy"));
}

TEST_F(StoredErrorsTest, WrongShapesAndTypes) {
  Arrays arrays = good_;
  arrays["x"] = good_.at("x").narrow(0, 0, 49);
  EXPECT_THAT(of_arrays(arrays), StartsWith("a.npz: array 'x' holds 49 sets, but theta 50"));
  arrays["x"] = torch::zeros({50, 4, 2});
  EXPECT_THAT(of_arrays(arrays), StartsWith("a.npz: array 'x' has shape [50, 4, 2], but [S, M, 1] is needed"));
  arrays["theta"] = torch::zeros({50, 3});
  EXPECT_THAT(of_arrays(arrays), StartsWith("a.npz: array 'theta' has shape [50, 3], but [S, 1] is needed"));
  arrays = good_;
  arrays["offsets"] = torch::arange(0, 205, 4, torch::kInt64);
  EXPECT_THAT(of_arrays(arrays), StartsWith("a.npz: array 'offsets' has shape [52], but [51] is needed"));
  arrays["x"] = good_.at("x").flatten();
  arrays["offsets"] = torch::arange(0, 201, 4, torch::kInt64);
  EXPECT_EQ(of_arrays(arrays), "");
  arrays["offsets"][3] = 8;
  EXPECT_THAT(of_arrays(arrays), StartsWith("a.npz: array 'offsets': set 2 begins at 8 and ends at 8"));
  arrays["offsets"][3] = 12;
  arrays["offsets"][50] = 199;
  EXPECT_THAT(of_arrays(arrays), StartsWith("a.npz: array 'offsets' leads from 0 to 199, but must lead from 0 to 200"));
  arrays["offsets"] = torch::arange(0, 201, 4, torch::kFloat64);
  EXPECT_THAT(of_arrays(arrays), StartsWith("a.npz: array 'offsets' holds floating-point numbers"));
  // Rows.
  Arrays rows = {{"theta", numbered_theta(50)}, {"x", torch::zeros({300, 2})}};
  EXPECT_THAT(of_arrays(rows, stored_row_info(4)),
              AllOf(StartsWith("a.npz: array 'x'"), HasSubstr("row_offsets [T + 1]")));
  rows["row_offsets"] = torch::arange(0, 305, 3, torch::kInt64).clamp_max(300);  // 101 observations
  EXPECT_THAT(of_arrays(rows, stored_row_info(4)), HasSubstr("101 observations, which 50 sets do not share equally"));
  rows["row_offsets"] = torch::arange(0, 299, 3, torch::kInt64);
  EXPECT_THAT(of_arrays(rows, stored_row_info(4)), HasSubstr("must lead from 0 to 300"));
  rows["row_offsets"] = torch::arange(0, 301, 3, torch::kInt64);
  rows["row_offsets"][40] = 500;  // of the first observation of a set
  EXPECT_THAT(
      of_arrays(rows, stored_row_info(2)),
      AllOf(StartsWith("a.npz: array 'row_offsets': observation 0 of set 20"), HasSubstr("offsets must ascend")));
  rows["row_offsets"] = torch::zeros({0}, torch::kInt64);
  EXPECT_THAT(of_arrays(rows, stored_row_info(2)), HasSubstr("has shape [0], but [T + 1] is needed"));
  rows = {{"theta", numbered_theta(25)}, {"x", torch::zeros({300, 2})}};
  rows["row_offsets"] = torch::arange(0, 301, 3, torch::kInt64);
  rows["row_offsets"][2] = 200;
  EXPECT_EQ(of_arrays(rows, stored_row_info(4)), "");
  EXPECT_EQ(prepared(stored_row_info(4)),
            "a.npz: array 'row_offsets': observation 2 begins at row 200 and ends at 9; offsets must ascend");
}

TEST_F(StoredErrorsTest, NumbersThatAreNotFiniteOrOutsideTheirSupport) {
  Arrays arrays = good_;
  arrays["theta"] = good_.at("theta").clone();
  arrays["theta"][17][0] = NAN;
  EXPECT_EQ(of_arrays(arrays), "a.npz: array 'theta': row 17 holds nan in column 0; every number must be finite");
  arrays["theta"][17][0] = 2000;
  EXPECT_EQ(of_arrays(arrays),
            "a.npz: array 'theta': row 17 holds theta = 2000, outside its support -1 to 1000; widen the support in "
            "task.toml, or store the sets of this prior alone");
  arrays = good_;
  arrays["x"] = good_.at("x").to(torch::kFloat64).clone();
  arrays["x"].fill_(1e300);  // beyond float32
  EXPECT_THAT(
      of_arrays(arrays),
      AllOf(StartsWith("a.npz: array 'x': set "),
            HasSubstr(" holds 1e+300 in an observation; every number must be finite in float32: leave the set out, or "
                      "simulate it again")));
  // Beyond the first observations it takes a look at all numbers, once for each state of the files.
  arrays["x"] = good_.at("x").clone();
  arrays["x"][31][2][0] = NAN;
  EXPECT_EQ(of_arrays(arrays), "");
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(
        prepared(stored_info(4)),
        "a.npz: array 'x' holds nan in an observation of set 31; every number must be finite in float32: leave the "
        "set out, or simulate it again; where NaN fills smaller sets up, write padding = \"nan\" in [simulations]");
  EXPECT_EQ(of_arrays(good_), "");
  const auto whole = stored_task(folder_.path(), {"a.npz"}, stored_info(4));
  std::int64_t looked = 0;
  const auto watched = [&](const std::string&, std::int64_t done, std::int64_t) { looked = done; };
  whole->prepare({.stop = {}, .progress = watched});
  EXPECT_EQ(looked, 200);
  looked = 0;
  stored_task(folder_.path(), {"a.npz"}, stored_info(4))->prepare({.stop = {}, .progress = watched});
  EXPECT_EQ(looked, 0) << "remembered";
  write_stored_npz(folder_ / "a.npz", numbered_sets(50, 4, 9));
  EXPECT_THROW(stored_task(folder_.path(), {"a.npz"}, stored_info(4))->prepare({.stop = [] { return true; }}), Stopped);
}

TEST_F(StoredErrorsTest, NuisancesOutsideTheirSupport) {
  Arrays arrays = good_;
  arrays["psi"] = numbered_theta(50);
  write_stored_npz(folder_ / "a.npz", arrays);
  TaskInfo info = stored_info(4);
  info.nuisances = {{"b", "b"}};
  SimulationFiles names;
  names.files = {"a.npz"};
  const auto within = [&](double high) {
    return sentence_of([&] {
      (void)make_stored_task(std::make_shared<const Simulations>(names, folder_.path(), simulation_shape(info)), info,
                             {{0.0, high}});
    });
  };
  EXPECT_EQ(within(0.049), "");
  EXPECT_EQ(
      within(0.0405),
      "a.npz: array 'psi': row 41 holds b = 0.041, outside its support 0 to 0.0405; widen the support in task.toml, "
      "or store the sets of this prior alone");
}

// Times since 1970 with milliseconds in between: float32 keeps steps of 128 seconds.
TEST_F(StoredErrorsTest, NumbersThatFloat32CannotTellApartAreNotRounded) {
  Arrays arrays = good_;
  arrays["x"] = good_.at("x").to(torch::kFloat64) * 1e-3 + 1.7e9;
  SimulationFiles names;
  names.files = {"a.npz"};
  const auto opened = [&](const Arrays& stored, const InputScale& input = {}) {
    write_stored_npz(folder_ / "a.npz", stored);
    return sentence_of(
        [&] { Simulations(names, folder_.path(), simulation_shape(stored_info(4))).check_precision({"t"}, input); });
  };
  EXPECT_THAT(opened(arrays), AllOf(StartsWith("a.npz: array 'x': numbers of column 't' are as large as 1.7"),
                                    HasSubstr("loses up to"), HasSubstr("subtract an offset such as 1.7")));
  EXPECT_EQ(opened(arrays, {{1.7e9}, {1e-3}}), "") << "standardized, which is computed in float64";
  EXPECT_THAT(opened(arrays, {{0.0}, {1.7e9}}), HasSubstr("loses up to"));
  arrays["x"] = (good_.at("x").to(torch::kFloat64) + 1.7e9).to(torch::kInt64);
  EXPECT_THAT(opened(arrays), HasSubstr("loses up to"));
  arrays["x"] = good_.at("x").to(torch::kFloat64) * 1e-3 + 17;
  EXPECT_EQ(opened(arrays), "");
  arrays["x"] = good_.at("x").to(torch::kInt64);
  EXPECT_EQ(opened(arrays), "");
}

TEST_F(StoredErrorsTest, FilesThatAreCompressedDamagedOrCutShort) {
  write_npz(folder_ / "deflated.npz", good_);
  EXPECT_EQ(opened({"deflated.npz"}), "");
  const std::string deflated = read_file(folder_ / "deflated.npz");
  int refused = 0;
  for (std::size_t at = 60; at + 400 < deflated.size(); at += 37) {
    std::string other = deflated;
    other[at] = static_cast<char>(other[at] ^ 8);
    std::ofstream(folder_ / "flipped.npz", std::ios::binary) << other;
    const std::string said = opened({"flipped.npz"});
    refused += said.empty() ? 0 : 1;
    if (said.empty()) continue;
    EXPECT_THAT(said, StartsWith("flipped.npz"));
  }
  EXPECT_GT(refused, 5);
  std::ofstream(folder_ / "nothing.npz").flush();
  EXPECT_EQ(opened({"nothing.npz"}), "nothing.npz is empty; write it again, or take it out of [simulations] files");
  // One of a hundred.
  std::filesystem::create_directories(folder_ / "many");
  for (int i = 0; i < 100; ++i)
    write_stored_npz(folder_ / fmt::format("many/{:02}.npz", i), numbered_sets(10, 4, 10 * i));
  EXPECT_EQ(opened({"many/*.npz"}), "");
  truncate("many/57.npz", 0.5);
  EXPECT_EQ(opened({"many/*.npz"}),
            "many/57.npz is damaged, cut short or not a .npz file; write it again with numpy.savez");
  std::filesystem::create_directories(folder_ / "f");
  write_npy(folder_ / "f/theta.npy", good_.at("theta"));
  write_npy(folder_ / "f/x.npy", good_.at("x"));
  truncate("f/x.npy", 0.5);
  EXPECT_THAT(opened({"f"}), StartsWith("f/x.npy is cut short: its shape [50, 4, 1] needs 800 bytes and"));
  std::ofstream(folder_ / "noise.h5") << std::string(4096, 'x');
#if PAIRS_WITH_HDF5
  EXPECT_THAT(opened({"noise.h5"}), StartsWith("noise.h5 is damaged, cut short or not a HDF5 file ("));
  write_hdf5(folder_ / "cut.h5", good_);
  truncate("cut.h5", 0.7);
  EXPECT_THAT(opened({"cut.h5"}), StartsWith("cut.h5 is damaged, cut short or not a HDF5 file ("));
  write_hdf5(folder_ / "big.h5", {{"theta", numbered_theta(10)}, {"x", torch::zeros({10, 2000000, 1})}}, 10);
  EXPECT_THAT(opened({"big.h5"}),
              StartsWith("big.h5: array 'x' has chunks of 76.3 MiB, of which each is unpacked whole"));
#else
  EXPECT_THAT(opened({"noise.h5"}), HasSubstr("-DPAIRS_HDF5=ON"));
#endif
}

// Any bytes: an error in one sentence, or arrays that can be read; never a crash.
TEST_F(StoredErrorsTest, DamagedBytesAreNeverMoreThanASentence) {
  write_stored_npz(folder_ / "good.npz", good_);
  const std::string npz = read_file(folder_ / "good.npz");
#if PAIRS_WITH_HDF5
  write_hdf5(folder_ / "good.h5", good_, 7);
  const std::string hdf5 = read_file(folder_ / "good.h5");
#endif
  Stream stream(stream_key(1, Purpose::check), 0);
  int refused = 0;
  const auto attempt = [&](std::string bytes, const std::string& name) {
    for (int change = 0; change < 4; ++change) bytes[stream.below(bytes.size())] = static_cast<char>(stream.below(256));
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    const std::string said = sentence_of([&] {
      const auto task = stored_task(folder_.path(), {name}, stored_info(4));
      sets_of(*task, latents_of(*task, 1, Purpose::pretrain, 0, 30), 1, Purpose::pretrain, 0, 2);
    });
    refused += said.empty() ? 0 : 1;
  };
  for (int i = 0; i < 300; ++i) attempt(npz, "bad.npz");
#if PAIRS_WITH_HDF5
  for (int i = 0; i < 300; ++i) attempt(hdf5, "bad.h5");
#endif
  EXPECT_GT(refused, 20);
}

TEST_F(StoredErrorsTest, TooFewSets) {
  write_stored_npz(folder_ / "a.npz", good_);
  EXPECT_EQ(opened({"a.npz", "./a.npz", "*a.npz"}), "") << "one file, three patterns";
  Arrays design = good_;  // the same θ, other observations
  design["x"] = good_.at("x") + 0.5;
  write_stored_npz(folder_ / "b.npz", design);
  EXPECT_EQ(opened({"*.npz"}), "");
  EXPECT_THAT(of_arrays(numbered_sets(2, 4)), HasSubstr("hold 2 sets of 2 different θ, too few"));
  EXPECT_THAT(of_arrays(numbered_sets(50, 1), stored_info(1)),
              HasSubstr("Too few of the stored sets hold two observations"));
  EXPECT_EQ(
      of_arrays(good_, stored_info(5)),
      "max_n = 5 asks for sets of as many observations, but only up to N = 4 are stored for training, validation and "
      "evaluations; set max_n = 4, or store larger sets");
}

TEST_F(StoredErrorsTest, FilesThatChangeWhileTheyAreInUse) {
  write_stored_npz(folder_ / "a.npz", good_);
  const auto task = stored_task(folder_.path(), {"a.npz"}, stored_info(4));
  const auto draw = [&] {
    return sentence_of(
        [&] { sets_of(*task, latents_of(*task, 1, Purpose::pretrain, 0, 3), 1, Purpose::pretrain, 0, 2); });
  };
  const auto state = task->stored()->state();
  ASSERT_EQ(state.size(), 1u);
  EXPECT_EQ(state[0].file, "a.npz");
  EXPECT_THAT(state[0].state, AllOf(HasSubstr(" bytes, modified 2"), HasSubstr(" UTC, ends ")));
  EXPECT_EQ(draw(), "");
  const auto time = std::filesystem::last_write_time(folder_ / "a.npz");
  write_stored_npz(folder_ / "other.npz", numbered_sets(50, 4, 7));
  std::filesystem::rename(folder_ / "other.npz", folder_ / "a.npz");
  EXPECT_THAT(draw(), StartsWith("a.npz has changed since it was opened"));
  // Size and time are unchanged, but the content differs: so does the state that a run records.
  std::filesystem::last_write_time(folder_ / "a.npz", time);
  EXPECT_NE(stored_task(folder_.path(), {"a.npz"}, stored_info(4))->stored()->state()[0].state, state[0].state);
  std::filesystem::remove(folder_ / "a.npz");
  EXPECT_THAT(draw(), StartsWith("a.npz has gone since it was opened"));
}

}  // namespace
}  // namespace pairs
