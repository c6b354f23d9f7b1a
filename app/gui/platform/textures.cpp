#include "app/gui/platform/textures.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace pairs::gui {
namespace {

struct Dropped {
  ImTextureID id;
  int frame;
};
TextureStore current_store;
int generation = 0;
std::vector<Dropped> dropped;

int frame_now() {
  return ImGui::GetCurrentContext() ? ImGui::GetFrameCount() : -1;
}

}  // namespace

void set_texture_store(TextureStore store) {
  current_store = store;
  ++generation;
  dropped.clear();
}

bool has_texture_store() {
  return current_store.create != nullptr;
}

int texture_generation() {
  return generation;
}

Texture::Texture(int width, int height, const std::uint8_t* rgba) {
  collect_textures();
  if (!current_store.create) return;
  id_ = current_store.create(width, height, rgba);
  generation_ = generation;
}

Texture::~Texture() {
  drop();
}

Texture::Texture(Texture&& other) noexcept
    : id_(std::exchange(other.id_, {})), generation_(std::exchange(other.generation_, -1)) {}

Texture& Texture::operator=(Texture&& other) noexcept {
  if (this == &other) return *this;
  drop();
  id_ = std::exchange(other.id_, {});
  generation_ = std::exchange(other.generation_, -1);
  return *this;
}

void Texture::drop() {
  if (generation_ == generation) dropped.push_back({id_, frame_now()});
  generation_ = -1;
}

void collect_textures() {
  const int now = frame_now();
  std::erase_if(dropped, [&](const Dropped& texture) {
    if (texture.frame == now && now >= 0) return false;
    if (current_store.destroy) current_store.destroy(texture.id);
    return true;
  });
}

}  // namespace pairs::gui
