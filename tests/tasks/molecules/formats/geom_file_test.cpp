#include "tasks/molecules/formats/geom_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <msgpack.hpp>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tasks/molecules/chemistry/chemistry.h"
#include "tests/tasks/molecules/memory_bytes.h"
#include "tests/tasks/molecules/molecule_files.h"

namespace pairs {
namespace {

using namespace pairs::testing;
using ::testing::HasSubstr;
using Packer = msgpack::packer<msgpack::sbuffer>;

// Water's atoms as GEOM writes them.
void pack_water(Packer& p, double shift, bool integers = false) {
  p.pack_array(3);
  const double rows[3][4] = {{8, 0, 0, 0}, {1, 0.96, 0, 0}, {1, -0.24, 0.93, 0}};
  for (const auto& row : rows) {
    p.pack_array(4);
    if (integers)
      p.pack(static_cast<std::uint16_t>(row[0]));
    else
      p.pack(row[0]);
    p.pack(row[1] + shift);
    p.pack(static_cast<float>(row[2]));
    p.pack_int64(0);
  }
}

std::string text_of(const msgpack::sbuffer& buffer) {
  return {buffer.data(), buffer.size()};
}

TEST(GeomFile, ReadsEveryTypeAndOrderOfKeys) {
  msgpack::sbuffer buffer;
  Packer p(buffer);
  for (int map = 0; map < 2; ++map) {
    p.pack_map(1);
    const std::string smiles = map == 0 ? "O" : "[OH2]";
    if (map == 0) {
      p.pack(smiles);
    } else {
      p.pack_bin(5);
      p.pack_bin_body(smiles.data(), 5);
    }
    p.pack_map(4);
    p.pack("unknown").pack(std::map<std::string, std::vector<int>>{{"a", {1, 2, 300}}, {"b", {}}});
    p.pack("conformers");
    p.pack_array(3);
    for (int c = 0; c < 3; ++c) {
      p.pack_map(4);
      p.pack("geom_id").pack_uint64(1ull << 40);
      p.pack("boltzmannweight").pack(c == 2 ? 0.0 : 0.25);
      p.pack("xyz");
      pack_water(p, c, c == 1);
      p.pack("totalenergy").pack(c == 1 ? -7.0 : -5.0 - 0.1 * c);
    }
    p.pack("charge").pack_nil();
    p.pack("temperature").pack(298.15);
  }
  const std::vector<MoleculeEntry> all = geom_entries(text_of(buffer));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].smiles, "[OH2]");
  EXPECT_EQ(all[1].place, "molecule 2");
  for (const MoleculeEntry& entry : all) {
    EXPECT_FALSE(entry.bad);
    ASSERT_EQ(entry.conformers(), 3);
    EXPECT_EQ(entry.elements, (std::vector<std::uint8_t>{8, 1, 1}));
    // By energy: the second, the third, the first.
    EXPECT_FLOAT_EQ(entry.positions[0], 1.0f);
    EXPECT_FLOAT_EQ(entry.positions[9], 2.0f);
    EXPECT_FLOAT_EQ(entry.positions[18 + 3], 0.96f);
    EXPECT_EQ(entry.weights, (std::vector<float>{0.5f, 0.0f, 0.5f}));
  }
}

TEST(GeomFile, LeavesOddConformersOutAndSetsOddMoleculesAside) {
  msgpack::sbuffer buffer;
  Packer p(buffer);
  p.pack_map(5);
  p.pack("O");
  p.pack_map(1);
  p.pack("conformers");
  p.pack_array(3);
  for (int c = 0; c < 3; ++c) {
    p.pack_map(1);
    p.pack("xyz");
    pack_water(p, c == 1 ? std::nan("") : 0.0);
  }
  p.pack("none").pack_nil();
  p.pack("text");
  p.pack_map(1);
  p.pack("conformers").pack("none");
  p.pack("row");
  p.pack_map(1);
  p.pack("conformers");
  p.pack_array(1);
  p.pack_map(1);
  p.pack("xyz").pack(std::vector<std::vector<double>>{{6, 0, 0}});
  p.pack("C");
  p.pack_map(1);
  p.pack("totalconfs").pack(3);
  const std::vector<MoleculeEntry> all = geom_entries(text_of(buffer));
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].conformers(), 2);
  EXPECT_EQ(all[0].odd_conformers, 1);
  EXPECT_TRUE(all[0].weights.empty());
  for (const std::size_t k : {1u, 2u, 3u}) EXPECT_EQ(all[k].bad, SetAsideReason::syntax) << k;
  EXPECT_EQ(all[4].bad, SetAsideReason::conformer);
}

TEST(GeomFile, BoundsAtomsAndKeepsTheLowestConformers) {
  msgpack::sbuffer buffer;
  Packer p(buffer);
  p.pack_map(1);
  p.pack("O");
  p.pack_map(1);
  p.pack("conformers");
  p.pack_array(4);
  for (int c = 0; c < 4; ++c) {
    p.pack_map(2);
    p.pack("relativeenergy").pack(3 - c);
    p.pack("xyz");
    pack_water(p, c);
  }
  const auto two = geom_entries(text_of(buffer), {.atoms = 300, .conformers = 2});
  ASSERT_EQ(two[0].conformers(), 2);
  EXPECT_FLOAT_EQ(two[0].positions[0], 3.0f);
  EXPECT_EQ(geom_entries(text_of(buffer), {.atoms = 2})[0].bad, SetAsideReason::size);
}

