#include "core/base/files/safetensors.h"

#include <gmock/gmock.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A file from a header written by hand.
std::string file_of(const std::string& header, const std::string& data) {
  std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

std::string safetensors_refusal(const std::string& bytes) {
  const std::string message = message_of([&] { parse_safetensors(bytes, "weights"); });
  EXPECT_THAT(message, testing::StartsWith("weights "));
  return message;
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TensorFile example() {
  TensorFile content;
  content.metadata = {{"task", "gaussian"}, {"text", "caf\xc3\xa9 \"quoted\"\n"}};
  content.tensors["f64"] = torch::linspace(0, 1, 6, torch::kDouble).reshape({2, 3});
  content.tensors["f32"] = torch::tensor({1.5f, -0.0f, INFINITY, NAN});
  content.tensors["f16"] = torch::ones({3}, torch::kHalf);
  content.tensors["bf16"] = torch::ones({1, 1, 2}, torch::kBFloat16);
  content.tensors["i64"] = torch::arange(-2, 3);
  content.tensors["i32"] = torch::arange(3, torch::kInt);
  content.tensors["i16"] = torch::arange(3, torch::kShort);
  content.tensors["i8"] = torch::arange(-1, 2, torch::kChar);
  content.tensors["u8"] = torch::arange(250, 255, torch::kByte);
  content.tensors["bool"] = torch::tensor({true, false, true});
  content.tensors["scalar"] = torch::tensor(3.25);
  content.tensors["empty"] = torch::zeros({0, 7});
  content.tensors["transposed"] = torch::arange(6).reshape({2, 3}).t();
  return content;
}

void expect_same(const TensorFile& a, const TensorFile& b) {
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (const auto& [name, tensor] : a.tensors) {
    ASSERT_TRUE(b.tensors.contains(name)) << name;
    const torch::Tensor& other = b.tensors.at(name);
    EXPECT_EQ(tensor.scalar_type(), other.scalar_type()) << name;
    ASSERT_EQ(tensor.sizes(), other.sizes()) << name;
    EXPECT_TRUE(other.is_contiguous()) << name;
    const torch::Tensor flat = tensor.contiguous();
    EXPECT_EQ(std::memcmp(flat.data_ptr(), other.data_ptr(), flat.nbytes()), 0) << name;
  }
}

TEST(Safetensors, RoundTrip) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x.safetensors", example());
  expect_same(example(), read_safetensors(folder / "x.safetensors"));
  // What was read is written to the same bytes again.
  EXPECT_EQ(format_safetensors(read_safetensors(folder / "x.safetensors"), "x"), read_file(folder / "x.safetensors"));
}

// The format as its specification has it: length, JSON, data in the order of the offsets, wide elements first.
TEST(Safetensors, HeaderIsPlainJson) {
  const std::string bytes = format_safetensors(example(), "x");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header["__metadata__"]["task"], "gaussian");
  EXPECT_EQ(header["f64"]["dtype"], "F64");
  EXPECT_EQ(header["f64"]["shape"], nlohmann::json({2, 3}));
  const std::uint64_t begin = header["f64"]["data_offsets"][0];
  double second = 0;
  std::memcpy(&second, bytes.data() + 8 + length + begin + 8, 8);
  EXPECT_DOUBLE_EQ(second, 0.2);
  for (const auto& [name, tensor] : example().tensors)
    EXPECT_EQ(header[name]["data_offsets"][0].get<std::uint64_t>() % tensor.element_size(), 0u) << name;
}

TEST(Safetensors, ReadsFilesOfOthers) {
  const TensorFile content = parse_safetensors(
      file_of(R"({"b":{"shape":[1],"data_offsets":[4,8],"dtype":"F32"}, "a":{"dtype":"U8","shape":[2,2],)"
              R"("data_offsets":[0,4]},"__metadata__":{"by":"hand"}}    )",
              std::string("\1\2\3\4\0\0\x80\x3f", 8)),
      "x");
  EXPECT_EQ(content.tensors.at("a").sum().item<int>(), 10);
  EXPECT_EQ(content.tensors.at("b").item<float>(), 1.0f);
  EXPECT_EQ(content.metadata.at("by"), "hand");
  EXPECT_TRUE(parse_safetensors(file_of("{}", ""), "x").tensors.empty());
}

// Every single-bit error and every truncation is noticed.
TEST(Safetensors, SaysWhetherThereWasAChecksum) {
  EXPECT_TRUE(parse_safetensors(format_safetensors(example(), "copy"), "weights").checked);
  const std::string plain = file_of("{\"a\":" + entry("F32", "[1]", "[0,4]") + "}", std::string(4, '\0'));
  EXPECT_FALSE(parse_safetensors(plain, "weights").checked);
}

