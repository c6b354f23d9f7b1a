#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/platform/textures.h"
#include "core/report/canvas.h"

namespace pairs::gui {

// Draws a figure once, in the theme's colors, into its own vertices and copies these into the draw list of each frame
// that shows it: a frame costs a copy, however large the figure's data are. Needs an ImGui context.
class DrawListCanvas : public chart::Canvas {
 public:
  DrawListCanvas();

  // Clears the drawing and starts anew at `pixels` per point of the page.
  void begin(double pixels);
  // `dimmed`: whether a legend entry, counted in each plot, is drawn as switched off. Called while drawing.
  void dim(std::function<bool(int plot, int entry)> dimmed) { dimmed_ = std::move(dimmed); }
  // Ends the drawing.
  void finish();
  // Draws the page with its top left corner at `at`, a whole pixel.
  void replay(ImDrawList& list, ImVec2 at) const;

  // Texts as drawn, in pixels of the page.
  struct Text {
    std::string text;
    ImVec2 min, max;
    ImU32 ink;
  };
  const std::vector<Text>& texts() const { return texts_; }
  std::size_t vertices() const { return static_cast<std::size_t>(list_.VtxBuffer.Size); }
  const ImDrawVert* vertex_data() const { return list_.VtxBuffer.Data; }

  void begin_group(std::string_view kind, std::string_view name) override;
  void end_group() override;
  void begin_clip(const chart::Rect& area) override;
  void end_clip() override;
  void polyline(std::span<const chart::Point> points, const chart::SeriesStyle& style) override;
  void polygon(std::span<const chart::Point> points, std::uint32_t color, double alpha) override;
  void rectangle(const chart::Rect& rect, std::uint32_t color, double alpha) override;
  void circle(chart::Point center, double radius, std::uint32_t color, double alpha) override;
  void image(const chart::Rect& rect, std::int64_t width, std::int64_t height,
             std::span<const std::uint8_t> rgb) override;
  void text(std::string_view text, chart::Point at, double size, bool bold, double anchor, bool upright,
            std::uint32_t color) override;

 private:
  // Vertices that share a clip rectangle and a texture, few enough for 16-bit indices relative to the first.
  struct Segment {
    int vertex = 0, index = 0;  // where they start
    ImVec4 clip;
    int texture = -1;  // of textures_; -1: the font atlas
  };
  struct Picture {
    chart::Rect rect;
    int width, height;
    std::vector<std::uint8_t> rgba;
    ImVec4 clip;
    int vertex;  // the first of its four
    int segment;
  };

  void start_segment(int texture = -1);
  void room_for(int vertices);
  ImU32 ink(std::uint32_t color, double alpha) const;
  void reduce(std::span<const chart::Point> points);
  void stroke(const ImVec2* points, int count, ImU32 color, float thickness);
  void dashes(float dash, float gap, ImU32 color, float thickness);
  void picture_as_rectangles(const chart::Rect& rect, std::int64_t width, std::int64_t height,
                             std::span<const std::uint8_t> rgb);

  double pixels_ = 1;
  ImDrawList list_;
  std::vector<Segment> segments_;
  ImVec4 clip_;
  std::vector<Texture> textures_;
  std::vector<Picture> pictures_;
  std::vector<Text> texts_;
  std::function<bool(int, int)> dimmed_;
  std::vector<std::string> groups_;
  int plot_ = -1, entry_ = -1;
  bool dim_ = false;
  std::vector<ImVec2> line_, dash_;
};

// The width in points of a text as DrawListCanvas draws it at `pixels` per point.
double draw_list_text_width(std::string_view text, double size, bool bold, double pixels);

}  // namespace pairs::gui
