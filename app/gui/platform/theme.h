#pragma once

#include <imgui.h>

#include <cstdint>

#include "core/report/figure.h"

// How the window looks: one accent, three text sizes, distances in steps of four pixels, dark and light.
namespace pairs::gui {

enum class ThemeKind { dark, light };

// Colours by what they are for. Texts keep a contrast of 4.5:1 on every surface that they stand on (theme_test).
struct Palette {
  ImU32 window, panel, raised, hovered, pressed;  // surfaces from the back to the front
  ImU32 line;                                     // rules and frames
  ImU32 text, muted;                              // texts, and those of less weight
  ImU32 accent, accent_hovered, on_accent;        // what can be done next, and text on it
  ImU32 link;                                     // the accent as text
  ImU32 good, warning, bad;                       // as text
  ImU32 plot, grid;                               // paper and grid of plots
  ImU32 edge;                                     // round controls: 3:1 on every surface
};
const Palette& palette();
const Palette& palette_of(ThemeKind kind);
ThemeKind theme();

// A series' colour: Okabe and Ito's on light paper, lightened on dark; the same strategy has the same colour
// everywhere.
ImU32 series_color(SeriesRole role);
// A colour of a figure on white paper (0xRRGGBB) as it is drawn in the current theme, with `alpha` in [0, 1].
ImU32 themed(std::uint32_t figure_color, double alpha = 1);

struct Fonts {
  ImFont *small = nullptr, *body = nullptr, *title = nullptr;  // 13, 15, 20 px at scale 1
  ImFont *small_bold = nullptr, *body_bold = nullptr;
};
const Fonts& fonts();

// Sets colours and metrics of the current ImGui context; when the scale changed, also builds its font atlas (the
// caller's renderer then uploads it again: true is returned).
bool apply_theme(ThemeKind kind, float scale);
float scale();
// Pixels of a length given at scale 1.
inline float px(float length);

// Relative luminances' contrast, 1 to 21 (WCAG 2.1).
double contrast(ImU32 ink, ImU32 paper);

inline float px(float length) {
  return length * scale();
}

}  // namespace pairs::gui
