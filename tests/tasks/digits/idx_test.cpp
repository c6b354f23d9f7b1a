#include "tasks/digits/idx.h"

#include <ATen/ops/bincount.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/tasks/digits/mnist_folder.h"

namespace pairs {
namespace {

std::string gzip(const std::string& plain) {
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, plain.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  z.avail_in = static_cast<uInt>(plain.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string word(std::uint32_t v) {
  return {static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8), static_cast<char>(v)};
}

std::string images(std::uint32_t count, std::uint32_t side) {
  std::string s = word(0x803) + word(count) + word(side) + word(side);
  for (std::uint32_t i = 0; i < count * side * side; ++i) s += static_cast<char>(i * 37 + i / 7);
  return s;
}

std::string complaint(const std::string& bytes) {
  try {
    parse_idx(bytes, "FILE");
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("FILE"), 0u) << e.what();
    return e.what();
  }
  return "";
}

TEST(Idx, ReadsImagesAndLabelsPlainAndZipped) {
  const std::string plain = images(3, 5);
  for (const std::string& bytes : {plain, gzip(plain)}) {
    const torch::Tensor t = parse_idx(bytes, "FILE");
    EXPECT_EQ(t.sizes(), (std::vector<std::int64_t>{3, 5, 5}));
    for (int i = 0; i < 75; ++i)
      EXPECT_EQ(t.const_data_ptr<std::uint8_t>()[i],
                static_cast<std::uint8_t>(plain[static_cast<std::size_t>(16 + i)]));
  }
  EXPECT_EQ(parse_idx(word(0x801) + word(2) + "\x07\x01", "FILE")[0].item<int>(), 7);
}

TEST(Idx, EveryTruncationIsAnError) {
  const std::string plain = images(3, 5), zipped = gzip(plain);
  for (const std::string& whole : {plain, zipped})
    for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_NE(complaint(whole.substr(0, n)), "") << n;
}

TEST(Idx, EveryFlippedBitOfAZippedFileIsNoticedOrHarmless) {
  const std::string zipped = gzip(images(3, 5));
  const torch::Tensor right = parse_idx(zipped, "FILE");
  int noticed = 0;
  for (std::size_t i = 0; i < zipped.size() * 8; ++i) {
    std::string damaged = zipped;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << (i % 8)));
    try {
      EXPECT_TRUE(parse_idx(damaged, "FILE").equal(right)) << "bit " << i;
    } catch (const Error&) {
      ++noticed;
    }
  }
  EXPECT_GT(noticed, static_cast<int>(zipped.size()) * 7);  // only the time stamp and the like go unread
}

TEST(Idx, SaysWhatIsWrong) {
  const auto has = [](const std::string& bytes, const std::string& part) {
    EXPECT_NE(complaint(bytes).find(part), std::string::npos) << complaint(bytes);
  };
  const std::string good = images(3, 5);
  has("PK\x03\x04 something else", "does not start like an IDX file");
  has(word(0xd03) + good.substr(4), "type 0x0d");
  has(word(0x802) + good.substr(4), "2 dimensions");
  has(good + "x", "behind its data");
  has(gzip(good + "x"), "more than its header announces");
  has(gzip(good.substr(0, good.size() - 1)), "less than its header announces");
  has(gzip(good) + "x", "behind its compressed data");
  has(word(0x803) + word(0) + word(28) + word(28), "dimensions");
  has(word(0x803) + word(0xffffffff) + word(0xffffffff) + word(0xffffffff), "dimensions");
  has(word(0x803) + word(1000000) + word(28) + word(28), "more than it can hold");
}

TEST(Idx, BombsAreNotUnpacked) {
  // 64 MB of zeros in 64 kB that announce three images; and a small file that announces a gigabyte.
  const std::string bomb = gzip(images(3, 5) + std::string(64 << 20, '\0'));
  EXPECT_LT(bomb.size(), 100000u);
  EXPECT_NE(complaint(bomb).find("more than its header announces"), std::string::npos);
  const std::string liar = gzip(word(0x803) + word(1 << 10) + word(1 << 10) + word(1 << 10));
  EXPECT_NE(complaint(liar).find("more than it can hold"), std::string::npos);
}

TEST(Idx, ReadsMnist) {
  const std::string data = testing::data_folder();
  if (data.empty()) GTEST_SKIP() << "no MNIST on this machine: set PAIRS_DATA";
  const torch::Tensor labels = read_idx(data + "/mnist/t10k-labels-idx1-ubyte.gz");
  const torch::Tensor pixels = read_idx(data + "/mnist/t10k-images-idx3-ubyte.gz");
  const std::int64_t histogram[10] = {980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009};
  const torch::Tensor counts = at::bincount(labels.to(torch::kInt64), {}, 10);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(counts[k].item<std::int64_t>(), histogram[k]);
  EXPECT_EQ(pixels.sizes(), (std::vector<std::int64_t>{10000, 28, 28}));
  EXPECT_NEAR(pixels.to(torch::kFloat64).mean().item<double>() / 255.0, 0.132515, 1e-6);
  const std::string whole = read_file(data + "/mnist/t10k-images-idx3-ubyte.gz");
  EXPECT_NE(complaint(whole.substr(0, whole.size() / 2)), "");
}

TEST(Idx, MissingFileIsNamed) {
  try {
    read_idx("/no/such/file-idx3-ubyte");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("/no/such/file-idx3-ubyte"), std::string::npos);
  }
}

}  // namespace
}  // namespace pairs
