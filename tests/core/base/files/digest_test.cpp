#include "core/base/files/digest.h"

#include <gtest/gtest.h>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

TEST(Digest, IsThatOfTheStandard) {
  const TemporaryFolder folder;
  const auto file = folder / "abc";
  write_file(file, "abc");  // FIPS 180-2, B.1
  EXPECT_EQ(sha256_of(file), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  write_file(file, std::string(1000000, 'a'));  // FIPS 180-2, B.3
  EXPECT_EQ(sha256_of(file), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  write_file(file, "");
  EXPECT_EQ(sha256_of(file), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Digest, NamesWhatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THROW(sha256_of(folder / "nothing"), Error);
  EXPECT_THROW(sha256_of(folder / "."), Error);
}

TEST(Digest, WritesBase64) {  // RFC 4648, 10
  for (const auto& [plain, text] : std::vector<std::pair<std::string, std::string>>{{"", ""},
                                                                                    {"f", "Zg=="},
                                                                                    {"fo", "Zm8="},
                                                                                    {"foo", "Zm9v"},
                                                                                    {"foob", "Zm9vYg=="},
                                                                                    {"fooba", "Zm9vYmE="},
                                                                                    {"foobar", "Zm9vYmFy"}})
    EXPECT_EQ(base64(plain), text);
  EXPECT_EQ(base64(std::string("\0\xff\x10", 3)), "AP8Q");
}

}  // namespace
}  // namespace pairs
