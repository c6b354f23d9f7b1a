#include "core/base/files/npz.h"

#include <gmock/gmock.h>
#include <zip.h>

#include <cstring>

#include "core/base/files/files.h"
#include "core/base/files/npy.h"
#include "core/base/files/npz_texts.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A .npy array with this dictionary; `length` overrides the length in the header.
std::string npy(const std::string& dictionary, const std::string& data, int version = 1, long length = -1) {
  const auto size = static_cast<std::uint32_t>(length < 0 ? static_cast<long>(dictionary.size()) : length);
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  bytes.append(reinterpret_cast<const char*>(&size), version == 1 ? 2 : 4);
  return bytes + dictionary + data;
}
std::string dictionary(const std::string& type, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}
template <class Number>
std::string raw(const std::vector<Number>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
}
std::string npy_refusal(const std::string& bytes) {
  return message_of([&] { parse_npy(bytes, "array"); });
}

struct ZipMember {
  std::string name, bytes;
  int method = ZIP_CM_STORE;
};

// A zip file made by libzip alone.
std::string zip(const std::vector<ZipMember>& members) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.zip").string();
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE, nullptr);
  for (const ZipMember& member : members) {
    zip_source_t* source = zip_source_buffer(archive, member.bytes.data(), member.bytes.size(), 0);
    const auto index = zip_file_add(archive, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    EXPECT_GE(index, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), member.method, 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return read_file(file);
}

TEST(Npy, WrittenAloneIsRead) {
  const TemporaryFolder folder;
  const torch::Tensor table = torch::arange(12, torch::kFloat64).view({4, 3});
  write_npy(folder / "x.npy", table);
  EXPECT_TRUE(torch::equal(parse_npy(read_file(folder / "x.npy"), "x"), table));
  write_npy(folder / "x.npy", table.narrow(1, 1, 2));  // no part of its memory in one piece
  EXPECT_TRUE(torch::equal(parse_npy(read_file(folder / "x.npy"), "x"), table.narrow(1, 1, 2)));
}

TEST(Npy, ReadsEveryTypeAndWidens) {
  EXPECT_EQ(parse_npy(npy(dictionary("<f4", "(2,)"), raw<float>({1.5f, -2})), "x").sum().item<float>(), -0.5f);
  EXPECT_EQ(parse_npy(npy(dictionary("<f8", "()"), raw<double>({0.1})), "x").item<double>(), 0.1);
  EXPECT_EQ(parse_npy(npy(dictionary("<f2", "(1,)"), raw<std::uint16_t>({0x3c00})), "x").item<float>(), 1.0f);
  EXPECT_EQ(parse_npy(npy(dictionary("|i1", "(1,)"), "\xff"), "x").item<int>(), -1);
  EXPECT_EQ(parse_npy(npy(dictionary("<i2", "(1,)"), raw<std::int16_t>({-300})), "x").item<int>(), -300);
  EXPECT_EQ(parse_npy(npy(dictionary("<i4", "(1,)"), raw<std::int32_t>({-70000})), "x").item<int>(), -70000);
  EXPECT_EQ(parse_npy(npy(dictionary("<i8", "(1,)"), raw<std::int64_t>({-1ll << 40})), "x").item<std::int64_t>(),
            -1ll << 40);
  EXPECT_EQ(parse_npy(npy(dictionary("|u1", "(1,)"), "\xff"), "x").item<int>(), 255);
  const torch::Tensor u2 = parse_npy(npy(dictionary("<u2", "(2,)"), raw<std::uint16_t>({65535, 7})), "x");
  EXPECT_EQ(u2.scalar_type(), torch::kInt);
  EXPECT_TRUE(u2.equal(torch::tensor({65535, 7}, torch::kInt)));
  const torch::Tensor u4 = parse_npy(npy(dictionary("<u4", "(2,)"), raw<std::uint32_t>({4294967295u, 7})), "x");
  EXPECT_TRUE(u4.equal(torch::tensor(std::vector<std::int64_t>{4294967295, 7})));
  const torch::Tensor b1 = parse_npy(npy(dictionary("|b1", "(3,)"), std::string("\0\1\2", 3)), "x");
  EXPECT_TRUE(b1.equal(torch::tensor({false, true, true})));
}

TEST(Npz, FirstRowsAreReadInEitherOrder) {
  const std::string rows_first = npy(dictionary("<u2", "(3, 2)"), raw<std::uint16_t>({0, 1, 2, 3, 4, 5}));
  const std::string columns_first = npy(dictionary("<u2", "(3, 2)", "True"), raw<std::uint16_t>({0, 2, 4, 1, 3, 5}));
  NpzReader reader(zip({{"a.npy", rows_first}, {"b.npy", columns_first}}), "x");
  EXPECT_EQ(reader.shapes().at("b"), (std::vector<std::int64_t>{3, 2}));
  for (const char* name : {"a", "b"}) {
    EXPECT_TRUE(reader.read(name, 2).equal(torch::arange(4, torch::kInt).reshape({2, 2}))) << name;
    EXPECT_TRUE(reader.read(name, 9).equal(torch::arange(6, torch::kInt).reshape({3, 2}))) << name;
  }
}

TEST(Npy, ReadsBothOrdersAndAllVersions) {
  const torch::Tensor expected = torch::arange(6, torch::kInt).reshape({2, 3});
  for (const int version : {1, 2, 3})
    EXPECT_TRUE(parse_npy(npy(dictionary("<i4", "(2, 3)"), raw<std::int32_t>({0, 1, 2, 3, 4, 5}), version), "x")
                    .equal(expected));
  const torch::Tensor fortran =
      parse_npy(npy(dictionary("<i4", "(2, 3)", "True"), raw<std::int32_t>({0, 3, 1, 4, 2, 5})), "x");
  EXPECT_TRUE(fortran.equal(expected));
  EXPECT_TRUE(fortran.is_contiguous());
  EXPECT_EQ(parse_npy(npy(dictionary("<i4", "(0, 5)"), ""), "x").sizes(), (torch::IntArrayRef{0, 5}));
  // Members in any order, either quote, Python 2's long integers.
  EXPECT_EQ(
      parse_npy(npy("{\"shape\": (2L,), \"descr\": \"<i4\", 'fortran_order': False}", raw<std::int32_t>({1, 2})), "x")
          .sum()
          .item<int>(),
      3);
}

TEST(Npy, RefusesObjectsAndForeignTypes) {
  EXPECT_THAT(npy_refusal(npy(dictionary("|O", "(1,)"), "12345678")), HasSubstr("pickled Python objects"));
  EXPECT_THAT(npy_refusal("\x80\x04\x95\x0f pickled"), HasSubstr("never loaded"));
  EXPECT_THAT(npy_refusal(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
              HasSubstr("structured"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<c8", "(1,)"), "12345678")), HasSubstr("type '<c8'"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<U1", "(1,)"), "1234")), HasSubstr("type '<U1'"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f16", "(1,)"), "1234567812345678")), HasSubstr("type '<f16'"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<u8", "(1,)"), raw<std::uint64_t>({1ull << 63}))),
              HasSubstr("beyond 9223372036854775807"));
}

