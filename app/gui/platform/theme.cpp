#include "app/gui/platform/theme.h"

#include <imgui_freetype.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/report/style.h"

namespace pairs::gui {
namespace {

constexpr ImU32 rgb(std::uint32_t hex) {
  return IM_COL32((hex >> 16) & 255, (hex >> 8) & 255, hex & 255, 255);
}

constexpr Palette kDark = {rgb(0x14171C), rgb(0x1A1E25), rgb(0x222831), rgb(0x2C3440), rgb(0x364050), rgb(0x323A46),
                           rgb(0xE8EBF0), rgb(0xA3ADBB), rgb(0x2470C0), rgb(0x2C78C8), rgb(0xFFFFFF), rgb(0x6CB0F5),
                           rgb(0x58C48F), rgb(0xE9B44C), rgb(0xF28B7D), rgb(0x1A1E25), rgb(0x2B323D), rgb(0x757F8E)};
constexpr Palette kLight = {rgb(0xEEF0F4), rgb(0xF7F8FA), rgb(0xFFFFFF), rgb(0xE6EBF2), rgb(0xD9E1EC), rgb(0xD5DAE2),
                            rgb(0x1B222C), rgb(0x566070), rgb(0x1B66B5), rgb(0x2876C8), rgb(0xFFFFFF), rgb(0x1559A3),
                            rgb(0x13724A), rgb(0x8A5A00), rgb(0xB3321F), rgb(0xFFFFFF), rgb(0xE9EBEF), rgb(0x7A8594)};

struct State {
  ThemeKind kind = ThemeKind::dark;
  float scale = 0;
  Fonts fonts;
} state;

constexpr const char* kRegular[] = {"/usr/share/fonts/opentype/inter/Inter-Regular.otf",
                                    "/usr/share/fonts/truetype/inter/Inter-Regular.ttf",
                                    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"};
constexpr const char* kBold[] = {"/usr/share/fonts/opentype/inter/Inter-SemiBold.otf",
                                 "/usr/share/fonts/truetype/inter/Inter-SemiBold.ttf",
                                 "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"};
constexpr const char* kFallback = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";

// Latin, Greek, punctuation, super- and subscripts, arrows, mathematics, shapes.
constexpr ImWchar kRanges[] = {0x20,   0xFF,   0x100,  0x17F,  0x370,  0x3FF,  0x2010, 0x2044,
                               0x2070, 0x209F, 0x2190, 0x21FF, 0x2200, 0x22FF, 0x2318, 0x2318,
                               0x25A0, 0x25FF, 0x2713, 0x2717, 0x266D, 0x266F, 0};
constexpr ImWchar kBoldRanges[] = {0x20,   0xFF,   0x370,  0x3FF,  0x2010, 0x2044, 0x2070,
                                   0x209F, 0x2190, 0x21FF, 0x2212, 0x2212, 0};

template <std::size_t N>
const char* first_present(const char* const (&files)[N]) {
  for (const char* file : files) {
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file;
  }
  return nullptr;
}

ImFont* add_font(const char* file, float size, const ImWchar* ranges) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFontConfig config;
  config.OversampleH = config.OversampleV = 1;
  config.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  size = std::round(size);
  if (!file) {
    config.SizePixels = size;
    return atlas.AddFontDefault(&config);
  }
  ImFont* font = atlas.AddFontFromFileTTF(file, size, &config, ranges);
  std::error_code error;
  if (std::string_view(file) != kFallback && std::filesystem::exists(kFallback, error)) {
    config.MergeMode = true;
    atlas.AddFontFromFileTTF(kFallback, size, &config, ranges);
  }
  return font;
}

void build_fonts(float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.TexDesiredWidth = 1024;
  const char *regular = first_present(kRegular), *bold = first_present(kBold);
  state.fonts.body = add_font(regular, 15 * scale, kRanges);
  state.fonts.small = add_font(regular, 13 * scale, kRanges);
  state.fonts.title = add_font(bold, 20 * scale, kBoldRanges);
  state.fonts.small_bold = add_font(bold, 13 * scale, kBoldRanges);
  state.fonts.body_bold = add_font(bold, 15 * scale, kBoldRanges);
  atlas.Build();
  ImGui::GetIO().FontDefault = state.fonts.body;
}

ImVec4 vec(ImU32 color) {
  return ImGui::ColorConvertU32ToFloat4(color);
}

double channel(ImU32 color, int shift) {
  const double c = ((color >> shift) & 255) / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(ImU32 color) {
  return 0.2126 * channel(color, IM_COL32_R_SHIFT) + 0.7152 * channel(color, IM_COL32_G_SHIFT) +
         0.0722 * channel(color, IM_COL32_B_SHIFT);
}

}  // namespace

const Palette& palette_of(ThemeKind kind) {
  return kind == ThemeKind::dark ? kDark : kLight;
}
const Palette& palette() {
  return palette_of(state.kind);
}
ThemeKind theme() {
  return state.kind;
}
const Fonts& fonts() {
  return state.fonts;
}
float scale() {
  return state.scale > 0 ? state.scale : 1;
}

double contrast(ImU32 ink, ImU32 paper) {
  const double a = luminance(ink), b = luminance(paper);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

ImU32 themed(std::uint32_t color, double alpha) {
  const auto a = static_cast<ImU32>(std::lround(255 * std::clamp(alpha, 0.0, 1.0))) << IM_COL32_A_SHIFT;
  const auto with = [&](ImU32 c) { return (c & ~IM_COL32_A_MASK) | a; };
  switch (color) {
    case chart::kPaper:
      return with(palette().plot);
    case chart::kTextColor:
      return with(palette().text);
    case chart::kMutedColor:
      return with(palette().muted);
    case chart::kGridColor:
      return with(palette().grid);
    default:
      break;
  }
  if (state.kind == ThemeKind::light) return with(rgb(color));
  // On dark background: tints of a color (mixed with white on light background) are mixed with the background, and dark
  // colors are lightened until they are legible.
  double r = (color >> 16) & 255, g = (color >> 8) & 255, b = color & 255;
  for (int step = 0; step < 12; ++step) {
    const ImU32 c = IM_COL32(static_cast<int>(r), static_cast<int>(g), static_cast<int>(b), 255);
    if (contrast(c, palette().plot) >= 4.6) break;
    r += 0.12 * (255 - r);
    g += 0.12 * (255 - g);
    b += 0.12 * (255 - b);
  }
  return with(IM_COL32(static_cast<int>(r), static_cast<int>(g), static_cast<int>(b), 255));
}

ImU32 series_color(SeriesRole role) {
  return themed(role_color(role));
}

bool apply_theme(ThemeKind kind, float scale) {
  const bool rebuilt = scale != state.scale || !ImGui::GetIO().Fonts->IsBuilt();
  state.kind = kind;
  state.scale = scale;
  if (rebuilt) build_fonts(scale);
  const Palette& p = palette();
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.WindowPadding = {16, 16};
  style.FramePadding = {10, 6};
  style.ItemSpacing = {8, 8};
  style.ItemInnerSpacing = {8, 4};
  style.CellPadding = {8, 4};
  style.IndentSpacing = 16;
  style.ScrollbarSize = 10;
  style.GrabMinSize = 14;
  style.WindowBorderSize = style.ChildBorderSize = style.FrameBorderSize = style.TabBorderSize = 0;
  style.PopupBorderSize = 1;
  style.WindowRounding = 0;
  style.ChildRounding = 0;
  style.PopupRounding = 8;
  style.FrameRounding = 6;
  style.GrabRounding = 6;
  style.ScrollbarRounding = 6;
  style.DisabledAlpha = 0.55f;
  style.ScaleAllSizes(scale);
  style.AntiAliasedLinesUseTex = true;
  ImVec4* c = style.Colors;
  c[ImGuiCol_Text] = vec(p.text);
  c[ImGuiCol_TextDisabled] = vec(p.muted);
  c[ImGuiCol_WindowBg] = c[ImGuiCol_ModalWindowDimBg] = vec(p.window);
  c[ImGuiCol_ModalWindowDimBg] = ImVec4(0, 0, 0, 0.5f);
  c[ImGuiCol_ChildBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_PopupBg] = vec(p.raised);
  c[ImGuiCol_Border] = c[ImGuiCol_Separator] = vec(p.line);
  c[ImGuiCol_FrameBg] = vec(p.hovered);
  c[ImGuiCol_FrameBgHovered] = c[ImGuiCol_FrameBgActive] = vec(p.pressed);
  c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = vec(p.raised);
  c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_ScrollbarGrab] = vec(p.edge);
  c[ImGuiCol_ScrollbarGrabHovered] = c[ImGuiCol_ScrollbarGrabActive] = vec(p.muted);
  c[ImGuiCol_CheckMark] = vec(p.link);
  c[ImGuiCol_SliderGrab] = vec(p.accent);
  c[ImGuiCol_SliderGrabActive] = vec(p.accent_hovered);
  c[ImGuiCol_Button] = vec(p.hovered);
  c[ImGuiCol_ButtonHovered] = c[ImGuiCol_ButtonActive] = vec(p.pressed);
  c[ImGuiCol_Header] = c[ImGuiCol_HeaderHovered] = vec(p.hovered);
  c[ImGuiCol_HeaderActive] = vec(p.pressed);
  c[ImGuiCol_SeparatorHovered] = c[ImGuiCol_SeparatorActive] = vec(p.accent);
  c[ImGuiCol_TableHeaderBg] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_TableBorderStrong] = c[ImGuiCol_TableBorderLight] = vec(p.line);
  c[ImGuiCol_TableRowBg] = c[ImGuiCol_TableRowBgAlt] = ImVec4(0, 0, 0, 0);
  c[ImGuiCol_TextSelectedBg] = ImVec4(vec(p.accent).x, vec(p.accent).y, vec(p.accent).z, 0.4f);
  c[ImGuiCol_NavHighlight] = vec(p.accent);
  c[ImGuiCol_DragDropTarget] = vec(p.accent);
  return rebuilt;
}

}  // namespace pairs::gui
