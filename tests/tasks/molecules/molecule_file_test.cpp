#include "tasks/molecules/molecule_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tasks/molecules/chemistry/chemistry.h"
#include "tasks/molecules/conformers.h"
#include "tasks/molecules/splits.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/molecules/molecule_files.h"

namespace pairs {
namespace {

using namespace pairs::testing;
using ::testing::HasSubstr;

class MoleculeFile : public ::testing::Test {
 protected:
  std::vector<MoleculeEntry> read(const std::string& name, const std::string& text, MoleculeColumns columns = {}) {
    write_file(folder_ / name, text);
    return all_entries({.file = folder_ / name, .columns = columns});
  }
  std::string refusal(const std::string& name, const std::string& text, MoleculeColumns columns = {}) {
    try {
      read(name, text, columns);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(MoleculeFile, ReadsTables) {
  const auto all = read(
      "a.csv", "\xef\xbb\xbfName,\"SMILES\",x\r\n\"acid, acetic\",CC(=O)O,1\r\n\n\"say \"\"a\"\"\nb\", CCO ,2\nlast");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "acid, acetic");
  EXPECT_EQ(all[0].smiles, "CC(=O)O");
  EXPECT_EQ(all[0].place, "line 2");
  EXPECT_EQ(all[1].name, "say \"a\"\nb");
  EXPECT_EQ(all[1].smiles, "CCO");
  EXPECT_EQ(all[1].place, "line 4");
  EXPECT_EQ(all[2].smiles, "");
  EXPECT_EQ(all[2].place, "line 6");
  EXPECT_EQ(read("b.tsv", "id\tmolecule\nx\tCC\n")[0].smiles, "CC");
  EXPECT_EQ(read("c.csv", "a;drug\n1;CN\n", {.smiles = "drug", .name = "a"})[0].smiles, "CN");
}

TEST_F(MoleculeFile, ReadsTablesWithoutHeader) {
  const auto all = read("a.csv", "\"CCO\",\"first\"\n\"CN\",\"second\"\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "first");
  EXPECT_EQ(all[1].smiles, "CN");
}

TEST_F(MoleculeFile, SaysWhichColumnsThereAre) {
  EXPECT_THAT(refusal("a.csv", "x,y\nCC,1\n", {.smiles = "drug", .name = ""}), HasSubstr("it has x, y"));
  EXPECT_THAT(refusal("b.csv", "x,y\n1,2\n"), HasSubstr("it has x, y"));
  EXPECT_THAT(refusal("c.csv", "smiles,y\nC,2\n", {.smiles = "", .name = "z"}), HasSubstr("no column 'z'"));
  EXPECT_THAT(refusal("d.csv", ""), HasSubstr("holds no "));
  EXPECT_THAT(refusal("e.smi", ""), HasSubstr("holds no lines"));
  EXPECT_THAT(refusal("f.sdf", ""), HasSubstr("holds no record"));
  EXPECT_THAT(refusal("h.smi", std::string("CC\0O\n", 5)), HasSubstr("is no text"));
  EXPECT_THAT(refusal("g.pdb", "x"), HasSubstr("is a PDB file, which is not read as molecules"));
  EXPECT_THAT(refusal("g.foo", "x"), HasSubstr("no format"));
}

TEST_F(MoleculeFile, OneQuoteTooManyDoesNotSwallowTheFile) {
  std::string text = "smiles,name\nCC,\"open\n";
  for (int k = 0; k < 5000; ++k) text += "CCO,x\n";
  const auto all = read("a.csv", text);
  EXPECT_GT(all.size(), 3500u);
  EXPECT_EQ(all.back().smiles, "CCO");
}

TEST_F(MoleculeFile, ReadsLinesOfSmiles) {
  const auto all = read("a.smi", "smiles name\n# told\nCCO ethyl alcohol\n\n  CN\nCC |x,y| e\nC |\n");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "ethyl alcohol");
  EXPECT_EQ(all[0].place, "line 3");
  EXPECT_EQ(all[1].smiles, "CN");
  EXPECT_EQ(all[2].name, "e");
  EXPECT_EQ(all[3].smiles, "C");
}

TEST_F(MoleculeFile, ReadsGzipAndNamesWhereItBreaksOff) {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += "C" + std::string(static_cast<std::size_t>(k % 7), 'C') + "\n";
  const std::string file = (folder_ / "a.smi.gz").string();
  gzFile out = ::gzopen(file.c_str(), "wb");
  ::gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(out);
  EXPECT_EQ(all_entries({.file = file, .columns = {}}).size(), 20000u);
  std::string packed = read_file(file);
  write_file(folder_ / "b.smi.gz", packed.substr(0, packed.size() / 2));
  const auto half = all_entries({.file = folder_ / "b.smi.gz", .columns = {}});
  ASSERT_GT(half.size(), 1u);
  EXPECT_EQ(half.back().bad, SetAsideReason::damaged);
  EXPECT_THAT(half.back().detail, HasSubstr("truncated"));
}

// However large the pieces are in which a file is read.
TEST_F(MoleculeFile, TellsHowMuchOfItWasRead) {
  constexpr std::size_t kLines = 100000;
  std::string text;
  for (std::size_t k = 0; k < kLines; ++k) text += fmt::format("CCCCCCCCCO molecule {:05}\n", k);  // ten pieces
  write_file(folder_ / "a.smi", text);
  gzFile out = ::gzopen((folder_ / "b.smi.gz").c_str(), "wb");
  ::gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(out);
  for (const auto& [name, off] : std::map<std::string, double>{{"a.smi", 0.0001}, {"b.smi.gz", 0.06}}) {
    double share = 0;
    std::size_t read = 0;
    read_molecules(
        {.file = folder_ / name, .columns = {}}, {},
        [&](MoleculeEntry&&) {
          ++read;
          EXPECT_NEAR(share, static_cast<double>(read) / kLines, off) << name << " line " << read;
          return !HasNonfatalFailure();
        },
        &share);
    EXPECT_EQ(read, kLines);
  }
}

TEST_F(MoleculeFile, ReadsGeomOutOfItsArchive) {
  std::string content = "\x81\xa1O\xc0", tar(512, '\0');
  tar.replace(0, 20, "rdkit/drugs_crude.ms");
  tar.replace(20, 5, "gpack");
  tar.replace(124, 11, "00000000004");
  tar[156] = '0';
  tar.replace(257, 5, "ustar");
  std::string other = tar;
  other.replace(0, 25, "readme.txt" + std::string(15, '\0'));
  write_file(folder_ / "a.tar", other + "text" + std::string(508, '\0') + tar + content + std::string(1532, '\0'));
  EXPECT_EQ(all_entries({.file = folder_ / "a.tar", .columns = {}}).size(), 1u);
  write_file(folder_ / "b.tar", other + "text" + std::string(508, '\0'));
  EXPECT_THROW(all_entries({.file = folder_ / "b.tar", .columns = {}}), Error);
}

// Ethane without hydrogens, its carbons apart by `length`.
std::string ethane(double length, const char* title = "ethane") {
  return fmt::format(
      "{}\n  test 3D\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n"
      "    0.0000    0.0000{:10.4f} C   0  0\n  1  2  1  0\nM  END\n$$$$\n",
      title, length);
}

TEST_F(MoleculeFile, RecordsOfOneMoleculeAreItsConformers) {
  const auto all =
      read("a.sdf", ethane(1.5, "first") + ethane(1.6) + "bad\n\n\nnonsense\n$$$$\n" + ethane(1.4, "again"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].smiles, "CC");
  EXPECT_EQ(all[0].name, "first");
  ASSERT_EQ(all[0].conformers(), 2);
  ASSERT_EQ(all[0].elements.size(), 8u);  // hydrogens put in
  EXPECT_FLOAT_EQ(all[0].positions[5], 1.5f);
  EXPECT_FLOAT_EQ(all[0].positions[24 + 5], 1.6f);
  EXPECT_EQ(all[1].bad, SetAsideReason::syntax);
  EXPECT_EQ(all[1].place, "record 3");
  EXPECT_EQ(all[2].conformers(), 1);
}

// A record of SDF: atoms "C x y z", bonds "1 2 1", charges "4 -1".
std::string sdf_record(const std::vector<std::string>& atoms, const std::vector<std::array<int, 3>>& bonds,
                       const std::string& charges = "") {
  std::string out =
      fmt::format("x\n  test 3D\n\n{:3}{:3}  0  0  0  0  0  0  0  0999 V2000\n", atoms.size(), bonds.size());
  for (const std::string& atom : atoms) {
    std::istringstream in(atom);
    std::string element;
    double x = 0, y = 0, z = 0;
    in >> element >> x >> y >> z;
    out += fmt::format("{:10.4f}{:10.4f}{:10.4f} {:<3} 0  0\n", x, y, z, element);
  }
  for (const auto& [a, b, order] : bonds) out += fmt::format("{:3}{:3}{:3}  0\n", a, b, order);
  return out + charges + "M  END\n$$$$\n";
}

TEST_F(MoleculeFile, OneMoleculeAsSmilesAndAsSdfStandsInOnePart) {
  const std::map<std::string, std::string> records = {
      // Both mirror images, in Kekulé's form, and charged.
      {"[C@H](F)(Cl)Br", sdf_record({"C 0 0 0", "F 1.2 0 -.4", "Cl -.8 1.4 -.5", "Br -.9 -1.5 -.5", "H 0 0 1.1"},
                                    {{1, 2, 1}, {1, 3, 1}, {1, 4, 1}, {1, 5, 1}})},
      {"[C@@H](F)(Cl)Br", sdf_record({"C 0 0 0", "F 1.2 0 .4", "Cl -.8 1.4 .5", "Br -.9 -1.5 .5", "H 0 0 -1.1"},
                                     {{1, 2, 1}, {1, 3, 1}, {1, 4, 1}, {1, 5, 1}})},
      {"c1ccncc1", sdf_record({"C 1.4 0 .1", "C .7 1.2 0", "C -.7 1.2 0", "N -1.4 0 0", "C -.7 -1.2 0", "C .7 -1.2 0"},
                              {{1, 2, 2}, {2, 3, 1}, {3, 4, 2}, {4, 5, 1}, {5, 6, 2}, {6, 1, 1}})},
      {"CC(=O)[O-]", sdf_record({"C 0 0 .2", "C 1.5 0 0", "O 2.1 1.1 0", "O 2.1 -1.1 0"},
                                {{1, 2, 1}, {2, 3, 2}, {2, 4, 1}}, "M  CHG  1   4  -1\n")},
  };
  const auto flat = [](const std::string& smiles) { return flat_smiles(std::get<Molecule>(parse_molecule(smiles))); };
  for (const auto& [smiles, record] : records) {
    const auto all = read("a.sdf", record);
    ASSERT_EQ(all.size(), 1u);
    ASSERT_FALSE(all[0].bad) << smiles << all[0].detail;
    EXPECT_EQ(flat(all[0].smiles), flat(smiles));
    EXPECT_EQ(molecule_split(molecule_hash(flat(all[0].smiles))), molecule_split(molecule_hash(flat(smiles))));
  }
}

// An edit in the middle of a file of many megabytes is another file, and a store of its own.
TEST_F(MoleculeFile, AnEditInTheMiddleIsAnotherFile) {
  std::string text;
  while (text.size() < (3u << 20)) text += "CCO ethanol\n";
  write_file(folder_ / "a.smi", text);
  const std::string before = file_identity(folder_ / "a.smi");
  const auto time = std::filesystem::last_write_time(folder_ / "a.smi");
  text[text.size() / 2 / 12 * 12 + 2] = 'N';
  write_file(folder_ / "a.smi", text);
  std::filesystem::last_write_time(folder_ / "a.smi", time);
  EXPECT_NE(file_identity(folder_ / "a.smi"), before);
}

TEST_F(MoleculeFile, DrawingsGiveNoConformer) {
  std::string flat = ethane(0.0);
  flat.replace(flat.find("3D"), 2, "2D");
  flat.replace(flat.find("    0.0000    0.0000    0.0000 C", 80), 10, "    1.5000");
  const auto all = read("a.sdf", flat);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].smiles, "CC");
  EXPECT_EQ(all[0].conformers(), 0);
}

TEST_F(MoleculeFile, TruncatedRecordsAreNamed) {
  const std::string whole = ethane(1.5);
  for (std::size_t length = 1; length < whole.size(); length += 7) {
    const auto all = read("a.sdf", ethane(1.4) + "$$$$\n" + whole.substr(0, length));
    ASSERT_GE(all.size(), 1u) << length;
    EXPECT_FALSE(all[0].bad) << length;
  }
  const auto cut = read("b.sdf", whole.substr(0, 100));
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].bad, SetAsideReason::damaged);
  const auto huge = read(
      "c.sdf", "x\n\n\n  0  0  0  0  0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 1000000000 1\n$$$$\n");
  EXPECT_EQ(huge[0].bad, SetAsideReason::syntax);
  std::string charged = ethane(1.5);
  charged.insert(charged.find("M  END"), "M  CHG999   1   1\n");
  const auto wrong = read("d.sdf", charged + "$$$$\n");
  EXPECT_EQ(wrong[0].bad, SetAsideReason::syntax);
  EXPECT_EQ(wrong[0].detail, "the line 'M  CHG999   1   1' holds fewer entries than it announces");
}

