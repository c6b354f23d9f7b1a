#include "app/gui/window.h"

#include <imgui.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "app/gui/frame_schedule.h"
#include "app/gui/platform/display_loss.h"
#include "app/gui/platform/gl_renderer.h"
#include "app/gui/platform/glfw.h"
#include "app/gui/platform/icon.h"
#include "app/gui/platform/input.h"
#include "app/gui/shell.h"
#include "app/gui/widgets/ui.h"
#include "app/model/studio.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/stop.h"

namespace pairs::gui {
namespace {

constexpr const char* kWithoutWindow = "go on without a window: pairs --batch --help";
constexpr double kSaveInterval = 3;
constexpr int kLeastWindowWidth = 900, kLeastWindowHeight = 600, kTitleBar = 40;

const Glfw* glfw_of_wake = nullptr;  // for wake(), which any thread may call
std::atomic<bool> woken{false};      // whether wake() was called since the loop's last check

// Requests a frame, from any thread.
void wake() {
  woken = true;
  glfw_of_wake->PostEmptyEvent();
}

// A GLFW window with an OpenGL context, and the user's input.
class GlfwWindow {
 public:
  GlfwWindow(const Glfw& glfw, int width, int height) : glfw_(glfw) {
    // Software rendering on all cores would take them from training.
    glfw.SetErrorCallback([](int, const char*) {});
    end_without_display();
    PAIRS_CHECK(glfw.Init(), "No display can be opened ({}); {}", last_error(), kWithoutWindow);
    glfw.WindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfw.WindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
    glfw.WindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfw.WindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfw.WindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfw.WindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfw.WindowHintString(GLFW_X11_CLASS_NAME, "pairs-studio");
    glfw.WindowHintString(GLFW_X11_INSTANCE_NAME, "pairs-studio");
    window_ = glfw.CreateWindow(width, height, "Pairs Studio", nullptr, nullptr);
    if (!window_) {
      const std::string why = last_error();
      glfw.Terminate();
      fail("No window with OpenGL 3.2 can be opened ({}); {}", why, kWithoutWindow);
    }
    glfw.SetWindowSizeLimits(window_, static_cast<int>(kLeastWindowWidth * unit()),
                             static_cast<int>(kLeastWindowHeight * unit()), GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfw.MakeContextCurrent(window_);
    glfw.SwapInterval(1);
    glfw.SetWindowUserPointer(window_, this);
    const std::vector<std::uint8_t> pixels = icon_pixels(64);
    GLFWimage icon = {64, 64, const_cast<unsigned char*>(pixels.data())};
    glfw.SetWindowIcon(window_, 1, &icon);
    listen();
  }

  ~GlfwWindow() {
    glfw_.DestroyWindow(window_);
    glfw_.Terminate();
  }
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;

  GLFWwindow* get() const { return window_; }
  Input input;
  std::vector<std::string> dropped;
  bool touched = true;  // an event occurred since this was last reset

  float content_scale() const {
    float x = 1, y = 1;
    glfw_.GetWindowContentScale(window_, &x, &y);
    return std::clamp(std::max(x, y), 0.75f, 4.0f);
  }
  // The initial size of the next window.
  void get_size(int& wide, int& high) const {
    glfw_.GetWindowSize(window_, &wide, &high);
    wide = static_cast<int>(std::lround(wide / unit()));
    high = static_cast<int>(std::lround(high / unit()));
  }
  // No larger than the free space of the screen.
  void fit_to_screen() {
    GLFWmonitor* monitor = glfw_.GetPrimaryMonitor();
    if (!monitor) return;
    int left = 0, top = 0, most_wide = 0, most_high = 0, wide = 0, high = 0;
    glfw_.GetMonitorWorkarea(monitor, &left, &top, &most_wide, &most_high);
    most_high -= static_cast<int>(kTitleBar * unit());
    glfw_.GetWindowSize(window_, &wide, &high);
    if (most_wide > 0 && most_high > 0 && (wide > most_wide || high > most_high))
      glfw_.SetWindowSize(window_, std::min(wide, most_wide), std::min(high, most_high));
  }
  void use_cursor(ImGuiMouseCursor wanted) {
    if (wanted == shown_ || wanted < 0) return;
    shown_ = wanted;
    GLFWcursor*& cursor = cursors_[static_cast<std::size_t>(wanted)];
    if (!cursor) cursor = glfw_.CreateStandardCursor(shape(wanted));
    glfw_.SetCursor(window_, cursor);
  }

 private:
  std::string last_error() const {
    const char* text = nullptr;
    glfw_.GetError(&text);
    return text ? text : "no reason given";
  }

  static int shape(ImGuiMouseCursor cursor) {
    switch (cursor) {
      case ImGuiMouseCursor_TextInput:
        return GLFW_IBEAM_CURSOR;
      case ImGuiMouseCursor_ResizeEW:
        return GLFW_HRESIZE_CURSOR;
      case ImGuiMouseCursor_ResizeNS:
        return GLFW_VRESIZE_CURSOR;
      case ImGuiMouseCursor_Hand:
        return GLFW_HAND_CURSOR;
      default:
        return GLFW_ARROW_CURSOR;
    }
  }

  // The object of a callback's window; each event wakes the loop.
  static GlfwWindow& of(GLFWwindow* window) {
    auto& self = *static_cast<GlfwWindow*>(glfw_of_wake->GetWindowUserPointer(window));
    self.touched = true;
    return self;
  }

  // Window coordinates to framebuffer pixels, in which panels are laid out.
  float pixel_ratio() const {
    int wide = 0, high = 0, pixels_wide = 0, pixels_high = 0;
    glfw_.GetWindowSize(window_, &wide, &high);
    glfw_.GetFramebufferSize(window_, &pixels_wide, &pixels_high);
    return wide > 0 ? static_cast<float>(pixels_wide) / static_cast<float>(wide) : 1;
  }

  // Window coordinates per unit of length at scale 1.
  float unit() const { return content_scale() / pixel_ratio(); }

  void listen() {
    glfw_.SetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
      GlfwWindow& self = of(w);
      const float ratio = self.pixel_ratio();
      self.input.move(static_cast<float>(x) * ratio, static_cast<float>(y) * ratio);
    });
    glfw_.SetMouseButtonCallback(
        window_, [](GLFWwindow* w, int index, int action, int) { of(w).input.button(index, action == GLFW_PRESS); });
    glfw_.SetScrollCallback(window_, [](GLFWwindow* w, double x, double y) {
      of(w).input.wheel(static_cast<float>(x), static_cast<float>(y));
    });
    glfw_.SetKeyCallback(window_, [](GLFWwindow* w, int code, int, int action, int) {
      if (action != GLFW_REPEAT) of(w).input.press(code, action == GLFW_PRESS);
    });
    glfw_.SetCharCallback(window_, [](GLFWwindow* w, unsigned code) { of(w).input.character(code); });
    glfw_.SetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
      GlfwWindow& self = of(w);
      self.dropped.insert(self.dropped.end(), paths, paths + count);
    });
    glfw_.SetCursorEnterCallback(window_, [](GLFWwindow* w, int entered) {
      if (!entered) of(w).input.move(-100000, -100000);
    });
    glfw_.SetWindowRefreshCallback(window_, [](GLFWwindow* w) { of(w); });
    glfw_.SetWindowFocusCallback(window_, [](GLFWwindow* w, int) { of(w); });
    glfw_.SetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { of(w); });
    glfw_.SetWindowContentScaleCallback(window_, [](GLFWwindow* w, float, float) { of(w); });
  }

  const Glfw& glfw_;
  GLFWwindow* window_ = nullptr;
  std::array<GLFWcursor*, ImGuiMouseCursor_COUNT> cursors_{};
  ImGuiMouseCursor shown_ = ImGuiMouseCursor_Arrow;
};