// A number of any type in either byte order is the same number.
TEST(Npy, ReadsBothByteOrders) {
  const auto turned = [](std::string bytes) { return std::string(bytes.rbegin(), bytes.rend()); };
  const auto value = [](const std::string& type, const std::string& bytes) {
    return parse_npy(npy(dictionary(type, "(1,)"), bytes), "x").to(torch::kFloat64).item<double>();
  };
  const auto expect = [&](const std::string& type, const std::string& bytes, double expected) {
    EXPECT_EQ(value("<" + type, bytes), expected) << type;
    EXPECT_EQ(value(">" + type, turned(bytes)), expected) << type;
  };
  expect("f2", raw<std::uint16_t>({0x3e01}), 1.5009765625);
  expect("f4", raw<float>({-0.1f}), static_cast<double>(-0.1f));
  expect("f8", raw<double>({0.1}), 0.1);
  expect("i2", raw<std::int16_t>({-300}), -300);
  expect("i4", raw<std::int32_t>({-70000}), -70000);
  expect("i8", raw<std::int64_t>({-(1ll << 40)}), -static_cast<double>(1ll << 40));
  expect("u2", raw<std::uint16_t>({65000}), 65000);
  expect("u4", raw<std::uint32_t>({4294967295u}), 4294967295.0);
  expect("u8", raw<std::uint64_t>({1ull << 62}), static_cast<double>(1ll << 62));
  EXPECT_EQ(value(">i1", "\xff"), -1);
  const torch::Tensor fortran =
      parse_npy(npy(dictionary(">i2", "(2, 3)", "True"), std::string("\0\0\0\3\0\1\0\4\0\2\0\5", 12)), "x");
  EXPECT_TRUE(fortran.equal(torch::arange(6, torch::kShort).reshape({2, 3})));
}

