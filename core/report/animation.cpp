#include "core/report/animation.h"

#include <webp/encode.h>
#include <webp/mux.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text/error.h"

namespace pairs::chart {

std::vector<std::int64_t> film_sizes(std::int64_t most, const std::vector<std::int64_t>& only) {
  constexpr int kMostFrames = 24;
  std::set<std::int64_t> sizes;
  for (int k = 0; k < kMostFrames; ++k)
    sizes.insert(std::llround(std::exp(std::log(static_cast<double>(most)) * k / (kMostFrames - 1))));
  if (only.empty()) return {sizes.begin(), sizes.end()};
  std::vector<std::int64_t> some;
  for (const std::int64_t n : only)
    if (n <= most) some.push_back(n);
  return some;
}

std::int64_t frame_milliseconds(bool last) {
  return last ? 2400 : 420;
}

struct WebpAnimation::State {
  std::int64_t width = 0, height = 0, time = 0, frames = 0;
  WebPConfig config{};
  WebPPicture picture{};
  WebPAnimEncoder* encoder = nullptr;
  ~State() {
    WebPPictureFree(&picture);
    WebPAnimEncoderDelete(encoder);
  }
};

WebpAnimation::WebpAnimation(std::int64_t width, std::int64_t height, double quality)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  PAIRS_CHECK(width >= 1 && height >= 1 && width <= WEBP_MAX_DIMENSION && height <= WEBP_MAX_DIMENSION,
              "An animation of {} by {} pixels cannot be made; a side has 1 to {}", width, height, WEBP_MAX_DIMENSION);
  s.width = width;
  s.height = height;
  WebPAnimEncoderOptions options;
  PAIRS_CHECK(WebPAnimEncoderOptionsInit(&options) && WebPConfigInit(&s.config) && WebPPictureInit(&s.picture),
              "The libwebp found at run time is another version than this program was built with");
  s.config.lossless = quality >= 100;
  s.config.quality = static_cast<float>(s.config.lossless ? 50 : std::clamp(quality, 0.0, 100.0));
  s.config.method = 3;
  s.config.use_sharp_yuv = !s.config.lossless;
  s.picture.width = static_cast<int>(width);
  s.picture.height = static_cast<int>(height);
  s.picture.use_argb = 1;
  s.encoder = WebPAnimEncoderNew(s.picture.width, s.picture.height, &options);
  PAIRS_CHECK(s.encoder, "Encoding an animation failed: out of memory");
}

WebpAnimation::~WebpAnimation() = default;

void WebpAnimation::add(std::span<const std::uint8_t> rgb, std::int64_t milliseconds) {
  State& s = *state_;
  PAIRS_CHECK(rgb.size() == static_cast<std::size_t>(3 * s.width * s.height) && milliseconds > 0,
              "A frame of {} by {} pixels needs three bytes a pixel, not {} in all, and some time", s.width, s.height,
              rgb.size());
  PAIRS_CHECK(WebPPictureImportRGB(&s.picture, rgb.data(), static_cast<int>(3 * s.width)) &&
                  WebPAnimEncoderAdd(s.encoder, &s.picture, static_cast<int>(s.time), &s.config),
              "Encoding an animation failed: {}", WebPAnimEncoderGetError(s.encoder));
  s.time += milliseconds;
  ++s.frames;
}

std::string WebpAnimation::finish() {
  State& s = *state_;
  PAIRS_CHECK(s.frames > 0, "An animation needs at least one frame");
  WebPData data;
  WebPDataInit(&data);
  const bool done = WebPAnimEncoderAdd(s.encoder, nullptr, static_cast<int>(s.time), nullptr) &&
                    WebPAnimEncoderAssemble(s.encoder, &data);
  PAIRS_CHECK(done, "Encoding an animation failed: {}", WebPAnimEncoderGetError(s.encoder));
  std::string bytes(reinterpret_cast<const char*>(data.bytes), data.size);
  WebPDataClear(&data);
  return bytes;
}

}  // namespace pairs::chart
