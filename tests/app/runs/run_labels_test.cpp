#include "app/runs/run_labels.h"

#include <gtest/gtest.h>

namespace pairs {
namespace {

TEST(SettingRows, PutDifferencesFirst) {
  RunConfig a, b;
  a.task = b.task = "gaussian";
  b.pretrain.rate = 0.5;
  const auto rows = setting_rows({a, b});
  EXPECT_EQ(rows[0].key, "pretrain.rate");
  EXPECT_TRUE(rows[0].differs);
  EXPECT_NE(rows[0].values[0], rows[0].values[1]);
  for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_FALSE(rows[k].differs) << rows[k].key;
}

}  // namespace
}  // namespace pairs