// What is wrong with an array is no matter to whoever needs another one.
TEST(Npz, WhatCannotBeReadStandsBesideWhatCan) {
  const std::string good = npy(dictionary("<i4", "(2,)"), raw<std::int32_t>({3, 4})),
                    object = npy(dictionary("|O", "(1,)"), "\x80\x04 pickle"),
                    table = npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234");
  const std::string bytes = zip({{"x.npy", good},
                                 {"meta.npy", object},
                                 {"table.npy", table},
                                 {"cut.npy", npy(dictionary("<i4", "(99,)"), "cut")},
                                 {"notes.txt", "hello"}});
  NpzReader reader(bytes, "set.npz");
  ASSERT_EQ(reader.shapes().size(), 1u);
  EXPECT_EQ(reader.read("x").sum().item<int>(), 7);
  EXPECT_THAT(message_of([&] { reader.read("meta"); }), HasSubstr("set.npz: array 'meta.npy' holds pickled"));
  EXPECT_THAT(message_of([&] { reader.read("table"); }), HasSubstr("structured"));
  EXPECT_THAT(message_of([&] { reader.read("cut"); }), HasSubstr("damaged"));
  EXPECT_EQ(reader.problems().size(), 4u);
  EXPECT_NE(message_of([&] { parse_npz(bytes, "set.npz"); }), "") << "whoever reads all is told";
}

