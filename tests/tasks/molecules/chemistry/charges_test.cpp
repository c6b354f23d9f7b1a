#include "tasks/molecules/chemistry/charges.h"

#include <gtest/gtest.h>

namespace pairs {
namespace {

TEST(Charges, CountUnlessANeighborBalancesThem) {
  for (const char* charged : {"CC[NH3+]", "CC(=O)[O-]", "[NH3+]CC(=O)[O-]", "C[n+]1ccccc1", "C[N+](C)(C)CC(=O)[O-]",
                              "[O-][Cl+3]([O-])([O-])[O-]"})
    EXPECT_TRUE(carries_charge(charged)) << charged;
  for (const char* plain : {"CCO", "c1ccccc1[N+](=O)[O-]", "C[N+](C)(C)[O-]", "[O-][n+]1ccccc1", "CN=[N+]=[N-]", "no("})
    EXPECT_FALSE(carries_charge(plain)) << plain;
}

}  // namespace
}  // namespace pairs
