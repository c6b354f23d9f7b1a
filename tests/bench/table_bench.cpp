#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "tasks/table_file.h"

namespace pairs {
namespace {

// All numbers of the table that PAIRS_BENCH_TABLE names, as `infer` reads them: 4,096 rows at a time.
void ReadTable(benchmark::State& state) {
  const char* const path = std::getenv("PAIRS_BENCH_TABLE");
  if (path == nullptr) {
    state.SkipWithError("set PAIRS_BENCH_TABLE to a Parquet, Arrow, HDF5 or FITS file");
    return;
  }
  constexpr std::int64_t kRows = 4096;
  const auto table = open_table(path);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < table->columns().size(); ++k)
    if (table->columns()[k].other.empty()) places.push_back(k);
  std::vector<double> numbers(static_cast<std::size_t>(kRows) * places.size());
  for (auto _ : state)
    for (std::int64_t first = 0; first < table->rows(); first += kRows)
      table->read(first, std::min(kRows, table->rows() - first), places, numbers.data());
  state.SetItemsProcessed(state.iterations() * table->rows());
}
BENCHMARK(ReadTable)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pairs