TEST(GeomFile, EveryTruncationIsASentence) {
  msgpack::sbuffer buffer;
  Packer p(buffer);
  for (int k = 0; k < 2; ++k) {
    p.pack_map(1);
    p.pack("O");
    p.pack_map(1);
    p.pack("conformers");
    p.pack_array(1);
    p.pack_map(1);
    p.pack("xyz");
    pack_water(p, 0.0);
  }
  const std::string whole = text_of(buffer);
  const std::size_t half = whole.size() / 2;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    if (length < half) {
      EXPECT_THROW(geom_entries(cut), Error) << length;
    } else if (length > half) {
      const auto all = geom_entries(cut);
      ASSERT_EQ(all.size(), 2u) << length;
      EXPECT_FALSE(all[0].bad);
      EXPECT_EQ(all[1].bad, SetAsideReason::damaged);
      EXPECT_THAT(all[1].detail, HasSubstr("truncated"));
    }
  }
}

TEST(GeomFile, HostileBytesAreSentences) {
  EXPECT_THROW(geom_entries("plain text"), Error);
  EXPECT_THROW(geom_entries(std::string("\x81\xa1O\xc1", 4)), Error);
  EXPECT_THROW(geom_entries("\x81\xa1O" + std::string(100000, '\x91')), Error);
  // An array that announces four billion values, a text of four gigabytes.
  EXPECT_THROW(geom_entries(std::string("\x81\xa1O\x81\xaa"
                                        "conformers\xdd\xff\xff\xff\xff",
                                        19)),
               Error);
  EXPECT_THROW(geom_entries(std::string("\x81\xdb\xff\xff\xff\xff"
                                        "a",
                                        7)),
               Error);
}

TEST(GeomFile, ErrorsOfTheReceiverPassThrough) {
  msgpack::sbuffer buffer;
  Packer p(buffer);
  p.pack(std::map<std::string, int>{{"A", 1}, {"B", 2}});
  int calls = 0;
  EXPECT_THROW(read_geom(*memory_bytes(text_of(buffer)), "input", {},
                         [&](MoleculeEntry&&) -> bool {
                           if (++calls == 2) fail("the disk is full");
                           return true;
                         }),
               Error);
  EXPECT_EQ(calls, 2);
}

TEST(GeomFile, RealRecordIsThatOfItsJson) {
  const auto file = molecule_data("geom_format/real_record.msgpack");
  if (file.empty()) GTEST_SKIP() << "no GEOM record on this machine: set PAIRS_DATA";
  const auto all = all_entries({.file = file, .columns = {}});
  ASSERT_EQ(all.size(), 1u);
  const auto json = nlohmann::json::parse(read_file(molecule_data("geom_format/real_record.json")));
  const auto& molecule = json.contains(all[0].smiles) ? json[all[0].smiles] : json;
  const auto& xyz = molecule["conformers"][0]["xyz"];
  ASSERT_EQ(all[0].elements.size(), 43u);
  ASSERT_EQ(xyz.size(), 43u);
  for (std::size_t a = 0; a < 43; ++a) {
    EXPECT_EQ(all[0].elements[a], xyz[a][0].get<double>());
    for (std::size_t k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(all[0].positions[3 * a + k], xyz[a][k + 1].get<float>());
  }
  const auto parsed = parse_molecule(all[0].smiles);
  ASSERT_TRUE(std::holds_alternative<Molecule>(parsed));
  EXPECT_TRUE(same_composition(std::get<Molecule>(parsed), all[0].elements));
}

TEST(GeomFile, ReadsTheFileOfManyMaps) {
  const auto file = molecule_data("geom_format/synthetic_drugs_crude.msgpack");
  if (file.empty()) GTEST_SKIP() << "no GEOM file on this machine: set PAIRS_DATA";
  // Counted by msgpack's own reader.
  const std::string bytes = read_file(file);
  std::size_t offset = 0, molecules = 0, conformers = 0;
  while (offset < bytes.size()) {
    const msgpack::object_handle handle = msgpack::unpack(bytes.data(), bytes.size(), offset);
    const msgpack::object_map& map = handle->via.map;
    for (std::uint32_t k = 0; k < map.size; ++k) {
      ++molecules;
      const auto fields = map.ptr[k].val.as<std::map<std::string, msgpack::object>>();
      if (fields.contains("conformers")) conformers += fields.at("conformers").via.array.size;
    }
  }
  std::size_t seen = 0, kept = 0;
  for (const MoleculeEntry& entry : all_entries({.file = file, .columns = {}})) {
    ++seen;
    kept += static_cast<std::size_t>(entry.conformers() + entry.odd_conformers);
  }
  EXPECT_EQ(seen, molecules);
  EXPECT_EQ(kept, conformers);
  EXPECT_GT(molecules, 10u);
}

}  // namespace
}  // namespace pairs
