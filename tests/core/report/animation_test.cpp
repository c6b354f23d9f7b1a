#include "core/report/animation.h"

#include <gtest/gtest.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/base/text/error.h"

namespace pairs::chart {
namespace {

constexpr int kWide = 33, kHigh = 21;

// A frame that no other equals: a gradient with a square that moves.
std::vector<std::uint8_t> frame(int number) {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < kHigh; ++y)
    for (int x = 0; x < kWide; ++x) {
      const bool inside = x >= 4 * number && x < 4 * number + 6 && y >= 5 && y < 12;
      rgb.insert(rgb.end(), {static_cast<std::uint8_t>(inside ? 240 : 5 * x), static_cast<std::uint8_t>(8 * y),
                             static_cast<std::uint8_t>(inside ? 20 : 90)});
    }
  return rgb;
}

struct Decoded {
  int width = 0, height = 0, loops = -1;
  std::vector<std::vector<std::uint8_t>> frames;  // rgb
  std::vector<int> ends;                          // milliseconds
};

Decoded decode(const std::string& bytes) {
  WebPAnimDecoderOptions options;
  WebPAnimDecoderOptionsInit(&options);
  options.color_mode = MODE_RGBA;
  const WebPData data = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  WebPAnimDecoder* decoder = WebPAnimDecoderNew(&data, &options);
  Decoded out;
  if (!decoder) return out;
  WebPAnimInfo info;
  WebPAnimDecoderGetInfo(decoder, &info);
  out.width = static_cast<int>(info.canvas_width);
  out.height = static_cast<int>(info.canvas_height);
  out.loops = static_cast<int>(info.loop_count);
  while (WebPAnimDecoderHasMoreFrames(decoder)) {
    std::uint8_t* rgba = nullptr;
    int end = 0;
    if (!WebPAnimDecoderGetNext(decoder, &rgba, &end)) break;
    std::vector<std::uint8_t> rgb;
    for (int i = 0; i < out.width * out.height; ++i) rgb.insert(rgb.end(), rgba + 4 * i, rgba + 4 * i + 3);
    out.frames.push_back(std::move(rgb));
    out.ends.push_back(end);
  }
  WebPAnimDecoderDelete(decoder);
  return out;
}

double mean_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

std::string film(double quality) {
  WebpAnimation animation(kWide, kHigh, quality);
  animation.add(frame(0), 120);
  animation.add(frame(3), 250);
  animation.add(frame(5), 900);
  return animation.finish();
}

TEST(WebpAnimation, ReadsBackExactlyWithoutLoss) {
  const Decoded back = decode(film(100));
  EXPECT_EQ(back.width, kWide);
  EXPECT_EQ(back.height, kHigh);
  EXPECT_EQ(back.loops, 0) << "it plays for ever";
  ASSERT_EQ(back.frames.size(), 3u);
  EXPECT_EQ(back.ends, (std::vector<int>{120, 370, 1270}));
  EXPECT_EQ(back.frames[0], frame(0));
  EXPECT_EQ(back.frames[1], frame(3));
  EXPECT_EQ(back.frames[2], frame(5));
}

TEST(WebpAnimation, IsCloseAtItsUsualQuality) {
  const Decoded back = decode(film(90));
  ASSERT_EQ(back.frames.size(), 3u);
  const int numbers[] = {0, 3, 5};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LT(mean_difference(back.frames[k], frame(numbers[k])), 6) << k;
    EXPECT_GT(mean_difference(back.frames[k], frame(numbers[(k + 1) % 3])), 10) << k;
  }
}

TEST(FilmSizes, GrowFromOneToTheLast) {
  EXPECT_EQ(film_sizes(1), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(film_sizes(3), (std::vector<std::int64_t>{1, 2, 3}));
  const std::vector<std::int64_t> sizes = film_sizes(100000);
  EXPECT_EQ(sizes.front(), 1);
  EXPECT_EQ(sizes.back(), 100000);
  EXPECT_LE(sizes.size(), 24u);
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  EXPECT_EQ(film_sizes(50, {1, 10, 100}), (std::vector<std::int64_t>{1, 10})) << "sizes that have a head";
}

TEST(WebpAnimation, RefusesWhatFitsNowhere) {
  EXPECT_THROW(WebpAnimation(0, 10), Error);
  EXPECT_THROW(WebpAnimation(10, 20000), Error);
  WebpAnimation animation(kWide, kHigh);
  EXPECT_THROW(animation.add(std::vector<std::uint8_t>(7), 10), Error);
  EXPECT_THROW(animation.add(frame(0), 0), Error);
  EXPECT_THROW(animation.finish(), Error) << "there is no frame";
}

}  // namespace
}  // namespace pairs::chart
