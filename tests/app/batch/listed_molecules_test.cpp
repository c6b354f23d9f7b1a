// Molecules that a file lists, a row or a line each.
#include <gmock/gmock.h>
#include <zlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "app/posterior/set/listed_items.h"
#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#if PAIRS_WITH_MOLECULES

namespace pairs {
namespace {

std::vector<std::string> reported(const Task& task, const std::filesystem::path& file) {
  std::vector<std::string> all;
  for (const ListedItem& one : listed_items(*face<Items>(task), file).items) all.push_back(one.text + " = " + one.name);
  return all;
}

TEST(ListedMolecules, AreRowsOfATableAndLinesOfAText) {
  const TemporaryFolder folder;
  const auto task = built_in_tasks()->make("molecules");
  const std::vector<std::string> both = {"CCO = ethanol", "c1ccccc1O = phenol"};
  write_file(folder / "table.csv", "name,smiles\nethanol,CCO\nphenol,c1ccccc1O\n");
  EXPECT_TRUE(lists_items(*task, folder / "table.csv"));
  EXPECT_EQ(reported(*task, folder / "table.csv"), both);
  write_file(folder / "lines.smi", "CCO ethanol\nc1ccccc1O\tphenol\n");
  EXPECT_TRUE(lists_items(*task, folder / "lines.smi"));
  EXPECT_EQ(reported(*task, folder / "lines.smi"), both);
  write_file(folder / "one.csv", "smiles\nCCO\n");
  EXPECT_FALSE(lists_items(*task, folder / "one.csv")) << "one molecule is one set";
  write_file(folder / "numbers.txt", "0.1\n0.2\n");
  EXPECT_FALSE(lists_items(*task, folder / "numbers.txt"));
}

// A record of an SDF: a chain of so many carbons and an oxygen, as a drawing or in space.
std::string record(const std::string& name, int carbons, bool solid, bool v3000, const std::string& end) {
  std::string atoms, bonds;
  for (int a = 0; a <= carbons; ++a) {
    const double x = 1.3 * a, y = a % 2 * 0.7, z = solid ? 0.4 * a : 0.0;
    const char* element = a == carbons ? "O" : "C";
    atoms += v3000 ? fmt::format("M  V30 {} {} {:.4f} {:.4f} {:.4f} 0{}", a + 1, element, x, y, z, end)
                   : fmt::format("{:10.4f}{:10.4f}{:10.4f} {:<3} 0  0  0  0  0  0  0  0  0  0  0  0{}", x, y, z,
                                 element, end);
    if (a == carbons) break;
    bonds += v3000 ? fmt::format("M  V30 {} 1 {} {}{}", a + 1, a + 1, a + 2, end)
                   : fmt::format("{:3}{:3}  1  0{}", a + 1, a + 2, end);
  }
  const std::string head = name + end + "     Someone          " + (solid ? "3D" : "2D") + end + end;
  const std::string table =
      v3000 ? fmt::format(
                  "  0  0  0  0  0  0            999 V3000{0}M  V30 BEGIN CTAB{0}M  V30 COUNTS {1} {2} 0 0 0{0}"
                  "M  V30 BEGIN ATOM{0}{3}M  V30 END ATOM{0}M  V30 BEGIN BOND{0}{4}M  V30 END BOND{0}"
                  "M  V30 END CTAB{0}",
                  end, carbons + 1, carbons, atoms, bonds)
            : fmt::format("{:3}{:3}  0  0  0  0  0  0  0  0999 V2000{}{}{}", carbons + 1, carbons, end, atoms, bonds);
  return head + table + "M  END" + end + "> <id>" + end + "7" + end + end + "$$$$" + end;
}

TEST(ListedMolecules, AreRecordsOfAnSdfWhateverTheirWriter) {
  const TemporaryFolder folder;
  const auto task = built_in_tasks()->make("molecules");
  const Items& known = *face<Items>(*task);
  for (const bool solid : {false, true})
    for (const bool v3000 : {false, true})
      for (const std::string end : {"\n", "\r\n"})
        for (const char* ending : {".sdf", ".sd", ".mol", ".txt", ".smi"}) {
          const std::string what = fmt::format("{} {} {} {}", solid, v3000, end.size(), ending);
          const std::filesystem::path file = folder / ("a" + std::string(ending));
          write_file(file, record("ethanol", 2, solid, v3000, end) + record("", 3, solid, v3000, end) +
                               record("last", 4, solid, v3000, end));
          ASSERT_TRUE(lists_items(*task, file)) << what;
          const ItemList list = listed_items(known, file);
          ASSERT_EQ(list.items.size(), 3u) << what;
          EXPECT_EQ(list.items[0].name, "ethanol") << what;
          EXPECT_EQ(list.items[1].name, "record 2") << what;
          EXPECT_EQ(list.items[2].name, "last") << what;
          if (std::string_view(ending) != ".sdf") continue;
          for (std::size_t k = 0; k < 3; ++k) {
            const ItemSet set = known.read_item(list.items[k].text, 0, 1);
            const ItemSet same = known.read_item(k == 0 ? "CCO" : k == 1 ? "CCCO" : "CCCCO", 0, 1);
            EXPECT_EQ(set.latents.theta.item<double>(), same.latents.theta.item<double>()) << what;
            EXPECT_TRUE(known.is_item(list.items[k].text)) << what;
          }
          EXPECT_EQ(listed_item(known, file, "last"), list.items[2].text);
          EXPECT_EQ(listed_item(known, file, list.items[1].text), list.items[1].text);
          EXPECT_EQ(known.read_item(list.items[1].text, 0, 1).title, "a.sdf, record 2");
        }
}

TEST(ListedMolecules, ABadRecordIsARowAndConformersAreOneMolecule) {
  const TemporaryFolder folder;
  const auto task = built_in_tasks()->make("molecules");
  const Items& known = *face<Items>(*task);
  std::string broken = record("broken", 2, false, false, "\n");
  broken.replace(broken.find(" C  "), 4, " Zn ");
  write_file(folder / "a.sdf", record("one", 2, false, false, "\n") + broken + record("two", 3, false, false, "\n"));
  const ItemList list = listed_items(known, folder / "a.sdf");
  ASSERT_EQ(list.items.size(), 3u);
  try {
    known.read_item(list.items[1].text, 0, 1);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("record 2"));
  }
  write_file(folder / "b.sdf", record("", 2, true, false, "\n") + record("", 2, true, false, "\n"));
  EXPECT_FALSE(lists_items(*task, folder / "b.sdf")) << "conformers of one molecule";
  write_file(folder / "c.sdf", record("x", 2, false, false, "\n") + record("y", 2, false, false, "\n"));
  EXPECT_TRUE(lists_items(*task, folder / "c.sdf")) << "drawings are no conformers";
  // A folder lists every molecule of every file.
  const std::filesystem::path many = folder / "many";
  std::filesystem::create_directory(many);
  std::filesystem::rename(folder / "a.sdf", many / "a.sdf");
  write_file(many / "b.smi", "CCO ethanol\n");
  EXPECT_EQ(reported(*task, many).size(), 4u);
}

TEST(ListedMolecules, ListsOfSmilesAreReadWhateverTheirWriter) {
  const TemporaryFolder folder;
  const auto task = built_in_tasks()->make("molecules");
  const std::vector<std::string> names = {"CCO = ethanol", "c1ccccc1O = phenol", "C[NH3+] = amine"};
  const std::vector<std::string> bare = {"CCO = CCO", "c1ccccc1O = c1ccccc1O", "C[NH3+] = C[NH3+]"};
  const std::pair<const char*, const char*> smiles[] = {
      {"CCO", "ethanol"}, {"c1ccccc1O", "phenol"}, {"C[NH3+]", "amine"}};
  const std::vector<std::string> list_headers = {"", "smiles{}name", "SMILES{}Name"},
                                 table_headers = {"", "smiles{}name", "SMILES{}Name", "canonical_smiles{}id"};
  const struct {
    const char* ending;
    std::vector<std::string> separators;
    const std::vector<std::string>& headers;
  } writers[] = {{".smi", {" ", "\t"}, list_headers},
                 {".smi.gz", {" ", "\t"}, list_headers},
                 {".txt", {" "}, list_headers},
                 {".txt", {"\t", ",", ";"}, table_headers},
                 {".csv", {"\t", ",", ";"}, table_headers},
                 {".tsv", {"\t"}, table_headers},
                 {".csv.gz", {","}, table_headers}};
  int validated = 0;
  for (const auto& [ending, separators, headers] : writers)
    for (const std::string& separator : separators)
      for (const std::string& header : headers)
        for (const std::string end : {"\n", "\r\n"})
          for (const std::string before : {"", "\xef\xbb\xbf", "\n", "  "})
            for (const bool named : {false, true})
              for (const bool blanks : {false, true}) {
                std::string text = before;
                if (!header.empty())
                  text += header.substr(0, header.find('{')) +
                          (named ? separator + header.substr(header.find('}') + 1) : "") + end;
                for (const auto& [one, name] : smiles)
                  text += std::string(blanks ? " " : "") + one + (named ? separator + name : "") + (blanks ? " " : "") +
                          end + (blanks ? end : "");
                const std::filesystem::path file = folder / (std::string("list") + ending);
                if (file.extension() == ".gz") {
                  gzFile out = gzopen(file.c_str(), "wb");
                  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
                  gzclose(out);
                } else {
                  write_file(file, text);
                }
                ++validated;
                ASSERT_EQ(reported(*task, file), named ? names : bare) << ending << "\n" << text;
                ASSERT_TRUE(lists_items(*task, file)) << ending << "\n" << text;
              }
  EXPECT_GT(validated, 300);
}

TEST(ListedMolecules, OtherFormatsAreNeverReadAsSmiles) {
  const TemporaryFolder folder;
  const auto task = built_in_tasks()->make("molecules");
  const std::pair<const char*, const char*> kinds[] = {
      {"an XYZ file", "3\n\nC 0.0 0.0 0.0\nO 1.16 0.0 0.0\nO -1.16 0.0 0.0\n"},
      {"an XYZ file", "3\ncarbon dioxide\n6 0.0 0.0 0.0\n8 1.16 0.0 0.0\n8 -1.16 0.0 0.0\n"},
      {"an XYZ file", "C 0.0 0.0 0.0\nO 1.16 0.0 0.0\nO -1.16 0.0 0.0\n"},
      {"an XYZ file", "  3\n C\t0.0\t0.0\t0.0\n O\t1.16\t0.0\t0.0\n O\t-1.16\t0.0\t0.0\n"},
      {"an XYZ file", "2\nC\nO\n"},
      {"a PDB file",
       "HEADER    WATER\nATOM      1  O   HOH A   1      0.000   0.000   0.000\n"
       "HETATM    2  C   LIG A   1      1.000   0.000   0.000\nEND\n"},
      {"a MOL2 file", "@<TRIPOS>MOLECULE\nco2\n 3 2\n@<TRIPOS>ATOM\n1 C 0 0 0 C.1\n"},
      {"a CIF file", "data_co2\n_cell_length_a 5.6\nloop_\n_atom_site_label\nC\nO\n"},
      {"a GRO file", "water\n    1\n    1SOL     OW    1   0.126   1.624   1.679\n   1.8   1.8   1.8\n"},
      {"a list of InChI", "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3\nInChI=1S/CH4/h1H4\n"},
      {"a CML file", "<?xml version=\"1.0\"?>\n<molecule/>\n"}};
  const auto refusal = [&](const std::filesystem::path& file) -> std::string {
    try {
      lists_items(*task, file);
      listed_items(*face<Items>(*task), file);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
  };
  for (const auto& [kind, text] : kinds)
    for (const char* name : {"a.smi", "a.txt", "a.csv", "a.dat", "a"})
      for (const bool windows : {false, true}) {
        std::string written = text;
        for (std::size_t at = 0; windows && (at = written.find('\n', at)) != written.npos; at += 2)
          written.insert(at, "\r");
        write_file(folder / name, written);
        EXPECT_THAT(refusal(folder / name), ::testing::HasSubstr(std::string("is ") + kind)) << name << "\n" << text;
      }
  for (const char* name : {"a.xyz", "a.PDB", "a.mol2", "a.cif", "a.gro", "a.xyz.gz", "a.cdxml"}) {
    write_file(folder / name, "CCO\nCCC\n");
    EXPECT_THAT(refusal(folder / name), ::testing::HasSubstr("is not read as molecules")) << name;
  }
  for (const char* name : {"a.smi", "a.csv", "a.txt"}) {
    std::ofstream(folder / name, std::ios::binary) << std::string(
        "\xff\xfe"
        "C\0C\0O\0\n\0C\0\n\0",
        14);
    EXPECT_THAT(refusal(folder / name), ::testing::HasSubstr("is text in UTF-16")) << name;
  }
}

TEST(ListedMolecules, WhatIsNoMoleculeIsNamedWithItsLine) {
  const TemporaryFolder folder;
  const auto task = built_in_tasks()->make("molecules");
  write_file(folder / "a.smi", "CCO ethanol\nC1CC broken\n\nnonsense\n");
  const std::vector<std::string> expected = {"CCO = ethanol", "C1CC = line 2: broken", "nonsense = line 4: nonsense"};
  EXPECT_EQ(reported(*task, folder / "a.smi"), expected);
  write_file(folder / "a.csv", "smiles,name\nCCO,ethanol\nC1CC,broken\n");
  EXPECT_EQ(reported(*task, folder / "a.csv"), (std::vector<std::string>{"CCO = ethanol", "C1CC = line 3: broken"}));
}

}  // namespace
}  // namespace pairs
#endif
