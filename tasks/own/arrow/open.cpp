#include <new>
#include <stdexcept>
#include <string_view>

#include "tasks/own/arrow/arrow_reader.h"

namespace pairs {
namespace {

std::unique_ptr<TableModule> open_by_head(const std::string& path) {
  auto file = value_of(arrow::io::ReadableFile::Open(path), "it cannot be opened; check who may read it");
  const auto head = value_of(file->ReadAt(0, 6), "it cannot be read; check its disk");
  const std::string_view begins(reinterpret_cast<const char*>(head->data()), static_cast<std::size_t>(head->size()));
  if (begins.starts_with("PAR1")) return open_parquet(std::move(file));
  if (begins.starts_with("PARE")) throw std::runtime_error("it is encrypted; save it without encryption");
  if (begins.starts_with("ARROW1")) return open_ipc_file(std::move(file));
  if (begins.starts_with("FEA1"))
    throw std::runtime_error("it is a Feather file of version 1, which is no longer read; save it as version 2");
  if (begins.starts_with("\xFF\xFF\xFF\xFF")) return open_ipc_stream(path);
  throw std::runtime_error(
      "it begins neither as a Parquet nor as an Arrow file; write it again, or correct its ending");
}

}  // namespace
}  // namespace pairs

extern "C" __attribute__((visibility("default"))) int pairs_table_version() {
  return pairs::kTableModuleVersion;
}

extern "C" __attribute__((visibility("default"))) pairs::TableModule* pairs_open_table(const char* path) {
  return pairs::open_by_head(path).release();
}
