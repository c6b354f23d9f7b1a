#include "app/gui/platform/gl.h"

#include <dlfcn.h>

#include "core/base/text/error.h"

namespace pairs::gui {

GlFunctions load_gl(void (*(*find)(const char*))()) {
  GlFunctions gl{};
  const auto get = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(name));
    PAIRS_CHECK(function, "The OpenGL driver lacks {}; update it, or go on without a window: pairs --batch --help",
                name);
  };
  get("glViewport", gl.Viewport);
  get("glClearColor", gl.ClearColor);
  get("glClear", gl.Clear);
  get("glReadPixels", gl.ReadPixels);
  get("glPixelStorei", gl.PixelStorei);
  get("glGenTextures", gl.GenTextures);
  get("glDeleteTextures", gl.DeleteTextures);
  get("glBindTexture", gl.BindTexture);
  get("glTexImage2D", gl.TexImage2D);
  get("glTexParameteri", gl.TexParameteri);
  get("glGenFramebuffers", gl.GenFramebuffers);
  get("glBindFramebuffer", gl.BindFramebuffer);
  get("glFramebufferTexture2D", gl.FramebufferTexture2D);
  get("glCheckFramebufferStatus", gl.CheckFramebufferStatus);
  get("glDeleteFramebuffers", gl.DeleteFramebuffers);
  get("glFinish", gl.Finish);
  get("glGetString", gl.GetString);
  return gl;
}

SharedLibrary::SharedLibrary(const char* name, const char* without)
    : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
  PAIRS_CHECK(handle_, "{} cannot be opened ({}); {}", name, dlerror(), without);
}

SharedLibrary::~SharedLibrary() {
  // Never unloaded: drivers leave threads and callbacks behind that would crash.
}

void* SharedLibrary::known(const char* name) const {
  return dlsym(handle_, name);
}

void* SharedLibrary::symbol(const char* name) const {
  void* found = known(name);
  PAIRS_CHECK(found, "{} lacks the function {}; install a newer version", name_, name);
  return found;
}

}  // namespace pairs::gui
