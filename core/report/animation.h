#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace pairs::chart {

// Encodes pictures one after the other as an animated WebP, which plays for ever. Throws Error when libwebp fails.
class WebpAnimation {
 public:
  // `quality` from 0 to 100; 100 and more: every pixel is kept.
  WebpAnimation(std::int64_t width, std::int64_t height, double quality = 90);
  ~WebpAnimation();
  WebpAnimation(const WebpAnimation&) = delete;
  WebpAnimation& operator=(const WebpAnimation&) = delete;

  // 8-bit RGB row by row from the top, shown for that long.
  void add(std::span<const std::uint8_t> rgb, std::int64_t milliseconds);
  // The bytes of the file. There must be a frame; nothing can be added afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::chart
