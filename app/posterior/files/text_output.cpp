#include "app/posterior/files/text_output.h"

#include <cerrno>
#include <cstring>

#include "core/base/text/error.h"

namespace pairs {

TextOutput::TextOutput(const std::filesystem::path& file) {
  errno = 0;
  file_.open(file, std::ios::binary | std::ios::trunc);
  check();
}

void TextOutput::check() {
  PAIRS_CHECK(file_.good(), "The results cannot be written: {}; free some space or choose another place",
              errno != 0 ? std::strerror(errno) : "the disk refused them");
}

void TextOutput::write(std::string_view text) {
  file_.write(text.data(), static_cast<std::streamsize>(text.size()));
  check();
}

void TextOutput::finish() {
  file_.close();
  check();
}

}  // namespace pairs
