#include "app/kinds/missing_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/text/error.h"

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

std::string refusal_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(KeepWhole, CountsAndNamesTheFirstPlace) {
  const torch::Tensor x = torch::tensor({{1.0, 2.0}, {3.0, kNan}, {kInf, 1.0}, {5.0, 6.0}}, torch::kFloat64);
  std::int64_t dropped = -1;
  EXPECT_THAT(refusal_by([&] {
                keep_whole(x, Missing::refuse, "a.csv", dropped, {"x1", "x2"});
              }),
              AllOf(HasSubstr("a.csv: 2 of 4 rows"), HasSubstr("column x2 of row 2"), HasSubstr("--missing drop")));
  const torch::Tensor kept = keep_whole(x, Missing::drop, "a.csv", dropped);
  EXPECT_EQ(dropped, 2);
  EXPECT_TRUE(kept.equal(torch::tensor({{1.0, 2.0}, {5.0, 6.0}}, torch::kFloat64)));
  EXPECT_TRUE(keep_whole(x, Missing::keep, "a.csv", dropped).is_same(x));
  EXPECT_EQ(dropped, 0);
  EXPECT_THAT(refusal_by([&] { keep_whole(x.slice(0, 1, 3), Missing::drop, "a.csv", dropped); }),
              HasSubstr("none is left"));
  const torch::Tensor whole = torch::tensor({{1, 2}}, torch::kInt64);
  EXPECT_TRUE(keep_whole(whole, Missing::refuse, "a.npz", dropped).is_same(whole));
}

TEST(KeepWhole, LeavesOutWholeObservationsOfRaggedRows) {
  // Observations have 1, 0, 2 and 1 rows; the third has a value that is not finite.
  const Observations x =
      Observations::ragged(torch::tensor({{1.0}, {2.0}, {kNan}, {4.0}}), torch::tensor({0, 1, 1, 3, 4}, torch::kInt64));
  std::int64_t dropped = 0;
  EXPECT_THAT(refusal_by([&] { keep_whole(x, Missing::refuse, "r.npz", dropped); }),
              AllOf(HasSubstr("1 of 4 rows"), HasSubstr("observation 3")));
  const Observations kept = keep_whole(x, Missing::drop, "r.npz", dropped);
  EXPECT_EQ(dropped, 1);
  EXPECT_EQ(kept.count(), 3);
  EXPECT_TRUE(kept.rows().equal(torch::tensor({{1.0}, {4.0}})));
  EXPECT_TRUE(kept.offsets().equal(torch::tensor({0, 1, 1, 2}, torch::kInt64)));
}

// A table with columns "a" and "b" in which `missing` determines the missing rows.
class Patterned final : public TableFile {
 public:
  Patterned(std::int64_t rows, std::function<bool(std::int64_t)> missing)
      : TableFile("patterned"), missing_(std::move(missing)) {
    columns_ = {{"a"}, {"b"}};
    rows_ = rows;
  }

 private:
  void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override {
    for (std::int64_t row = first; row < first + count; ++row)
      for (const std::size_t place : places) {
        const auto value = static_cast<double>(2 * row + static_cast<std::int64_t>(place));
        *out++ = place == 1 && missing_(row) ? kNan : value;
      }
  }
  std::function<bool(std::int64_t)> missing_;
};

void expect_whole(std::int64_t rows, const std::function<bool(std::int64_t)>& missing) {
  std::vector<std::int64_t> kept;
  for (std::int64_t row = 0; row < rows; ++row)
    if (!missing(row)) kept.push_back(row);
  WholeRows whole(std::make_unique<Patterned>(rows, missing), {0, 1});
  ASSERT_EQ(whole.rows(), static_cast<std::int64_t>(kept.size()));
  EXPECT_EQ(whole.dropped(), rows - whole.rows());
  EXPECT_EQ(whole.names(), (std::vector<std::string>{"a", "b"}));
  for (const std::int64_t from : {std::int64_t{0}, whole.rows() / 3, whole.rows() - 1})
    for (const std::int64_t count :
         {std::int64_t{1}, std::min<std::int64_t>(40, whole.rows() - from), whole.rows() - from}) {
      std::vector<double> out(static_cast<std::size_t>(2 * count));
      whole.read(from, count, {1, 0}, out.data());
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = kept[static_cast<std::size_t>(from + i)];
        ASSERT_EQ(whole.number(from + i), row);
        ASSERT_EQ(out[static_cast<std::size_t>(2 * i)], static_cast<double>(2 * row + 1));
        ASSERT_EQ(out[static_cast<std::size_t>(2 * i + 1)], static_cast<double>(2 * row));
      }
    }
}

TEST(WholeRows, AreThoseWithoutAMissingValue) {
  expect_whole(100, [](std::int64_t) { return false; });
  expect_whole(100, [](std::int64_t row) { return row % 3 == 0; });
  expect_whole(100, [](std::int64_t row) { return row < 60 || row == 99; });
  expect_whole(200000, [](std::int64_t row) { return row % 7 == 2 || (row > 65530 && row < 65540); });
  // A column that nobody needs may lack values.
  WholeRows unneeded(std::make_unique<Patterned>(10, [](std::int64_t) { return true; }), {0});
  EXPECT_EQ(unneeded.rows(), 10);
  EXPECT_THAT(refusal_by([] { WholeRows(std::make_unique<Patterned>(10, [](std::int64_t) { return true; }), {1}); }),
              HasSubstr("none is left"));
}

}  // namespace
}  // namespace pairs
