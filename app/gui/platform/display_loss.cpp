#include "app/gui/platform/display_loss.h"

#include <dlfcn.h>
#include <unistd.h>

#include <string_view>

namespace pairs::gui {
namespace {

int end_at_once(void* /*display*/) {
  constexpr std::string_view kText =
      "pairs: the display is gone, so the window ends; runs in training go on from their last checkpoint with "
      "--resume\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(1);
}

}  // namespace

void end_without_display() {
  using Handler = int (*)(void*);
  void* const xlib = ::dlopen("libX11.so.6", RTLD_NOW);  // stays open, as GLFW uses it
  if (xlib == nullptr) return;
  const auto set = reinterpret_cast<Handler (*)(Handler)>(::dlsym(xlib, "XSetIOErrorHandler"));
  if (set != nullptr) set(end_at_once);
}

}  // namespace pairs::gui
