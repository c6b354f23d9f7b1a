#include "app/gui/widgets/picture_textures.h"

#include <vector>

#include "app/gui/platform/theme.h"

namespace pairs::gui {
namespace {

constexpr float kCorner = 4;

Texture upload(const Picture& picture) {
  std::vector<std::uint8_t> rgba;
  rgba.reserve(picture.rgb.size() / 3 * 4);
  for (std::size_t i = 0; i + 2 < picture.rgb.size(); i += 3)
    rgba.insert(rgba.end(), {picture.rgb[i], picture.rgb[i + 1], picture.rgb[i + 2], 255});
  return {static_cast<int>(picture.width), static_cast<int>(picture.height), rgba.data()};
}

}  // namespace

void PictureTextures::draw(const std::shared_ptr<const Picture>& picture, ImVec2 min, ImVec2 max, float alpha) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (generation_ != texture_generation()) {
    kept_.clear();
    generation_ = texture_generation();
  }
  if (!picture || !has_texture_store()) return list.AddRectFilled(min, max, palette().pressed, px(kCorner));
  Kept& kept = kept_[picture.get()];
  if (!kept.picture) kept = {picture, upload(*picture), false};
  kept.drawn = true;
  const auto opaque = static_cast<int>(255 * alpha);
  list.AddImageRounded(kept.texture.id(), min, max, {0, 0}, {1, 1}, IM_COL32(255, 255, 255, opaque), px(kCorner));
}

void PictureTextures::end_frame() {
  std::erase_if(kept_, [](const auto& one) { return !one.second.drawn; });
  for (auto& [picture, kept] : kept_) kept.drawn = false;
}

}  // namespace pairs::gui
