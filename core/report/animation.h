#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pairs::chart {

// Sizes of a set that grows from 1 to `most` in a film, evenly on a logarithmic scale; restricted to `only` if that is
// not empty.
std::vector<std::int64_t> film_sizes(std::int64_t most, const std::vector<std::int64_t>& only = {});
// How long a frame of such a film is shown.
std::int64_t frame_milliseconds(bool last);

// Encodes a sequence of pictures as an animated WebP that loops forever. Throws Error if libwebp fails.
class WebpAnimation {
 public:
  // `quality` from 0 to 100; 100 and above is lossless.
  WebpAnimation(std::int64_t width, std::int64_t height, double quality = 90);
  ~WebpAnimation();
  WebpAnimation(const WebpAnimation&) = delete;
  WebpAnimation& operator=(const WebpAnimation&) = delete;

  // Adds 8-bit RGB pixels, row by row from the top, shown for that long.
  void add(std::span<const std::uint8_t> rgb, std::int64_t milliseconds);
  // The bytes of the file. Needs at least one frame; nothing can be added afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pairs::chart
