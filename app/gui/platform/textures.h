#pragma once

#include <imgui.h>

#include <cstdint>

// The interface between pictures and the renderer. Everything here belongs to the window's thread.
namespace pairs::gui {

// Provided by a renderer: rgba row by row from the top, straight alpha, shown with sharp pixels (nearest filter).
struct TextureStore {
  ImTextureID (*create)(int width, int height, const std::uint8_t* rgba) = nullptr;
  void (*destroy)(ImTextureID texture) = nullptr;
};
// A renderer sets it when it is ready and resets it to {} before it is destroyed; earlier textures are then dropped,
// not destroyed. Without a store, pictures are drawn as rectangles.
void set_texture_store(TextureStore store);
bool has_texture_store();
// Changes with every set_texture_store.
int texture_generation();

// A texture of the store. A dropped one is destroyed after the frame that may still show it.
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

// Destroys textures dropped in earlier frames; a renderer calls it after drawing one.
void collect_textures();

}  // namespace pairs::gui
