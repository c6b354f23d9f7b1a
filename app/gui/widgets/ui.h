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

// The widgets that panels are made of: Dear ImGui's, in the program's looks, known by name to tests. A name is a path,
// "train/start", unique in a frame. `tip` is shown after a moment of hovering; `blocked`, when not empty, greys a
// widget out and says why in its tip.
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

// A line of text, cut with "…" where it has no room (the whole in its tip).
void text(std::string_view text, Look look = Look::body);
// Paragraphs, wrapped at `width` pixels (0: to the right edge); `name` for tests.
void wrapped(std::string_view text, Look look = Look::body, float width = 0, std::string_view name = {});
// The height of such a paragraph `width` pixels wide.
float wrapped_height(std::string_view text, Look look, float width);
// A number or short text with its right end at the right edge of the cell or window.
void right(std::string_view text, Look look = Look::body);
ImVec2 text_size(std::string_view text, Look look = Look::body);
ImU32 ink(Look look);
ImFont* font(Look look);
// Draws without layout at `at` (top left), recorded like text(). Cut with "…" at `width` when that is above zero; only
// what people wrote (`given`: names, notes) may be, with the whole in a tip. One with a `name` is recorded whole.
void text_at(ImVec2 at, std::string_view text, Look look, float width = 0, bool given = false,
             std::string_view name = {});

// A run's name in `width` pixels: cut where what tells it from `others` stays (pairs::fitted_name).
std::string fitted_name(const std::string& name, const std::vector<std::string>& others, Look look, float width);
// Draws it so, recorded whole by `recorded`; whether it was cut, and needs a tip.
bool name_at(ImVec2 at, const std::string& name, const std::vector<std::string>& others, Look look, float width,
             std::string_view recorded);
// The dot of a run's colour around `middle`, recorded by `name` with its ink.
void swatch(std::string_view name, ImVec2 middle, float radius, ImU32 color, bool filled = true);

// primary: what to do next; normal; quiet: without a frame; danger.
enum class Button { normal, primary, quiet, danger };
bool button(std::string_view name, std::string_view label, Button kind = Button::normal, std::string_view blocked = {},
            std::string_view tip = {}, float width = 0);
// The width a button with this label has.
float button_width(std::string_view label);
// One of several that exclude each other, side by side: returns true when pressed.
bool segment(std::string_view name, std::string_view label, bool chosen, std::string_view tip = {},
             std::string_view blocked = {});
bool toggle(std::string_view name, std::string_view label, bool& on, std::string_view tip = {},
            std::string_view blocked = {});
// A whole-width row that can be chosen, `height` pixels high; draw its content after with text_at. Gives its rectangle.
bool row(std::string_view name, bool chosen, float height, ImVec2& min, ImVec2& max, std::string_view tip = {});

// Sliders; `width` 0: to the right edge. The value stands beside the rail by `format` (printf of a double).
bool slider(std::string_view name, double& value, double low, double high, const char* format,
            std::string_view tip = {}, float width = 0);
// Whole numbers on a logarithmic scale, drawn as a rail with ticks at its ends and at powers of ten. `steps`,
// where given: by how many arrow keys ask to move it, for a caller who knows which numbers there are.
bool log_slider(std::string_view name, std::int64_t& value, std::int64_t low, std::int64_t high,
                std::string_view tip = {}, float width = 0, int* steps = nullptr);
bool combo(std::string_view name, int& index, std::span<const std::string> items, std::string_view tip = {},
           float width = 0, std::string_view blocked = {});
// Text; true once, when editing ended with a changed text (Enter or leaving). `select`: a click selects all of it.
bool input(std::string_view name, std::string& value, std::string_view hint = {}, std::string_view tip = {},
           float width = 0, std::string_view blocked = {}, bool select = false);

// A label in a column of its own before the next widget.
void label(std::string_view text, std::string_view tip = {}, float column = 160);
// A bar filled to `share` with a text on it.
void progress(float share, std::string_view text, float width = 0);
// A tip for what was drawn last, or for the part of it from `min` to `max` while the mouse is there.
void tip(std::string_view text);
void tip_of(ImVec2 min, ImVec2 max, std::string_view text);
// A small question mark that explains.
void help(std::string_view text);

// A raised area as high as its content; no card inside a card. `width` 0: to the right edge.
void begin_card(std::string_view name, float width = 0);
void end_card();
// A title with a rule of space above and below.
void heading(std::string_view text);
void space(float height = 8);

// The state of a panel that has nothing to show, or of one that failed: a title and a sentence on what to do next,
// centred in what is left of the window. Recorded as "empty-state".
void empty_state(std::string_view title, std::string_view sentence, bool failed = false);
// A panel at work on something that takes a moment; `share` below zero: unknown.
void working_state(std::string_view sentence, float share = -1);
// A strip across the panel: a warning or an error with its sentence; true when its button (if it has a label) is
// pressed.
bool notice(std::string_view name, Look look, std::string_view sentence, std::string_view button_label = {});
float notice_height(Look look, std::string_view sentence, std::string_view button_label = {});

// A strip across the panel with two buttons, "<name>/accept" and "<name>/decline".
enum class Choice { none, confirm, cancel };
Choice offer(std::string_view name, std::string_view sentence, std::string_view accept, std::string_view decline);

constexpr float kDialogMost = 0.9f;  // of the window's height, that a dialog takes

// A window over everything, centred, `width` at scale 1. Opens while `open` is true; Escape closes it. Call end_dialog
// only when begin_dialog returned true.
bool begin_dialog(std::string_view name, std::string_view title, bool& open, float width = 480);
void end_dialog();
// The buttons at the end of a dialog: the one that does it, then the one that leaves it.
Choice choose(std::string_view name, std::string_view label, Button kind, std::string_view cancel_name,
              std::string_view blocked = {}, std::string_view cancel_label = "Cancel");

// Copies to the clipboard and says so.
void copy(std::string_view text);
// Says a few words at the bottom of the window for some seconds: "Copied to the clipboard".
void toast(std::string_view text);
// Files that panels have written since it was last asked; the window tells of them in the log and by
// toasts.
void saved(const std::filesystem::path& file);
std::vector<std::filesystem::path> take_saved();
// Once a frame, last.
void draw_toast();
// What is drawn in this frame looks otherwise in so many seconds, though nothing happens: a tip comes, a toast goes.
void again_in(double seconds);
// The soonest of what this frame has asked for, INFINITY where nothing has; asked once, after the frame.
double take_again();
// After an exception has left widgets half drawn: forgets what was begun.
void recover();

// Surface that the following texts stand on, for the check of contrast.
struct Surface {
  explicit Surface(ImU32 color);
  ~Surface();
};
ImU32 surface();

}  // namespace pairs::gui::ui
