#include "tasks/molecules/given_molecule.h"

#include <gtest/gtest.h>

#include "core/base/files/files.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

TEST(GivenMolecule, WhatIsMeantAsAMolecule) {
  for (const char* text : {"C", "CCO", "c1ccccc1", "CC(=O)Nc1ccc(O)cc1", "[Na+].CC(=O)[O-]", "C/C=C/C", "F/C=C\\F",
                           "CC(", "C1CC", "C[Na", "N[C@@H](C)C(=O)O", "C%12CC%12", "CCl.Cl", "CC(Xx)C", "missing.sdf",
                           "no/such/drugs.smi.gz", "drugs_crude.msgpack", "(C)C"})
    EXPECT_TRUE(names_molecule(text)) << text;
  for (const char* text : {" CCO", "CCO ", "\tCCO\n", "\r\nCCO",
                           "\xc2\xa0"
                           "CCO",
                           "\xef\xbb\xbf"
                           "CCO",
                           "\"CCO\"", "'CCO' "}) {
    EXPECT_TRUE(names_molecule(text)) << text;
    EXPECT_EQ(given_molecule(text, {}).title, "CCO") << text;
  }
  for (const char* text : {"", " ", "-", "12", "x.npz", "data/set.npz", "no/such/file.off", "chair.off", "set(1).npz",
                           "observations", "C C", "/", ".", "..", "/tmp", "hello", "CC\nCC", "a=b.toml"})
    EXPECT_FALSE(names_molecule(text)) << text;
  const TemporaryFolder folder;
  write_file(folder / "CCO", "x");
  EXPECT_FALSE(names_molecule((folder / "CCO").string()));
  write_file(folder / "a.npz", "x");
  EXPECT_FALSE(names_molecule((folder / "a.npz").string()));
}

}  // namespace
}  // namespace pairs
