#include "app/gui/platform/gl_renderer.h"

#include <backends/imgui_impl_opengl3.h>

#include <cstdint>

#include "app/gui/platform/textures.h"
#include "core/base/text/error.h"

namespace pairs::gui {
namespace {

const GlFunctions* gl_of_textures = nullptr;

ImTextureID create_texture(int width, int height, const std::uint8_t* rgba) {
  const GlFunctions& gl = *gl_of_textures;
  GLuint texture = 0;
  gl.GenTextures(1, &texture);
  gl.BindTexture(GL_TEXTURE_2D, texture);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
  gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
  return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(texture));
}

void destroy_texture(ImTextureID texture) {
  const auto name = static_cast<GLuint>(reinterpret_cast<std::uintptr_t>(texture));
  gl_of_textures->DeleteTextures(1, &name);
}

}  // namespace

GlRenderer::GlRenderer(const GlFunctions& gl) : gl_(gl) {
  PAIRS_CHECK(ImGui_ImplOpenGL3_Init("#version 150"),
              "The window needs OpenGL 3.2 and this driver has less; go on without a window: pairs --batch --help");
  gl_of_textures = &gl;
  set_texture_store({create_texture, destroy_texture});
}

GlRenderer::~GlRenderer() {
  set_texture_store({});
  ImGui_ImplOpenGL3_Shutdown();
}

void GlRenderer::begin_frame(ThemeKind theme, float scale) {
  if (apply_theme(theme, scale)) ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_NewFrame();  // creates what is missing, such as the fonts' texture
  if (!ImGui::GetIO().Fonts->TexID) ImGui_ImplOpenGL3_CreateFontsTexture();
}

void GlRenderer::draw(int width, int height) {
  const ImVec4 back = ImGui::ColorConvertU32ToFloat4(palette().window);
  gl_.Viewport(0, 0, width, height);
  gl_.ClearColor(back.x, back.y, back.z, 1);
  gl_.Clear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  collect_textures();
}

}  // namespace pairs::gui
