#pragma once

#include <imgui.h>

#include <cstdint>

#include "core/report/figure.h"

// The appearance of the window: one accent, three text sizes, distances in steps of four pixels, dark and light.
namespace pairs::gui {

enum class ThemeKind { dark, light };

// Colors by purpose. Texts have a contrast of at least 4.5:1 on all their backgrounds (theme_test).
struct Palette {
  ImU32 window, panel, raised, hovered, pressed;  // surfaces from back to front
  ImU32 line;                                     // rules and frames
  ImU32 text, muted;                              // texts, and less important ones
  ImU32 accent, accent_hovered, on_accent;        // the next action, and text on it
  ImU32 link;                                     // the accent as text
  ImU32 good, warning, bad;                       // as text
  ImU32 plot, grid;                               // background and grid of plots
  ImU32 edge;                                     // round controls: 3:1 on every surface
};
const Palette& palette();
const Palette& palette_of(ThemeKind kind);
ThemeKind theme();

// A series' color: Okabe and Ito's on light background, lightened on dark; a strategy has the same color everywhere.
ImU32 series_color(SeriesRole role);
// A figure's color on white (0xRRGGBB) in the current theme, with `alpha` in [0, 1].
ImU32 themed(std::uint32_t figure_color, double alpha = 1);

struct Fonts {
  ImFont *small = nullptr, *body = nullptr, *title = nullptr;  // 13, 15, 20 px at scale 1
  ImFont *small_bold = nullptr, *body_bold = nullptr;
};
const Fonts& fonts();

// Sets colors and metrics of the current ImGui context; after a change of scale, also rebuilds its font atlas and
// returns true, so that the caller's renderer uploads it again.
bool apply_theme(ThemeKind kind, float scale);
float scale();
// Pixels of a length given at scale 1.
inline float px(float length);

// The contrast of relative luminances, 1 to 21 (WCAG 2.1).
double contrast(ImU32 ink, ImU32 paper);

inline float px(float length) {
  return length * scale();
}

}  // namespace pairs::gui
