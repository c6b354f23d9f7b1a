#include "app/gpu/wheel_file.h"

#include <zip.h>

#include <fstream>
#include <memory>
#include <regex>
#include <string>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::gpu {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

bool is_library(const std::string& member) {
  static const std::regex library(
      R"(nvidia/[\w-]+/lib/[\w.-]+\.so(\.[\d.]+)?|torch/lib/lib[\w-]*(cuda|nvrtc|nvshmem)[\w-]*\.so)");
  return std::regex_match(member, library);
}

void unpack_member(zip_t* archive, zip_uint64_t index, const fs::path& target, const std::string& where,
                   const std::function<bool()>& stopped) {
  constexpr std::size_t kPiece = 1 << 20;
  const std::unique_ptr<zip_file_t, Close> member(zip_fopen_index(archive, index, 0));
  PAIRS_CHECK(member, "{} is damaged ({}); fetch it again", where, printable(zip_strerror(archive)));
  fs::create_directories(target.parent_path());
  write_file_through(target, [&](const fs::path& file) {
    std::ofstream out(file, std::ios::binary);
    std::string piece(kPiece, '\0');
    for (;;) {
      if (stopped && stopped()) throw Stopped();
      const zip_int64_t got = zip_fread(member.get(), piece.data(), piece.size());
      PAIRS_CHECK(got >= 0, "{} is damaged ({}); fetch it again", where, printable(zip_file_strerror(member.get())));
      if (got == 0) break;
      out.write(piece.data(), got);
      PAIRS_CHECK(out.good(), "cannot write {}: the disk is full; free some space", printable(target.string(), 300));
    }
    out.close();
    PAIRS_CHECK(out.good(), "cannot write {}: the disk is full; free some space", printable(target.string(), 300));
  });
}

}  // namespace

void unpack_libraries(const fs::path& wheel, const fs::path& folder, const std::function<bool()>& stopped) {
  const std::string where = printable(wheel.string(), 300);
  int problem = 0;
  const std::unique_ptr<zip_t, Close> archive(zip_open(wheel.c_str(), ZIP_RDONLY, &problem));
  PAIRS_CHECK(archive, "{} is no wheel (libzip's error {}); fetch it again", where, problem);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* const name = zip_get_name(archive.get(), index, 0);
    if (name && is_library(name)) unpack_member(archive.get(), index, folder / name, where, stopped);
  }
}

}  // namespace pairs::gpu