TEST(Safetensors, EveryDamageIsNoticed) {
  TensorFile content;
  content.metadata = {{"step", "12"}};
  content.tensors = {{"w", torch::arange(4, torch::kFloat)}, {"flag", torch::tensor({true})}};
  const std::string bytes = format_safetensors(content, "x");
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      // Damage to the checksum's own key leaves a file without a checksum, whose tensors are still whole.
      try {
        const TensorFile read = parse_safetensors(damaged, "weights");
        ASSERT_TRUE(read.metadata.size() == 2) << "byte " << at << " bit " << bit;
      } catch (const Error& error) {
        ASSERT_THAT(error.what(), testing::StartsWith("weights "));
      }
    }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_THROW(parse_safetensors(bytes.substr(0, size), "weights"), Error) << size;
  EXPECT_THAT(safetensors_refusal(bytes + "x"), HasSubstr("weights is damaged"));
}

TEST(Safetensors, LyingHeaders) {
  EXPECT_THAT(safetensors_refusal(std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8)),
              HasSubstr("header would be larger"));
  EXPECT_THAT(safetensors_refusal(std::string("\x10\0\0\0\0\0\0\0{}", 10)), HasSubstr("cut short"));
  EXPECT_THAT(safetensors_refusal(file_of("", "")), HasSubstr("does not start with '{'"));
  EXPECT_THAT(safetensors_refusal(file_of("[1]", "")), HasSubstr("does not start with '{'"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":", "")), HasSubstr("not valid JSON"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"\xff\":1}", "")), HasSubstr("not valid JSON"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":" + std::string(1 << 20, '[') + "", "")), HasSubstr("an array"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":1}", "")), HasSubstr("a number where 'a'"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":{\"dtype\":\"F32\"}}", "")), HasSubstr("no dtype, shape"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":{\"more\":1}}", "")), HasSubstr("unknown member 'more'"));
  const std::string good = entry("U8", "[1]", "[0,1]");
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":" + good + ",\"a\":" + good + "}", "x")), HasSubstr("repeated name"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":" + entry("U8", "[-1]", "[0,1]") + "}", "x")), HasSubstr("negative"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":" + entry("U8", "[1.0]", "[0,1]") + "}", "x")),
              HasSubstr("fraction"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":" + entry("U8", "[1]", "[0,1,2]") + "}", "x")),
              HasSubstr("third offset"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":" + entry("C64", "[1]", "[0,8]") + "}", "12345678")),
              HasSubstr("type 'C64'"));
  EXPECT_THAT(safetensors_refusal(file_of("{\"a\":" + entry("BOOL", "[1]", "[0,1]") + "}", "\x02")),
              HasSubstr("booleans"));
}

TEST(Safetensors, ShapesAndOffsetsMustAgree) {
  const auto one = [](const std::string& shape, const std::string& offsets, std::size_t size) {
    return safetensors_refusal(file_of("{\"a\":" + entry("F32", shape, offsets) + "}", std::string(size, '\0')));
  };
  EXPECT_THAT(one("[2]", "[0,4]", 4), HasSubstr("does not match"));
  EXPECT_THAT(one("[1]", "[0,8]", 4), HasSubstr("end after the end"));
  EXPECT_THAT(one("[1]", "[4,8]", 8), HasSubstr("leave gaps"));
  EXPECT_THAT(one("[1]", "[4,0]", 4), HasSubstr("leave gaps"));
  EXPECT_THAT(one("[1]", "[0,4]", 8), HasSubstr("belong to no tensor"));
  // Products that wrap around 2^64 to a small number, with and without a zero among them.
  EXPECT_THAT(one("[4294967296,4294967296]", "[0,0]", 0), HasSubstr("does not match"));
  EXPECT_THAT(one("[4611686018427387905]", "[0,4]", 4), HasSubstr("does not match"));
  EXPECT_THAT(one("[0,4294967296,4294967296]", "[0,0]", 0), HasSubstr("does not match"));
  EXPECT_THAT(one("[18446744073709551615]", "[0,4]", 4), HasSubstr("beyond what a tensor"));
  const std::string overlap = "{\"a\":" + entry("F32", "[1]", "[0,4]") + ",\"b\":" + entry("F32", "[1]", "[2,6]") + "}";
  EXPECT_THAT(safetensors_refusal(file_of(overlap, "123456")), HasSubstr("overlap"));
  const std::string twice = "{\"a\":" + entry("F32", "[1]", "[0,4]") + ",\"b\":" + entry("F32", "[1]", "[0,4]") + "}";
  EXPECT_THAT(safetensors_refusal(file_of(twice, "1234")), HasSubstr("overlap"));
}

TEST(Safetensors, RefusesWhatTheFormatLacks) {
  const auto writing = [](const TensorFile& content) {
    return message_of([&] { format_safetensors(content, "weights"); });
  };
  EXPECT_THAT(writing({{{"a", torch::Tensor()}}, {}}), AllOf(HasSubstr("'a'"), HasSubstr("undefined")));
  EXPECT_THAT(writing({{{"a", torch::zeros({1}, torch::kComplexFloat)}}, {}}), HasSubstr("not supported"));
  EXPECT_THAT(writing({{{"__metadata__", torch::zeros({1})}}, {}}), HasSubstr("__metadata__"));
  EXPECT_THAT(writing({{}, {{"key", "\xff"}}}), HasSubstr("UTF-8"));
}

TEST(Safetensors, MissingFileIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of([&] { read_safetensors(folder / "none"); }), HasSubstr((folder / "none").string()));
}

}  // namespace
}  // namespace pairs
