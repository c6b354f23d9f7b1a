#include "app/gui/glfw.h"

namespace pairs::gui {

Glfw::Glfw(const char* without) : library_("libglfw.so.3", without) {
#define PAIRS_GLFW(name) library_.get("glfw" #name, name)
  PAIRS_GLFW(SetErrorCallback);
  PAIRS_GLFW(Init);
  PAIRS_GLFW(Terminate);
  PAIRS_GLFW(GetError);
  PAIRS_GLFW(WindowHint);
  PAIRS_GLFW(WindowHintString);
  PAIRS_GLFW(CreateWindow);
  PAIRS_GLFW(DestroyWindow);
  PAIRS_GLFW(MakeContextCurrent);
  PAIRS_GLFW(SwapInterval);
  PAIRS_GLFW(SwapBuffers);
  PAIRS_GLFW(GetProcAddress);
  PAIRS_GLFW(WindowShouldClose);
  PAIRS_GLFW(SetWindowShouldClose);
  PAIRS_GLFW(SetWindowUserPointer);
  PAIRS_GLFW(GetWindowUserPointer);
  PAIRS_GLFW(GetWindowSize);
  PAIRS_GLFW(GetFramebufferSize);
  PAIRS_GLFW(GetWindowContentScale);
  PAIRS_GLFW(GetWindowAttrib);
  PAIRS_GLFW(SetWindowSizeLimits);
  PAIRS_GLFW(SetWindowIcon);
  PAIRS_GLFW(SetWindowTitle);
  PAIRS_GLFW(SetCursorPosCallback);
  PAIRS_GLFW(SetMouseButtonCallback);
  PAIRS_GLFW(SetScrollCallback);
  PAIRS_GLFW(SetKeyCallback);
  PAIRS_GLFW(SetCharCallback);
  PAIRS_GLFW(SetDropCallback);
  PAIRS_GLFW(SetCursorEnterCallback);
  PAIRS_GLFW(SetWindowRefreshCallback);
  PAIRS_GLFW(SetWindowFocusCallback);
  PAIRS_GLFW(SetFramebufferSizeCallback);
  PAIRS_GLFW(SetWindowContentScaleCallback);
  PAIRS_GLFW(GetClipboardString);
  PAIRS_GLFW(SetClipboardString);
  PAIRS_GLFW(CreateStandardCursor);
  PAIRS_GLFW(SetCursor);
  PAIRS_GLFW(PollEvents);
  PAIRS_GLFW(WaitEventsTimeout);
  PAIRS_GLFW(PostEmptyEvent);
  PAIRS_GLFW(ShowWindow);
#undef PAIRS_GLFW
}

}  // namespace pairs::gui
