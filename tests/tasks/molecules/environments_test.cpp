#include "tasks/molecules/environments.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace pairs {
namespace {

using ::testing::Contains;

std::vector<ItemPart> parts_of(const std::string& smiles) {
  return atom_environments(std::get<Molecule>(parse_molecule(smiles)), true);
}
std::multiset<std::uint64_t> hashes_of(const std::string& smiles) {
  std::multiset<std::uint64_t> out;
  for (const ItemPart& part : parts_of(smiles)) out.insert(part.hash);
  return out;
}
std::vector<std::string> texts_of(const std::string& smiles) {
  std::vector<std::string> out;
  for (const ItemPart& part : parts_of(smiles)) out.push_back(part.text);
  return out;
}

TEST(Environments, AreTheSameHoweverTheMoleculeIsWritten) {
  EXPECT_EQ(hashes_of("CC(=O)Nc1ccc(O)cc1"), hashes_of("Oc1ccc(NC(C)=O)cc1"));
  EXPECT_EQ(hashes_of("C[C@H](N)C(=O)O"), hashes_of("C[C@@H](N)C(=O)O")) << "mirror images";
  EXPECT_EQ(hashes_of("C1=CC=CC=C1C"), hashes_of("Cc1ccccc1"));
}

TEST(Environments, EachAtomHasThreeTheNearerTheHeavier) {
  const std::vector<ItemPart> parts = parts_of("CCO");
  ASSERT_EQ(parts.size(), 9u);
  for (const std::int64_t weight : {20, 5, 2})
    EXPECT_EQ(std::count_if(parts.begin(), parts.end(), [&](const ItemPart& part) { return part.weight == weight; }),
              3);
  EXPECT_THAT(texts_of("CCO"), Contains("O with 1 neighbor but hydrogen"));
  EXPECT_THAT(texts_of("CC[NH2+]C"), Contains("N+ with 2 neighbors but hydrogen"));
  EXPECT_THAT(texts_of("CCO"), Contains("O in CO"));
  EXPECT_THAT(texts_of("CCO"), Contains("O in CCO"));
  EXPECT_THAT(texts_of("Cc1ccc([N+](=O)[O-])cc1"), Contains("N in c[N+](=O)[O-]"));
}

// What differs two bonds away changes the far part alone, what differs next to it both.
TEST(Environments, TellWhatStandsWithinTheirReach) {
  const auto first = [](const std::string& smiles) {
    const std::vector<ItemPart> parts = parts_of(smiles);
    return std::pair{parts[parts.size() / 3].hash, parts[2 * parts.size() / 3].hash};  // of the first atom
  };
  const auto [near, far] = first("CCN");
  EXPECT_EQ(first("CCO").first, near);
  EXPECT_NE(first("CCO").second, far);
  EXPECT_NE(first("CN").first, near);
  EXPECT_NE(first("C=CN").first, near) << "how it is bound";
  EXPECT_EQ(first("CC[NH3+]").first, near);
  EXPECT_NE(first("CC[NH3+]").second, far) << "a charge";
}

}  // namespace
}  // namespace pairs