TEST(Npy, RefusesLies) {
  EXPECT_THAT(npy_refusal(""), HasSubstr("cut short"));
  EXPECT_THAT(npy_refusal("\x93NUMPY"), HasSubstr("cut short"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", "(1,)"), "1234", 4)), HasSubstr("version 4"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", "(2,)"), "1234")),
              HasSubstr("its shape needs 8 bytes of data and 4 bytes are there"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", "(1,)"), "12345")), HasSubstr("5 bytes are there"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", "(4294967296, 4294967296)"), "")), HasSubstr("beyond what an array"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", "(0, 4294967296, 4294967296)"), "")),
              HasSubstr("beyond what an array"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", "(4611686018427387905,)"), "1234")), HasSubstr("beyond what an array"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", "(-1,)"), "")), HasSubstr("cannot be read"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", "(99999999999999999999,)"), "")), HasSubstr("cannot be read"));
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", "(1"), "")), HasSubstr("cannot be read"));
  EXPECT_THAT(npy_refusal(npy("{'descr': '<f4'}", "")), HasSubstr("cannot be read"));
  EXPECT_THAT(npy_refusal(npy("{'descr': '<f4', 'descr': '<f4', 'shape': ()}", "")), HasSubstr("cannot be read"));
  EXPECT_THAT(npy_refusal(npy("__import__('os')", "")), HasSubstr("cannot be read"));
  EXPECT_THAT(npy_refusal(npy("", "", 2, 0x7fffffff)), HasSubstr("header would be larger"));
  EXPECT_THAT(npy_refusal(npy("", "", 1, 500)), HasSubstr("cut short"));
  std::string many = "(";
  for (int i = 0; i < 100; ++i) many += "1,";
  EXPECT_THAT(npy_refusal(npy(dictionary("<f4", many + ")"), "1234")), HasSubstr("cannot be read"));
}

TEST(Npz, RoundTrip) {
  const TemporaryFolder folder;
  const std::map<std::string, torch::Tensor> arrays = {{"samples", torch::randn({3, 4, 2})},
                                                       {"half", torch::ones({2}, torch::kHalf)},
                                                       {"double", torch::randn({5}, torch::kDouble).slice(0, 0, 5, 2)},
                                                       {"count", torch::arange(7)},
                                                       {"small", torch::arange(3, torch::kShort)},
                                                       {"bytes", torch::arange(3, torch::kByte)},
                                                       {"mask", torch::tensor({true, false})},
                                                       {"scalar", torch::tensor(2.5)},
                                                       {"empty", torch::zeros({0, 3})}};
  write_npz(folder / "x.npz", arrays);
  const auto read = read_npz(folder / "x.npz");
  ASSERT_EQ(read.size(), arrays.size());
  for (const auto& [name, array] : arrays) {
    EXPECT_EQ(read.at(name).scalar_type(), array.scalar_type()) << name;
    EXPECT_TRUE(read.at(name).equal(array)) << name;
  }
  const std::string bytes = read_file(folder / "x.npz");
  write_npz(folder / "x.npz", arrays);
  EXPECT_EQ(read_file(folder / "x.npz"), bytes);
  EXPECT_THAT(message_of([&] { write_npz(folder / "none.npz", {}); }), HasSubstr("no arrays"));
}

TEST(Npz, ReadsStoredAndDeflatedMembers) {
  const std::string array = npy(dictionary("<i4", "(2,)"), raw<std::int32_t>({3, 4}));
  const auto read = parse_npz(zip({{"a.npy", array}, {"b.npy", array, ZIP_CM_DEFLATE}}), "x");
  EXPECT_EQ(read.at("a").sum().item<int>(), 7);
  EXPECT_EQ(read.at("b").sum().item<int>(), 7);
}

TEST(Npz, BombsAreRefusedBeforeAllocation) {
  const std::string zeros(8 << 20, '\0');
  const std::string bomb = zip({{"a.npy", npy(dictionary("|u1", "(8388608,)"), zeros), ZIP_CM_DEFLATE}});
  EXPECT_LT(bomb.size(), 20000u);
  EXPECT_EQ(parse_npz(bomb, "x").at("a").numel(), 8 << 20);
  EXPECT_THAT(message_of([&] { parse_npz(bomb, "x", 4 << 20); }),
              AllOf(HasSubstr("would need 8.0 MiB"), HasSubstr("4.0 MiB are allowed")));
  // The limit is on all arrays together, and on what widening makes of them.
  const std::string half = npy(dictionary("|u1", "(1000,)"), std::string(1000, '\0'));
  const std::string both = zip({{"a.npy", half}, {"b.npy", half}});
  EXPECT_EQ(parse_npz(both, "x", 2000).size(), 2u);
  EXPECT_THAT(message_of([&] { parse_npz(both, "x", 1999); }), HasSubstr("'b.npy'"));
  const std::string wide = zip({{"a.npy", npy(dictionary("<u2", "(500,)"), std::string(1000, '\0'))}});
  EXPECT_THAT(message_of([&] { parse_npz(wide, "x", 1500); }), HasSubstr("would need 2.0 KiB"));
}

TEST(Npz, DamageAndLiesAreNoticed) {
  const std::string array = npy(dictionary("<i4", "(2,)"), raw<std::int32_t>({3, 4}));
  const std::string whole = zip({{"a.npy", array}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_THROW(parse_npz(whole.substr(0, size), "x"), Error) << size;
  // Any flipped bit of the stored array is found by its checksum or its header.
  const std::size_t at = whole.find("\x93NUMPY");
  ASSERT_NE(at, whole.npos);
  for (std::size_t i = at; i < at + array.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    ASSERT_THROW(parse_npz(damaged, "x"), Error) << i;
  }
  const auto refused = [](const std::string& bytes) { return message_of([&] { parse_npz(bytes, "set.npz"); }); };
  EXPECT_THAT(refused("no zip at all"), HasSubstr("set.npz is damaged, cut short or not a .npz file"));
  EXPECT_THAT(refused(zip({{"readme.txt", "hello"}})), HasSubstr("array 'readme.txt' is no .npy array"));
  EXPECT_THAT(refused(zip({{"a.npy", "\x80\x04 pickle"}})), HasSubstr("never loaded"));
  EXPECT_THAT(refused(zip({{"a.npy", array + "more"}})),
              HasSubstr("its shape needs 8 bytes of data but the file announces 12"));
  EXPECT_THAT(refused(zip({{"a.npy", array.substr(0, array.size() - 1)}})), HasSubstr("announces 7"));
}

TEST(Npz, TextsStandBesideNumbers) {
  const TemporaryFolder folder;
  const std::string wide = npy(dictionary("<U3", "(3,)"),
                               raw<std::uint32_t>({'a', 'b', 'c', 0xe9, 0, 0, 0x1f600, 'z', 0})),
                    bytes = npy(dictionary("|S2", "(2,)"), std::string("x\0yz", 4)),
                    numbers = npy(dictionary("<i4", "(2,)"), raw<std::int32_t>({3, 4}));
  write_file(folder / "a.npz", zip({{"x.npy", numbers}, {"run.npy", wide}, {"tag.npy", bytes}}));
  NpzReader reader(folder / "a.npz");
  ASSERT_EQ(reader.shapes().size(), 1u);
  EXPECT_EQ(reader.read("x").sum().item<int>(), 7);
  EXPECT_EQ(read_npz_texts(folder / "a.npz", "run"),
            (std::vector<std::string>{"abc", "\xc3\xa9", "\xf0\x9f\x98\x80z"}));
  EXPECT_EQ(read_npz_texts(folder / "a.npz", "tag"), (std::vector<std::string>{"x", "yz"}));
  EXPECT_TRUE(read_npz_texts(folder / "a.npz", "x").empty());
  EXPECT_TRUE(read_npz_texts(folder / "a.npz", "none").empty());
  EXPECT_THAT(message_of([&] { parse_npz(zip({{"run.npy", wide}}), "set.npz"); }), HasSubstr("holds texts alone"));
  write_file(folder / "b.npz", zip({{"x.npy", numbers}, {"run.npy", npy(dictionary("<U9", "(99,)"), "cut")}}));
  EXPECT_THAT(message_of([&] { NpzReader(folder / "b.npz").check_all(); }), HasSubstr("damaged"));
  EXPECT_THAT(message_of([&] { (void)read_npz_texts(folder / "b.npz", "run"); }), HasSubstr("damaged"));
}

TEST(Npz, RefusesTypesThatNumPyLacks) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of([&] {
                write_npz(folder / "x.npz", {{"a", torch::ones({1}, torch::kBFloat16)}});
              }),
              HasSubstr("'a'"));
  EXPECT_THAT(message_of([&] { write_npz(folder / "x.npz", {{"a", torch::Tensor()}}); }), HasSubstr("undefined"));
  EXPECT_FALSE(std::filesystem::exists(folder / "x.npz"));
}

}  // namespace
}  // namespace pairs
