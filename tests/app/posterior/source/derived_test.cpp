#include "app/posterior/source/derived.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "app/posterior/files/posterior_samples.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

TaskInfo two_targets() {
  TaskInfo info;
  info.name = "two";
  info.targets = {{"theta", "θ", "", 0, 1, 0, 1, 1, 0, 1}, {"psi", "ψ", "", 0, 1, 0, 1, 1, 0, 1}};
  return info;
}

// Two normal distributions as evenly spaced quantiles, whatever the seed: their sum and difference are known.
PosteriorSource normals(const std::string& name, SeriesRole role, bool ours) {
  PosteriorSource source;
  source.name = name;
  source.role = role;
  source.ours = ours;
  source.sample = [](std::int64_t draws, std::uint64_t) {
    const torch::Tensor u = (at::arange(draws, torch::kFloat64) + 0.5) / static_cast<double>(draws);
    const torch::Tensor z = at::special_ndtri(u);
    return at::stack({2 + z, 1 - 0.5 * z}, 1);
  };
  return source;
}

TEST(Derived, NumbersAreThoseOfTheDraws) {
  const TaskInfo info = two_targets();
  const auto quantities = derived_quantities({"sum = theta + psi", "gap=theta - psi", "root = sqrt(psi)"}, info);
  const std::vector<PosteriorSource> sources = {normals("PAIRS", SeriesRole::pairs, true),
                                                normals("exact", SeriesRole::exact, false),
                                                normals("naive", SeriesRole::naive, false)};
  const std::vector<DerivedNumbers> all = derived_numbers(quantities, sources, {});
  ASSERT_EQ(all.size(), 6u) << "of runs and the exact posterior alone";
  // 3 + z/2 and 1 + 3z/2.
  EXPECT_NEAR(all[0].numbers.mean, 3, 1e-9);
  EXPECT_NEAR(all[0].numbers.sd, 0.5, 2e-3);
  EXPECT_NEAR(all[0].numbers.quantiles.front(), 3 - 0.5 * 1.644854, 2e-3);
  EXPECT_NEAR(all[0].numbers.quantiles.back(), 3 + 0.5 * 1.644854, 2e-3);
  EXPECT_NEAR(all[2].numbers.sd, 1.5, 6e-3);
  EXPECT_EQ(all[1].source, "exact");
  EXPECT_EQ(undefined_text(all[0]), "");
  // 1 - z/2 is below zero for z > 2.
  EXPECT_NEAR(all[4].undefined, 0.02275, 5e-4);
  EXPECT_THAT(undefined_text(all[4]), HasSubstr(" % of the draws sqrt(psi) is not a finite number"));
  EXPECT_TRUE(std::isfinite(all[4].numbers.mean));
}

TEST(Derived, WhatIsNeverFiniteHasNoNumbers) {
  const auto quantities = derived_quantities({"no = log(-1 - theta^2)"}, two_targets());
  const std::vector<DerivedNumbers> all = derived_numbers(quantities, {normals("PAIRS", SeriesRole::pairs, true)}, {});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].undefined, 1);
  EXPECT_TRUE(std::isnan(all[0].numbers.mean));
}

TEST(Derived, WrongTextsAreRefused) {
  const TaskInfo info = two_targets();
  const auto refusal = [&](const std::vector<std::string>& texts) {
    try {
      derived_quantities(texts, info);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal({"theta/psi"}), HasSubstr("has no name; write NAME = EXPRESSION"));
  EXPECT_THAT(refusal({" = theta"}), HasSubstr("needs a name"));
  EXPECT_THAT(refusal({"1st = theta"}), HasSubstr("needs a name"));
  EXPECT_THAT(refusal({"psi = theta"}), HasSubstr("has the name of a target"));
  EXPECT_THAT(refusal({"a = theta", "a = psi"}), HasSubstr("Two derived quantities are called a"));
  EXPECT_THAT(refusal({"a = theta*phi"}), HasSubstr("at character 7: unknown name \"phi\""));
  EXPECT_THAT(refusal({"a = theta = psi"}), HasSubstr("an operator is missing"));
  TaskInfo image;
  image.target_kind = TargetKind::image;
  EXPECT_THROW(derived_quantities({"a = theta"}, image), Error);
}

TEST(Derived, StandBesideTheSamplesInTheirFiles) {
  const TemporaryFolder folder;
  const TaskInfo info = two_targets();
  const torch::Tensor samples = at::tensor({0.1f, 2.0f, 3.0f, 4.0f}).view({2, 2});
  const DerivedQuantity ratio("ratio = theta/psi", target_names(info));
  const std::vector<DerivedColumn> columns = {{"ratio", ratio.values(samples)}};
  write_samples(folder / "a.csv", {{"samples", samples}}, info, {.derived = columns});
  EXPECT_EQ(read_file(folder / "a.csv"), "theta,psi,ratio\n0.1,2,0.05000000074505806\n3,4,0.75\n");
  write_samples(folder / "b.csv", {{"samples", samples}}, info);
  EXPECT_EQ(read_file(folder / "b.csv"), "theta,psi\n0.1,2\n3,4\n");
  write_samples(folder / "a.npz", {{"samples", samples}}, info, {.derived = columns});
  const auto arrays = read_npz(folder / "a.npz");
  EXPECT_TRUE(arrays.at("samples").equal(samples));
  EXPECT_TRUE(arrays.at("derived_ratio").equal(columns[0].second));
}

}  // namespace
}  // namespace pairs
