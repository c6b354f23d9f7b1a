#pragma once

#include <imgui.h>

#include <cstdint>

// How pictures reach the renderer. Everything here belongs to the thread of the window.
namespace pairs::gui {

// Set by a renderer: rgba row by row from the top, straight alpha, shown with sharp pixels (nearest filter).
struct TextureStore {
  ImTextureID (*create)(int width, int height, const std::uint8_t* rgba) = nullptr;
  void (*destroy)(ImTextureID texture) = nullptr;
};
// A renderer sets it when it is ready and sets {} before it goes; textures made before are then forgotten, not
// destroyed. Without one pictures are drawn as rectangles.
void set_texture_store(TextureStore store);
bool has_texture_store();
// Changes with every set_texture_store.
int texture_generation();

// A texture of the store. One dropped is destroyed when the frame that may still show it is over.
class Texture {
 public:
  Texture() = default;
  Texture(int width, int height, const std::uint8_t* rgba);
  ~Texture();
  Texture(Texture&& other) noexcept;
  Texture& operator=(Texture&& other) noexcept;

  ImTextureID id() const { return id_; }

 private:
  void drop();
  ImTextureID id_{};
  int generation_ = -1;
};

// Destroys what was dropped in earlier frames; a renderer calls it after drawing one.
void collect_textures();

}  // namespace pairs::gui
