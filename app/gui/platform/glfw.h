#pragma once

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <memory>

#include "app/gui/platform/gl.h"

namespace pairs::gui {

// All functions in use, without their prefix.
// clang-format off
#define PAIRS_GLFW_FUNCTIONS(each) \
  each(SetErrorCallback) each(Init) each(Terminate) each(GetError) each(WindowHint) each(WindowHintString) \
  each(CreateWindow) each(DestroyWindow) each(MakeContextCurrent) each(SwapInterval) each(SwapBuffers) \
  each(GetProcAddress) each(WindowShouldClose) each(SetWindowShouldClose) each(SetWindowUserPointer) \
  each(GetWindowUserPointer) each(GetWindowSize) each(SetWindowSize) each(GetFramebufferSize) \
  each(GetWindowContentScale) each(GetWindowAttrib) each(SetWindowSizeLimits) each(SetWindowIcon) each(SetWindowTitle) \
  each(SetCursorPosCallback) each(SetMouseButtonCallback) each(SetScrollCallback) each(SetKeyCallback) \
  each(SetCharCallback) each(SetDropCallback) each(SetCursorEnterCallback) each(SetWindowRefreshCallback) \
  each(SetWindowFocusCallback) each(SetFramebufferSizeCallback) each(SetWindowContentScaleCallback) \
  each(GetClipboardString) each(SetClipboardString) each(CreateStandardCursor) each(SetCursor) \
  each(PollEvents) each(WaitEventsTimeout) each(PostEmptyEvent) each(ShowWindow) each(GetPrimaryMonitor) \
  each(GetMonitorWorkarea)
// clang-format on
// clang-format on

// GLFW's functions, loaded from libglfw.so.3 when a window opens: --batch neither links nor loads it.
struct Glfw {
  explicit Glfw(const char* without);

#define PAIRS_DECLARE(name) decltype(&glfw##name) name = nullptr;
  PAIRS_GLFW_FUNCTIONS(PAIRS_DECLARE)
#undef PAIRS_DECLARE
  unsigned long (*GetX11Window)(GLFWwindow*) = nullptr;  // null where GLFW is not built for X11

 private:
  SharedLibrary library_;
};

}  // namespace pairs::gui