struct Context {
  Context() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    Input::map_keys(ImGui::GetIO());
  }
  ~Context() { ImGui::DestroyContext(); }
};

// Frames drawn in the last second.
class FrameRate {
 public:
  void tick() {
    ++frames_;
    if (watch_.seconds() < 1) return;
    rate_ = frames_ / watch_.seconds();
    spdlog::debug("{:.1f} frames/s", rate_);
    frames_ = 0;
    watch_.restart();
  }
  double rate() const { return rate_; }

 private:
  Stopwatch watch_;
  double frames_ = 0, rate_ = 0;
};

// Seconds since this process started, by the kernel.
double since_start() {
  std::ifstream stat("/proc/self/stat"), uptime("/proc/uptime");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  double up = 0;
  uptime >> up;
  std::istringstream fields(text.substr(text.rfind(')') + 2));  // from the state on
  std::string field;
  for (int i = 0; i < 20 && fields >> field; ++i) {
  }
  return up - std::strtod(field.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void save_settings(model::Studio& studio, model::SettingsFile& file) {
  const std::string before = file.problem();
  file.save(studio.settings);
  if (!file.problem().empty() && file.problem() != before) studio.hub.messages.warning("settings", file.problem());
}

}  // namespace

void run_window(const Catalog& tasks, const WindowOptions& options) {
  assets_folder();  // the window needs presets and weights
  const std::string missing = fmt::format("install GLFW (libglfw3) or {}", kWithoutWindow);
  const Glfw glfw(missing.c_str());
  glfw_of_wake = &glfw;
  model::SettingsFile file;
  model::Settings settings = file.load();
  if (!options.theme.empty()) settings.theme = options.theme;
  const int width = options.width > 0 ? options.width : settings.width;
  const int height = options.height > 0 ? options.height : settings.height;
  GlfwWindow window(glfw, width, height);
  const model::Settings fresh;
  if (options.width <= 0 && settings.width == fresh.width && settings.height == fresh.height) window.fit_to_screen();
  const GlFunctions gl = load_gl(glfw.GetProcAddress);
  const Context context;
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = window.get();
  io.SetClipboardTextFn = [](void* w, const char* text) {
    glfw_of_wake->SetClipboardString(static_cast<GLFWwindow*>(w), text);
  };
  io.GetClipboardTextFn = [](void* w) { return glfw_of_wake->GetClipboardString(static_cast<GLFWwindow*>(w)); };
  model::Studio studio(tasks, settings, wake);
  if (!file.problem().empty()) studio.hub.messages.warning("settings", file.problem());
  const auto wanted_scale = [&] {
    return studio.settings.scale > 0 ? static_cast<float>(studio.settings.scale) : window.content_scale();
  };
  apply_theme(settings.theme == "light" ? ThemeKind::light : ThemeKind::dark, wanted_scale());
  GlRenderer renderer(gl);
  if (!options.open.empty()) studio.open_path(options.open);
  Shell shell(studio);
  if (glfw.GetX11Window) shell.set_window_name(fmt::format("x11:{:x}", glfw.GetX11Window(window.get())));
  // A signal closes the window as its button does.
  const std::stop_callback on_signal(signal_stop_token(), wake);

  glfw.ShowWindow(window.get());
  Stopwatch clock, saved;
  FrameRate rate;
  FrameSchedule schedule;
  double last_frame = -1;
  std::int64_t frames = 0;
  bool posterior_seen = false;
  for (;;) {
    if (const double idle = schedule.wait(clock.seconds(), studio.training.busy()); idle > 0)
      glfw.WaitEventsTimeout(std::max(idle, 0.001));
    else
      glfw.PollEvents();
    if (std::exchange(window.touched, false)) schedule.touch(clock.seconds());
    for (const std::string& path : std::exchange(window.dropped, {})) studio.look_and_open(path);
    studio.hub.notifier->focused = glfw.GetWindowAttrib(window.get(), GLFW_FOCUSED) == GLFW_TRUE;
    const bool reported = woken.exchange(false);  // some panels take results directly, without the studio
    const bool changed = studio.poll();
    schedule.look(reported || changed, studio.busy());
    if (saved.seconds() > kSaveInterval) {
      saved.restart();
      save_settings(studio, file);
    }
    if (glfw.WindowShouldClose(window.get())) {
      glfw.SetWindowShouldClose(window.get(), GLFW_FALSE);
      shell.ask_to_close();
      schedule.touch(clock.seconds());
    }
    if (shell.wants_quit() || signal_stop_token().stop_requested()) break;
    const double now = clock.seconds();
    if (!schedule.due(now, studio.training.busy())) continue;

    int wide = 0, high = 0;
    glfw.GetFramebufferSize(window.get(), &wide, &high);
    if (wide <= 0 || high <= 0 || glfw.GetWindowAttrib(window.get(), GLFW_ICONIFIED)) {
      schedule.drawn(now, INFINITY);  // invisible; input will show it again
      continue;
    }
    io.DisplaySize = {static_cast<float>(wide), static_cast<float>(high)};
    io.DeltaTime = static_cast<float>(std::clamp(now - last_frame, 1e-4, 0.5));
    last_frame = now;
    const bool more = window.input.apply(io) && window.input.pending();
    renderer.begin_frame(shell.wanted_theme(), wanted_scale());
    ImGui::NewFrame();
    shell.frame(rate.rate());
    ImGui::Render();
    renderer.draw(wide, high);
    glfw.SwapBuffers(window.get());
    window.use_cursor(ImGui::GetMouseCursor());
    schedule.drawn(now, shell.again_in());
    if (more) schedule.settle(2);
    rate.tick();
    if (frames++ == 0) spdlog::debug("first frame after {:.2f} s", since_start());
    if (!posterior_seen && studio.posterior.shown()) {
      posterior_seen = true;
      spdlog::debug("first posterior after {:.2f} s", since_start());
    }
  }
  spdlog::debug("{} frames in {:.1f} s", frames, clock.seconds());
  window.get_size(studio.settings.width, studio.settings.height);
  save_settings(studio, file);
}

}  // namespace pairs::gui
