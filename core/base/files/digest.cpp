#include "core/base/files/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {

std::string sha256_of(const std::filesystem::path& file) {
  constexpr std::size_t kPiece = 1 << 20;
  const std::string name = printable(file.string(), 300);
  std::ifstream in(file, std::ios::binary);
  PAIRS_CHECK(in.good() && std::filesystem::is_regular_file(file), "{} cannot be read", name);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool fine = state && EVP_DigestInit_ex(state.get(), EVP_sha256(), nullptr) == 1;
  std::string piece(kPiece, '\0');
  while (fine && in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    fine = EVP_DigestUpdate(state.get(), piece.data(), static_cast<std::size_t>(in.gcount())) == 1;
  }
  PAIRS_CHECK(in.eof(), "{} cannot be read to its end", name);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  PAIRS_CHECK(fine && EVP_DigestFinal_ex(state.get(), digest.data(), &length) == 1, "The SHA-256 of {} failed", name);
  std::string text;
  for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace pairs
