#include "app/gui/platform/glfw.h"

namespace pairs::gui {

Glfw::Glfw(const char* without) : library_("libglfw.so.3", without) {
#define PAIRS_FIND(name) library_.get("glfw" #name, name);
  PAIRS_GLFW_FUNCTIONS(PAIRS_FIND)
#undef PAIRS_FIND
  library_.find("glfwGetX11Window", GetX11Window);
}

}  // namespace pairs::gui
