#pragma once

#include <torch/types.h>
#include <zip.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/files/npy.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "tasks/own/stored/simulations.h"
#if PAIRS_WITH_HDF5
#include <hdf5.h>
#endif

// Files of simulations for tests. Observation m of set s, whose θ is s / 1000, holds the number 1000 s + m, so that
// each number identifies its place.

namespace pairs::testing {

using Arrays = std::map<std::string, torch::Tensor>;

// As numpy.savez writes it: without compression.
inline void write_stored_npz(const std::filesystem::path& file, const Arrays& arrays) {
  int error = 0;
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  ASSERT_NE(archive, nullptr);
  std::vector<std::string> bytes;
  bytes.reserve(arrays.size());
  for (const auto& [name, array] : arrays) {
    const torch::Tensor whole = array.contiguous();
    std::string& text = bytes.emplace_back(npy_header_text(whole.scalar_type(), whole.sizes(), name));
    text.append(static_cast<const char*>(whole.const_data_ptr()), whole.nbytes());
    zip_source_t* source = zip_source_buffer(archive, text.data(), text.size(), 0);
    const zip_int64_t index = zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  }
  ASSERT_EQ(zip_close(archive), 0);
}

#if PAIRS_WITH_HDF5
// In chunks of `chunk` rows where that is not 0, deflated; `big`: big-endian.
inline void write_hdf5(const std::filesystem::path& file, const Arrays& arrays, std::int64_t chunk = 0,
                       bool big = false) {
  const hid_t out = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (const auto& [name, array] : arrays) {
    const torch::Tensor whole = array.contiguous();
    const std::vector<hsize_t> extents(whole.sizes().begin(), whole.sizes().end());
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                created = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0) {
      std::vector<hsize_t> chunks = extents;
      chunks[0] = std::min(chunks[0], static_cast<hsize_t>(chunk));
      H5Pset_chunk(created, static_cast<int>(chunks.size()), chunks.data());
      H5Pset_deflate(created, 4);
    }
    const bool single = whole.scalar_type() == torch::kFloat32, whole_numbers = whole.scalar_type() == torch::kInt64;
    const hid_t memory = whole_numbers ? H5T_NATIVE_INT64
                         : single      ? H5T_NATIVE_FLOAT
                                       : H5T_NATIVE_DOUBLE,
                stored = !big            ? memory
                         : whole_numbers ? H5T_STD_I64BE
                         : single        ? H5T_IEEE_F32BE
                                         : H5T_IEEE_F64BE;
    const hid_t set = H5Dcreate2(out, name.c_str(), stored, space, H5P_DEFAULT, created, H5P_DEFAULT);
    H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole.const_data_ptr());
    H5Dclose(set);
    H5Pclose(created);
    H5Sclose(space);
  }
  H5Fclose(out);
}
#endif

// θ [sets, 1] of the sets from `first` on.
inline torch::Tensor numbered_theta(std::int64_t sets, std::int64_t first = 0) {
  return torch::arange(first, first + sets, torch::kFloat64).div(1000).unsqueeze(1);
}
// x [sets, m, 1].
inline torch::Tensor numbered_x(std::int64_t sets, std::int64_t m, std::int64_t first = 0) {
  return (torch::arange(first, first + sets, torch::kFloat32).mul(1000).view({-1, 1, 1}) +
          torch::arange(m, torch::kFloat32).view({1, -1, 1}));
}
inline Arrays numbered_sets(std::int64_t sets, std::int64_t m, std::int64_t first = 0) {
  return {{"theta", numbered_theta(sets, first)}, {"x", numbered_x(sets, m, first)}};
}

inline TaskInfo stored_info(std::int64_t max_n, double low = -1, double high = 1000) {
  TaskInfo info;
  info.name = "stored";
  info.title = "Stored";
  info.summary = info.theta_text = info.psi_text = info.x_text = "A test.";
  info.targets = {{"theta", "θ", "", low, high, 0.0, 1.0, 1.0, low, high}};
  info.max_n = max_n;
  info.kind = ObservationKind::points;
  info.observation_shape = {1};
  info.observation_columns = {"x"};
  return info;
}
inline TaskInfo stored_row_info(std::int64_t max_n) {
  TaskInfo info = stored_info(max_n);
  info.kind = ObservationKind::rows;
  info.observation_shape = {2};
  info.observation_columns = {"a", "b"};
  info.rows = 2;
  return info;
}

inline std::shared_ptr<const Task> stored_task(const std::filesystem::path& folder, std::vector<std::string> files,
                                               const TaskInfo& info) {
  SimulationFiles names;
  names.files = std::move(files);
  return make_stored_task(std::make_shared<const Simulations>(names, folder, simulation_shape(info)), info);
}

// The message of an error; "" where there is none.
template <class Call>
std::string sentence_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace pairs::testing