TEST_F(MoleculeFile, RealSdfOfGeomHoldsItsMolecule) {
  const auto file = molecule_data("geom_format/real_rd_mol.sdf");
  if (file.empty()) GTEST_SKIP() << "no SDF of GEOM on this machine: set PAIRS_DATA";
  const auto all = all_entries({.file = file, .columns = {}});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].bad) << all[0].detail;
  EXPECT_EQ(all[0].elements.size(), 41u);
  EXPECT_EQ(all[0].conformers(), 1);
}

TEST_F(MoleculeFile, EveryRealFileIsRead) {
  int files = 0;
  for (const auto& [name, rows] : std::map<std::string, std::size_t>{{"HIV.csv.gz", 41127},
                                                                     {"Lipophilicity.csv", 4200},
                                                                     {"tox21.csv.gz", 7831},
                                                                     {"rdkit-data/first_5K.smi", 5000},
                                                                     {"rdkit-data/zim.100.txt", 100},
                                                                     {"rdkit-data/pubchem.200.sdf", 200},
                                                                     {"zinc_jtvae_test.txt", 5000}}) {
    const auto file = molecule_data(name);
    if (file.empty()) continue;
    ++files;
    const auto all = all_entries({.file = file, .columns = {}});
    EXPECT_GE(all.size(), rows - rows / 50) << name;
    EXPECT_LE(all.size(), rows) << name;
    for (const MoleculeEntry& entry : all) EXPECT_FALSE(entry.bad) << name << " " << entry.place << entry.detail;
  }
  if (files == 0) GTEST_SKIP() << "no molecules on this machine: set PAIRS_DATA";
}

