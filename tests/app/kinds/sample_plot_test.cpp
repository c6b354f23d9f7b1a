#include "app/kinds/sample_plot.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "app/kinds/image/image_plot.h"
#include "core/report/figure.h"
#include "core/report/ranges.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

// The sheet is one picture a row of images with a point between them: a curve in pixels of an image must come to lie on
// the same pixels of every image of the sheet.
TEST(SamplePlot, CurvesLieOverTheSamePixelsOfEveryImage) {
  const auto task = built_in_tasks()->make("digits");
  constexpr std::int64_t count = 5, side = 28;
  torch::Tensor x = at::zeros({count, 1, side, side});
  x.select(2, 20).select(2, 6).fill_(1);  // row 20, column 6
  Plot plot = sample_plot(*task, {}, x, {});
  draw_over_images(plot, count, side, side, {{SeriesRole::n1, LineStyle::dashed, {6.5, 6.6}, {20.5, 20.6}}});
  ASSERT_EQ(plot.contours.size(), static_cast<std::size_t>(count));
  for (const Contour& contour : plot.contours) {
    EXPECT_EQ(contour.role, SeriesRole::n1);
    EXPECT_EQ(contour.style, LineStyle::dashed);
    int hit = 0;
    for (const Picture& picture : plot.pictures) {
      const double column =
          (contour.x[0] - picture.x0) / (picture.x1 - picture.x0) * static_cast<double>(picture.width);
      const double row = (picture.y1 - contour.y[0]) / (picture.y1 - picture.y0) * static_cast<double>(picture.height);
      if (column < 0 || row < 0 || column >= static_cast<double>(picture.width) ||
          row >= static_cast<double>(picture.height))
        continue;
      ++hit;
      const auto at = static_cast<std::size_t>(
          3 * (static_cast<std::int64_t>(row) * picture.width + static_cast<std::int64_t>(column)));
      EXPECT_EQ(picture.rgb[at], 255);
    }
    EXPECT_EQ(hit, 1);
  }
}

// A sheet that is drawn at the size of a thumbnail still has its lines.
TEST(SamplePlot, LinesBetweenImagesAreSeenWhereImagesAreSmall) {
  for (const std::int64_t side : {16, 28, 64, 128}) {
    const Plot plot = image_sheet(at::zeros({1, 1, side, side}));
    EXPECT_GE(static_cast<double>(plot.pictures.at(0).width - side) / static_cast<double>(side), 1.0 / 24) << side;
  }
}

TEST(SamplePlot, AxesWriteColumnsAsSentencesDo) {
  const auto task = built_in_tasks()->make("gaussian");
  const std::int64_t index[] = {0};
  const SetRange range[] = {{0, 0, 20}};
  const Latents latents = task->latents(1, Purpose::explore, index);
  const Plot plot =
      sample_plot(*task, latents, task->observe(latents, 1, Purpose::explore, range, torch::kCPU), prior_view(*task));
  EXPECT_EQ(plot.x.label, "x₁");
  EXPECT_EQ(plot.y.label, "x₂");
}

TEST(SamplePlot, CurvesEndWhereTheImageDoes) {
  const auto task = built_in_tasks()->make("digits");
  Plot plot = sample_plot(*task, {}, at::zeros({1, 1, 28, 28}), {});
  // Along a row, out to the right, and back further down.
  const ImageCurve curve{SeriesRole::pairs, LineStyle::solid, {10, 20, 30, 40, 28, 14, 0}, {5, 5, 5, 8, 9, 9, 9}};
  draw_over_images(plot, 1, 28, 28, {curve});
  ASSERT_EQ(plot.contours.size(), 2u);
  EXPECT_EQ(plot.contours[0].x.size(), 2u);
  EXPECT_EQ(plot.contours[1].x.size(), 3u);
  for (const Contour& piece : plot.contours)
    for (std::size_t i = 0; i < piece.x.size(); ++i) {
      EXPECT_GE(piece.x[i], 0);
      EXPECT_LE(piece.x[i], 28.0 / 30);
    }
  Figure figure;
  figure.plots.push_back(plot);
  EXPECT_TRUE(chart::pictures_only(plot)) << "drawn without axes, as without curves";
  EXPECT_NO_THROW(figure_csv(figure)) << "which has the curves to tell";
}

}  // namespace
}  // namespace pairs
