#pragma once

#include <GL/glcorearb.h>

namespace pairs::gui {

// The OpenGL functions that the program calls itself, loaded for the current context: nothing is linked.
struct GlFunctions {
  PFNGLVIEWPORTPROC Viewport;
  PFNGLCLEARCOLORPROC ClearColor;
  PFNGLCLEARPROC Clear;
  PFNGLREADPIXELSPROC ReadPixels;
  PFNGLPIXELSTOREIPROC PixelStorei;
  PFNGLGENTEXTURESPROC GenTextures;
  PFNGLDELETETEXTURESPROC DeleteTextures;
  PFNGLBINDTEXTUREPROC BindTexture;
  PFNGLTEXIMAGE2DPROC TexImage2D;
  PFNGLTEXPARAMETERIPROC TexParameteri;
  PFNGLGENFRAMEBUFFERSPROC GenFramebuffers;
  PFNGLBINDFRAMEBUFFERPROC BindFramebuffer;
  PFNGLFRAMEBUFFERTEXTURE2DPROC FramebufferTexture2D;
  PFNGLCHECKFRAMEBUFFERSTATUSPROC CheckFramebufferStatus;
  PFNGLDELETEFRAMEBUFFERSPROC DeleteFramebuffers;
  PFNGLFINISHPROC Finish;
  PFNGLGETSTRINGPROC GetString;
};

// `find` is glfwGetProcAddress or eglGetProcAddress. Throws Error naming what the driver lacks.
GlFunctions load_gl(void (*(*find)(const char*))());

// A library opened at run time, so that the program starts without it. Throws Error with `without`, a sentence on the
// remedy.
class SharedLibrary {
 public:
  SharedLibrary(const char* name, const char* without);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;
  // Throws Error if the library lacks it.
  template <class F>
  void get(const char* name, F& function) const {
    function = reinterpret_cast<F>(symbol(name));
  }
  // Null if the library lacks it.
  template <class F>
  void find(const char* name, F& function) const {
    function = reinterpret_cast<F>(known(name));
  }

 private:
  void* symbol(const char* name) const;
  void* known(const char* name) const;
  const char* name_;
  void* handle_;
};

}  // namespace pairs::gui
