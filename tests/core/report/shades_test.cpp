#include "core/report/shades.h"

#include <gtest/gtest.h>

#include <set>

#include "core/report/style.h"

namespace pairs {
namespace {

constexpr SeriesRole kStrategies[] = {SeriesRole::pairs, SeriesRole::n1, SeriesRole::n1_10, SeriesRole::end_to_end,
                                      SeriesRole::gaussian};

TEST(Shades, AreRolesOfTheirOwnAndComeBack) {
  for (const SeriesRole role : kStrategies)
    for (int k = 0; k < 12; ++k) {
      EXPECT_EQ(base_role(shaded(role, k)), role);
      EXPECT_EQ(shade_of(shaded(role, k)), k);
      EXPECT_EQ(shaded(shaded(role, 3), k), shaded(role, k));
    }
  EXPECT_EQ(shaded(SeriesRole::pairs, 0), SeriesRole::pairs);
  for (const SeriesRole role : {SeriesRole::exact, SeriesRole::naive, SeriesRole::truth, SeriesRole::other})
    EXPECT_EQ(shaded(role, 2), role);
}

TEST(Shades, HaveColorsOfTheirOwn) {
  std::set<std::uint32_t> colors = {role_color(SeriesRole::naive), role_color(SeriesRole::exact),
                                    role_color(SeriesRole::other)};
  const std::size_t before = colors.size();
  for (const SeriesRole role : kStrategies)
    for (int k = 0; k < kShades; ++k) colors.insert(role_color(shaded(role, k)));
  EXPECT_EQ(colors.size(), before + std::size(kStrategies) * kShades);
  EXPECT_EQ(role_color(shaded(SeriesRole::pairs, kShades)), role_color(SeriesRole::pairs));
}

TEST(Shades, AreNotMixedWithWhiteBesideEachOther) {
  Plot plot;
  plot.lines.resize(2);
  plot.lines[0].name = "first";
  plot.lines[1].name = "second";
  plot.lines[1].role = shaded(SeriesRole::pairs, 1);
  const auto styles = chart::line_styles(plot);
  EXPECT_EQ(styles[0].color, role_color(SeriesRole::pairs));
  EXPECT_EQ(styles[1].color, role_color(shaded(SeriesRole::pairs, 1)));
}

}  // namespace
}  // namespace pairs
