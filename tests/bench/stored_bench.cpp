#include <ATen/Functions.h>
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <fstream>

#include "core/base/files/npy.h"
#include "tasks/own/stored/simulations.h"

// Sets read from files, as the stages ask for them: pairs of stage 1, and whole sets of stage 2.

namespace pairs {
namespace {

// 200,000 sets of 2 and 20,000 of 200 numbers, in a folder that goes with the program.
class Files {
 public:
  Files() : folder_(std::filesystem::temp_directory_path() / fmt::format("pairs-bench-{}", ::getpid())) {
    write("pairs", 200000, 2);
    write("large", 20000, 200);
    TaskInfo info;
    info.name = info.title = "stored";
    info.targets = {{"theta", "θ", "", 0, 1, 0, 1, 1, 0, 1}};
    info.max_n = 200;
    info.kind = ObservationKind::points;
    info.observation_shape = {1};
    info.observation_columns = {"x"};
    SimulationFiles files;
    files.files = {"pairs", "large"};
    task = make_stored_task(std::make_shared<const Simulations>(files, folder_, simulation_shape(info)), info);
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::shared_ptr<const Task> task;

 private:
  void write(const char* name, std::int64_t sets, std::int64_t m) {
    std::filesystem::create_directories(folder_ / name);
    const auto save = [&](const char* array, const torch::Tensor& values) {
      const auto file = folder_ / name / array;
      std::ofstream out(file, std::ios::binary);
      out << npy_header_text(values.scalar_type(), values.sizes(), file.string());
      out.write(static_cast<const char*>(values.const_data_ptr()), static_cast<std::streamsize>(values.nbytes()));
    };
    save("theta.npy", at::rand({sets, 1}, torch::kFloat64));
    save("x.npy", at::rand({sets, m, 1}));
  }
  std::filesystem::path folder_;
};

void read_sets(benchmark::State& state, Purpose purpose, std::int64_t sets, std::int64_t n) {
  static const Files files;
  const Task& task = *files.task;
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::vector<SetRange> ranges(indices.size());
  std::int64_t next = 0;
  for (auto _ : state) {
    for (std::size_t k = 0; k < indices.size(); ++k) {
      indices[k] = next++;
      ranges[k] = {indices[k], 0, n};
    }
    const Latents latents = task.latents(1, purpose, indices);
    benchmark::DoNotOptimize(task.observe(latents, 1, purpose, ranges, torch::kCPU).count());
  }
  state.SetItemsProcessed(state.iterations() * sets);
}

void stored_pairs(benchmark::State& state) {
  read_sets(state, Purpose::pretrain, 1024, 2);
}
BENCHMARK(stored_pairs)->Unit(benchmark::kMillisecond)->UseRealTime();

void stored_large_sets(benchmark::State& state) {
  read_sets(state, Purpose::finetune, 128, 200);
}
BENCHMARK(stored_large_sets)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pairs