TEST_F(MoleculeFile, BundledMoleculesAreThere) {
  const auto all = all_entries({.file = bundled_molecules(), .columns = {}});
  EXPECT_EQ(all.size(), 10000u);
  EXPECT_THAT(all[0].name, HasSubstr("WEHI"));
}

TEST_F(MoleculeFile, MemoryIsFlatForManyMolecules) {
  std::string line = "CC(=O)Nc1ccc(O)cc1 paracetamol with a name of some length\n", block;
  for (int k = 0; k < 3000; ++k) block += line;
  {
    std::ofstream out(folder_ / "many.smi");
    for (int k = 0; k < 100; ++k) out << block;
  }
  // Resident pages now: the peak so far may be another test's.
  const auto resident = [] {
    long whole = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> whole >> pages;
    return pages * (::sysconf(_SC_PAGESIZE) / 1024);
  };
  std::int64_t count = 0;
  long early = 0, most = 0;
  read_molecules({.file = folder_ / "many.smi", .columns = {}}, {}, [&](MoleculeEntry&&) {
    if (++count == 10000) early = resident();
    if (count > 10000 && count % 1000 == 0) most = std::max(most, resident());
    return true;
  });
  EXPECT_EQ(count, 300000);
  EXPECT_LT(most - early, 1024) << "KiB";
}

}  // namespace
}  // namespace pairs
