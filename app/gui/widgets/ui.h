#pragma once

#include <imgui.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/platform/recorder.h"
#include "app/gui/platform/theme.h"

// The widgets of panels: Dear ImGui's, in the program's style, known by name to tests. A name is a path, "train/start",
// unique in a frame. `tip` appears after a moment of hovering; `blocked`, if not empty, disables a widget and gives the
// reason in its tip.
namespace pairs::gui::ui {

enum class Look {
  body,
  strong,
  muted,
  small,
  small_muted,
  small_strong,
  title,
  link,
  good,
  warning,
  bad,
  small_bad,
  small_warning
};

// A line of text, cut with "…" if there is no space (with the complete text in its tip).
void text(std::string_view text, Look look = Look::body);
// Paragraphs, wrapped at `width` pixels (0: to the right edge); `name` for tests.
void wrapped(std::string_view text, Look look = Look::body, float width = 0, std::string_view name = {});
// The height of such a paragraph at this width in pixels.
float wrapped_height(std::string_view text, Look look, float width);
// A number or short text, right-aligned in the cell or window.
void right(std::string_view text, Look look = Look::body);
ImVec2 text_size(std::string_view text, Look look = Look::body);
ImU32 ink(Look look);
ImFont* font(Look look);
// Draws without layout at `at` (top left), recorded like text(). Cut with "…" at `width` if that is above zero; only
// the user's own texts (`given`: names, notes) may be cut, with the complete text in a tip. A text with a `name` is
// recorded uncut.
void text_at(ImVec2 at, std::string_view text, Look look, float width = 0, bool given = false,
             std::string_view name = {});

// A run's name in `width` pixels: cut so that it remains distinguishable from `others` (pairs::fitted_name).
std::string fitted_name(const std::string& name, const std::vector<std::string>& others, Look look, float width);
// Draws that name, recorded uncut as `recorded`; returns whether it was cut and needs a tip.
bool name_at(ImVec2 at, const std::string& name, const std::vector<std::string>& others, Look look, float width,
             std::string_view recorded);
// The dot of a run's color around `middle`, recorded as `name` with its color.
void swatch(std::string_view name, ImVec2 middle, float radius, ImU32 color, bool filled = true);

// primary: the next action; normal; quiet: without a frame; danger.
enum class Button { normal, primary, quiet, danger };
bool button(std::string_view name, std::string_view label, Button kind = Button::normal, std::string_view blocked = {},
            std::string_view tip = {}, float width = 0);
// The width of a button with this label.
float button_width(std::string_view label);
// One of several exclusive choices, side by side: returns true when pressed.
bool segment(std::string_view name, std::string_view label, bool chosen, std::string_view tip = {},
             std::string_view blocked = {});
bool toggle(std::string_view name, std::string_view label, bool& on, std::string_view tip = {},
            std::string_view blocked = {});
// A selectable row of full width, `height` pixels high; draw its content afterwards with text_at. Returns its
// rectangle.
bool row(std::string_view name, bool chosen, float height, ImVec2& min, ImVec2& max, std::string_view tip = {});

// Sliders; `width` 0: up to the right edge. The value is next to the rail in `format` (printf of a double).
bool slider(std::string_view name, double& value, double low, double high, const char* format,
            std::string_view tip = {}, float width = 0);
// Whole numbers on a logarithmic scale, drawn as a rail with ticks at its bounds and at powers of ten. `steps`, if
// given: receives the number of steps by arrow keys, for a caller who knows the possible numbers.
bool log_slider(std::string_view name, std::int64_t& value, std::int64_t low, std::int64_t high,
                std::string_view tip = {}, float width = 0, int* steps = nullptr);
bool combo(std::string_view name, int& index, std::span<const std::string> items, std::string_view tip = {},
           float width = 0, std::string_view blocked = {});
// A text field; returns true once, when editing ended with a changed text (Enter or leaving). `select`: a click selects
// all of it.
bool input(std::string_view name, std::string& value, std::string_view hint = {}, std::string_view tip = {},
           float width = 0, std::string_view blocked = {}, bool select = false);

// A label in its own column before the next widget.
void label(std::string_view text, std::string_view tip = {}, float column = 160);
// A bar filled to `share` with a text on it.
void progress(float share, std::string_view text, float width = 0);
// A tip for the last item, or for its part from `min` to `max` while the mouse is there.
void tip(std::string_view text);
void tip_of(ImVec2 min, ImVec2 max, std::string_view text);
// A small question mark with an explanation.
void help(std::string_view text);

// A raised area as high as its content; not within another card. `width` 0: up to the right edge.
void begin_card(std::string_view name, float width = 0);
void end_card();
// A title with space above and below.
void heading(std::string_view text);
void space(float height = 8);

// The state of an empty or failed panel: a title and a sentence on the next step, centered in the rest of the window.
// Recorded as "empty-state".
void empty_state(std::string_view title, std::string_view sentence, bool failed = false);
// A panel that is working; `share` below zero: unknown.
void working_state(std::string_view sentence, float share = -1);
// A strip across the panel: a warning or an error with its sentence; returns true when its button (if it has a label)
// is pressed.
bool notice(std::string_view name, Look look, std::string_view sentence, std::string_view button_label = {});
float notice_height(Look look, std::string_view sentence, std::string_view button_label = {});

// A strip across the panel with two buttons, "<name>/accept" and "<name>/decline".
enum class Choice { none, confirm, cancel };
Choice offer(std::string_view name, std::string_view sentence, std::string_view accept, std::string_view decline);

constexpr float kDialogMost = 0.9f;  // maximum share of the window's height for a dialog

// A centered window on top, with `width` at scale 1. Open while `open` is true; Escape closes it. Call end_dialog only
// if begin_dialog returned true.
bool begin_dialog(std::string_view name, std::string_view title, bool& open, float width = 480);
void end_dialog();
// The buttons at the end of a dialog: to confirm, then to cancel.
Choice choose(std::string_view name, std::string_view label, Button kind, std::string_view cancel_name,
              std::string_view blocked = {}, std::string_view cancel_label = "Cancel");

// Copies to the clipboard and shows a toast.
void copy(std::string_view text);
// Shows a short text at the bottom of the window for some seconds: "Copied to the clipboard".
void toast(std::string_view text);
// saved() reports a file written by a panel; take_saved() returns those since the last call, which the window shows in
// the log and as toasts.
void saved(const std::filesystem::path& file);
std::vector<std::filesystem::path> take_saved();
// Call once per frame, last.
void draw_toast();
// Requests a frame in so many seconds, because the drawing changes by itself: a tip appears, a toast disappears.
void again_in(double seconds);
// The earliest request of this frame, INFINITY if there is none; call once, after the frame.
double take_again();
// Resets open widgets after an exception.
void recover();

// The background of the following texts, for the check of contrast.
struct Surface {
  explicit Surface(ImU32 color);
  ~Surface();
};
ImU32 surface();

}  // namespace pairs::gui::ui
