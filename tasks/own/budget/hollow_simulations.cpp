#include <ATen/Functions.h>

#include <cstdio>
#include <fstream>

#include "core/base/files/npy.h"
#include "core/base/files/scratch_folder.h"
#include "core/base/text/error.h"
#include "tasks/own/budget/pool.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

// Writes float32 zeros that take no room: a sparse file.
void write_zeros(const fs::path& file, const std::vector<std::int64_t>& shape) {
  std::uint64_t bytes = sizeof(float);
  for (const std::int64_t extent : shape) bytes *= static_cast<std::uint64_t>(extent);
  const std::string header = npy_header_text(torch::kFloat32, shape, file.string());
  std::ofstream out(file, std::ios::binary);
  out << header;
  out.close();
  std::error_code error;
  fs::resize_file(file, header.size() + bytes, error);
  PAIRS_CHECK(out.good() && !error, "{} cannot be written; free some space for temporary files", file.string());
}

// Declared before the reader, so that the files outlive it.
struct HollowFiles {
  ScratchFolder folder;
  std::unique_ptr<const Simulations> simulations;
};

}  // namespace

std::shared_ptr<const Simulations> hollow_simulations(const Task& task, const std::vector<PooledSet>& sets,
                                                      std::uint64_t seed) {
  const auto hollow = std::make_shared<HollowFiles>();
  std::vector<std::int64_t> indices, offsets = {0};
  for (const PooledSet& set : sets) {
    indices.push_back(set.index);
    offsets.push_back(offsets.back() + set.n);
  }
  const Latents latents = task.latents(seed, Purpose::pretrain, indices);
  write_npy(hollow->folder / "theta.npy", latents.theta);
  if (latents.psi.size(1) > 0) write_npy(hollow->folder / "psi.npy", latents.psi);
  if (latents.given.defined()) write_npy(hollow->folder / "given.npy", latents.given);
  write_npy(hollow->folder / "offsets.npy", torch::tensor(offsets, torch::kInt64));
  const TaskInfo& info = task.info();
  std::vector<std::int64_t> shape = {offsets.back()};
  shape.insert(shape.end(), info.observation_shape.begin(), info.observation_shape.end());
  if (info.rows > 0) {
    const auto each = std::max<std::int64_t>(1, static_cast<std::int64_t>(info.rows));
    shape[0] *= each;
    write_npy(hollow->folder / "row_offsets.npy", at::arange(offsets.back() + 1, torch::kInt64) * each);
  }
  write_zeros(hollow->folder / "x.npy", shape);
  SimulationFiles files;
  files.files = {"*.npy"};
  files.simulated = true;
  hollow->simulations =
      std::make_unique<const Simulations>(files, (hollow->folder / "x.npy").parent_path(), simulation_shape(info));
  return {hollow, hollow->simulations.get()};
}

}  // namespace pairs::own
