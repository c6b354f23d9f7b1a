#include "app/gui/platform/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "core/base/text/error.h"

namespace pairs::gui {
namespace {

constexpr const char* kWithoutEgl =
    "pictures of the window need it: install the packages libegl1 and libegl-mesa0, or use pairs --batch figure";

}  // namespace

Offscreen::Offscreen(int width, int height) : egl_("libEGL.so.1", kWithoutEgl), width_(width), height_(height) {
  using Find = void (*(*)(const char*))();
  Find find = nullptr;
  egl_.get("eglGetProcAddress", find);
  decltype(&eglInitialize) initialize = nullptr;
  decltype(&eglBindAPI) bind = nullptr;
  decltype(&eglCreateContext) create = nullptr;
  decltype(&eglMakeCurrent) make_current = nullptr;
  decltype(&eglGetError) last_error = nullptr;
  decltype(&eglChooseConfig) choose = nullptr;
  egl_.get("eglInitialize", initialize);
  egl_.get("eglBindAPI", bind);
  egl_.get("eglCreateContext", create);
  egl_.get("eglMakeCurrent", make_current);
  egl_.get("eglGetError", last_error);
  egl_.get("eglChooseConfig", choose);
  const auto platform = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(find("eglGetPlatformDisplayEXT"));
  PAIRS_CHECK(platform, "This EGL cannot draw without a screen; {}", kWithoutEgl);
  display_ = platform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  PAIRS_CHECK(display_ && initialize(display_, nullptr, nullptr),
              "EGL found no driver that draws without a screen (error {:#x}); {}", last_error(), kWithoutEgl);
  PAIRS_CHECK(bind(EGL_OPENGL_API), "This EGL knows no OpenGL (error {:#x}); {}", last_error(), kWithoutEgl);
  constexpr EGLint kConfig[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint found = 0;
  choose(display_, kConfig, &config, 1, &found);
  constexpr EGLint kContext[] = {
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  context_ = create(display_, found > 0 ? config : EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, kContext);
  PAIRS_CHECK(context_ && make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_),
              "The driver has no OpenGL 3.3 (EGL error {:#x}); {}", last_error(), kWithoutEgl);
  gl_ = load_gl(find);
  gl_.GenTextures(1, &picture_);
  gl_.BindTexture(GL_TEXTURE_2D, picture_);
  gl_.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  gl_.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl_.GenFramebuffers(1, &frame_);
  gl_.BindFramebuffer(GL_FRAMEBUFFER, frame_);
  gl_.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture_, 0);
  PAIRS_CHECK(gl_.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE,
              "A picture of {} x {} pixels is more than the driver draws; choose a smaller --size", width, height);
}

Offscreen::~Offscreen() {
  gl_.DeleteFramebuffers(1, &frame_);
  gl_.DeleteTextures(1, &picture_);
  decltype(&eglMakeCurrent) make_current = nullptr;
  decltype(&eglDestroyContext) destroy = nullptr;
  egl_.get("eglMakeCurrent", make_current);
  egl_.get("eglDestroyContext", destroy);
  make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  destroy(display_, context_);
}

std::vector<std::uint8_t> Offscreen::pixels() const {
  const auto row = static_cast<std::size_t>(3 * width_);
  std::vector<std::uint8_t> upwards(row * static_cast<std::size_t>(height_)), rgb;
  gl_.PixelStorei(GL_PACK_ALIGNMENT, 1);
  gl_.ReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, upwards.data());
  rgb.reserve(upwards.size());
  for (auto y = static_cast<std::size_t>(height_); y-- > 0;)
    rgb.insert(rgb.end(), upwards.begin() + static_cast<std::ptrdiff_t>(y * row),
               upwards.begin() + static_cast<std::ptrdiff_t>((y + 1) * row));
  return rgb;
}

}  // namespace pairs::gui
