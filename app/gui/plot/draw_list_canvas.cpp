#include "app/gui/plot/draw_list_canvas.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "app/gui/platform/theme.h"
#include "core/report/display_text.h"
#include "core/report/layout.h"

namespace pairs::gui {
namespace {

using chart::Point;
using chart::Rect;

const ImVec4 kEverywhere = {-1e6f, -1e6f, 1e6f, 1e6f};
constexpr int kSegmentVertices = 40000, kStrokePoints = 4000;
constexpr float kSharpTurn = -0.3f;         // cosine below which a line is not mitred: the corner would stick out
constexpr float kLeastStep = 1;             // pixels between two points of a closed line
constexpr float kLongestDashed = 24;        // a dashed line longer than this many times its width is a cloud
constexpr double kCloudAlpha = 0.35;        // and is drawn solid, thin and paler
constexpr std::int64_t kMostPixels = 2048;  // each way of a picture; larger ones are thinned

struct Face {
  ImFont* font;
  float pixels;
};

// The loaded font closest in size; another size only if the layout shrank a text to fit.
Face face_of(double size, bool bold, double pixels) {
  const Fonts& f = fonts();
  const auto nearest = [&](double wanted) {
    ImFont* best = nullptr;
    for (ImFont* font : bold ? std::array{f.small_bold, f.body_bold, f.title} : std::array{f.small, f.body, f.body})
      if (!best || std::fabs(font->FontSize - wanted) < std::fabs(best->FontSize - wanted)) best = font;
    return best;
  };
  for (const double known :
       {chart::kTickText, chart::kLabelText, chart::kPlotTitle, chart::kFigureTitle, chart::kSourceText})
    if (std::fabs(size - known) < 1e-6) {
      ImFont* font = nearest(known * pixels);
      return {font, font->FontSize};
    }
  ImFont* font = nearest(chart::kLabelText * pixels);
  return {font, static_cast<float>(font->FontSize * size / chart::kLabelText)};
}

float width_of(const Face& face, std::string_view text) {
  return face.font->CalcTextSizeA(face.pixels, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

// Thin lines of whole pixels are drawn from a texture, at half the cost.
float line_width(double width, double pixels) {
  return static_cast<float>(std::max(1.0, std::floor(2 * width * pixels + 0.499) / 2));
}

}  // namespace

double draw_list_text_width(std::string_view raw, double size, bool bold, double pixels) {
  return width_of(face_of(size, bold, pixels), chart::display_text(raw)) / pixels;
}

DrawListCanvas::DrawListCanvas() : list_(nullptr) {}

void DrawListCanvas::begin(double pixels) {
  pixels_ = pixels;
  list_._Data = ImGui::GetDrawListSharedData();
  list_._ResetForNewFrame();
  list_.Flags &= ~ImDrawListFlags_AllowVtxOffset;
  list_.PushTextureID(ImGui::GetIO().Fonts->TexID);
  list_.PushClipRect({kEverywhere.x, kEverywhere.y}, {kEverywhere.z, kEverywhere.w});
  segments_.clear();
  textures_.clear();
  pictures_.clear();
  texts_.clear();
  groups_.clear();
  plot_ = entry_ = -1;
  dim_ = false;
  clip_ = kEverywhere;
  start_segment();
}

void DrawListCanvas::start_segment(int texture) {
  list_._VtxCurrentIdx = 0;
  const Segment next{list_.VtxBuffer.Size, list_.IdxBuffer.Size, clip_, texture};
  if (!segments_.empty() && segments_.back().vertex == next.vertex)
    segments_.back() = next;
  else
    segments_.push_back(next);
}

void DrawListCanvas::room_for(int vertices) {
  if (static_cast<int>(list_._VtxCurrentIdx) + vertices > kSegmentVertices) start_segment(segments_.back().texture);
}

void DrawListCanvas::finish() {
  if (pictures_.empty()) return;
  // Packs rows of pictures into as few textures as possible.
  std::sort(pictures_.begin(), pictures_.end(), [](const Picture& a, const Picture& b) {
    return std::pair(b.height, a.vertex) < std::pair(a.height, b.vertex);
  });
  std::size_t first = 0;
  while (first < pictures_.size()) {
    std::vector<std::pair<int, int>> places;
    int x = 0, y = 0, row = 0, used_width = 0;
    std::size_t end = first;
    for (; end < pictures_.size(); ++end) {
      const Picture& picture = pictures_[end];
      if (x + picture.width > kMostPixels) {
        y += row;
        x = row = 0;
      }
      if (y + picture.height > kMostPixels) break;
      places.push_back({x, y});
      x += picture.width;
      row = std::max(row, picture.height);
      used_width = std::max(used_width, x);
    }
    const int height = y + row;
    std::vector<std::uint8_t> rgba(static_cast<std::size_t>(used_width) * static_cast<std::size_t>(height) * 4);
    for (std::size_t i = first; i < end; ++i) {
      Picture& picture = pictures_[i];
      const auto [left, top] = places[i - first];
      for (int j = 0; j < picture.height; ++j)
        std::memcpy(rgba.data() + (static_cast<std::size_t>(top + j) * used_width + left) * 4,
                    picture.rgba.data() + static_cast<std::size_t>(j) * picture.width * 4,
                    static_cast<std::size_t>(picture.width) * 4);
      const float u0 = static_cast<float>(left) / used_width,
                  u1 = static_cast<float>(left + picture.width) / used_width;
      const float v0 = static_cast<float>(top) / height, v1 = static_cast<float>(top + picture.height) / height;
      const ImVec2 corners[4] = {{u0, v0}, {u1, v0}, {u1, v1}, {u0, v1}};
      for (int k = 0; k < 4; ++k) list_.VtxBuffer[picture.vertex + k].uv = corners[k];
      segments_[picture.segment].texture = static_cast<int>(textures_.size());
    }
    textures_.emplace_back(used_width, height, rgba.data());
    first = end;
  }
  pictures_.clear();
}

void DrawListCanvas::replay(ImDrawList& list, ImVec2 at) const {
  const ImTextureID atlas = ImGui::GetIO().Fonts->TexID;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    const bool last = i + 1 == segments_.size();
    const int vertices = (last ? list_.VtxBuffer.Size : segments_[i + 1].vertex) - segment.vertex;
    const int indices = (last ? list_.IdxBuffer.Size : segments_[i + 1].index) - segment.index;
    if (vertices == 0) continue;
    const bool clipped = segment.clip.x != kEverywhere.x;
    if (clipped)
      list.PushClipRect({at.x + segment.clip.x, at.y + segment.clip.y}, {at.x + segment.clip.z, at.y + segment.clip.w},
                        true);
    list.PushTextureID(segment.texture < 0 ? atlas : textures_[static_cast<std::size_t>(segment.texture)].id());
    list.PrimReserve(indices, vertices);
    const ImDrawVert* from = list_.VtxBuffer.Data + segment.vertex;
    ImDrawVert* to = list._VtxWritePtr;
    for (int v = 0; v < vertices; ++v) {
      to[v] = from[v];
      to[v].pos.x += at.x;
      to[v].pos.y += at.y;
    }
    const auto base = static_cast<ImDrawIdx>(list._VtxCurrentIdx);
    const ImDrawIdx* index = list_.IdxBuffer.Data + segment.index;
    for (int k = 0; k < indices; ++k) list._IdxWritePtr[k] = static_cast<ImDrawIdx>(index[k] + base);
    list._VtxWritePtr += vertices;
    list._IdxWritePtr += indices;
    list._VtxCurrentIdx += static_cast<unsigned>(vertices);
    list.PopTextureID();
    if (clipped) list.PopClipRect();
  }
}

ImU32 DrawListCanvas::ink(std::uint32_t color, double alpha) const {
  return themed(color, dim_ ? 0.35 * alpha : alpha);
}

void DrawListCanvas::begin_group(std::string_view kind, std::string_view) {
  groups_.emplace_back(kind);
  if (kind == "plot") {
    ++plot_;
    entry_ = -1;
  } else if (kind == "entry") {
    ++entry_;
    dim_ = dimmed_ && dimmed_(plot_, entry_);
  }
}

void DrawListCanvas::end_group() {
  if (groups_.back() == "entry") dim_ = false;
  groups_.pop_back();
}

void DrawListCanvas::begin_clip(const Rect& area) {
  clip_ = {static_cast<float>(area.x * pixels_), static_cast<float>(area.y * pixels_),
           static_cast<float>(area.right() * pixels_), static_cast<float>(area.bottom() * pixels_)};
  start_segment();
}

void DrawListCanvas::end_clip() {
  clip_ = kEverywhere;
  start_segment();
}

// Converts to pixels; of consecutive points in one pixel column, keeps the highest and the lowest.
void DrawListCanvas::reduce(std::span<const Point> points) {
  line_.clear();
  const auto at = [&](std::size_t i) {
    return ImVec2(static_cast<float>(points[i].x * pixels_), static_cast<float>(points[i].y * pixels_));
  };
  for (std::size_t i = 0; i < points.size();) {
    const double column = std::floor(points[i].x * pixels_);
    std::size_t least = i, most = i, end = i + 1;
    for (; end < points.size() && std::floor(points[end].x * pixels_) == column; ++end) {
      if (points[end].y < points[least].y) least = end;
      if (points[end].y > points[most].y) most = end;
    }
    if (end - i <= 2) {
      for (; i < end; ++i) line_.push_back(at(i));
      continue;
    }
    // Keeps the last point of the line.
    if (i == 0 && least != 0 && most != 0) line_.push_back(at(0));
    line_.push_back(at(std::min(least, most)));
    if (least != most) line_.push_back(at(std::max(least, most)));
    if (end == points.size() && least != end - 1 && most != end - 1) line_.push_back(at(end - 1));
    i = end;
  }
}

void DrawListCanvas::stroke(const ImVec2* points, int count, ImU32 color, float thickness) {
  int first = 0;
  for (int i = 1; i < count; ++i) {
    bool cut = i == count - 1 || i - first >= kStrokePoints;
    if (!cut) {
      const ImVec2 a{points[i].x - points[i - 1].x, points[i].y - points[i - 1].y},
          b{points[i + 1].x - points[i].x, points[i + 1].y - points[i].y};
      const float dot = a.x * b.x + a.y * b.y;
      cut = dot < 0 && dot < kSharpTurn * std::sqrt((a.x * a.x + a.y * a.y) * (b.x * b.x + b.y * b.y));
    }
    if (!cut) continue;
    const int length = i - first + 1;
    room_for(4 * length);
    list_.AddPolyline(points + first, length, color, 0, thickness);
    first = i;
  }
}

void DrawListCanvas::dashes(float dash, float gap, ImU32 color, float thickness) {
  bool on = true;
  float left = dash;
  dash_.assign(1, line_[0]);
  for (std::size_t i = 0; i + 1 < line_.size(); ++i) {
    ImVec2 from = line_[i];
    const ImVec2 to = line_[i + 1];
    float length = std::hypot(to.x - from.x, to.y - from.y);
    while (length > left) {
      from = {from.x + (to.x - from.x) * (left / length), from.y + (to.y - from.y) * (left / length)};
      length -= left;
      if (on) {
        dash_.push_back(from);
        stroke(dash_.data(), static_cast<int>(dash_.size()), color, thickness);
      }
      on = !on;
      left = on ? dash : gap;
      dash_.assign(1, from);
    }
    left -= length;
    if (on) dash_.push_back(to);
  }
  if (on && dash_.size() > 1) stroke(dash_.data(), static_cast<int>(dash_.size()), color, thickness);
}

void DrawListCanvas::polyline(std::span<const Point> points, const chart::SeriesStyle& style) {
  const float thickness = line_width(style.width, pixels_);
  const bool solid = style.style == LineStyle::solid;
  bool straight = solid && points.size() <= 3;
  for (std::size_t i = 0; straight && i + 1 < points.size(); ++i)
    straight = points[i].x == points[i + 1].x || points[i].y == points[i + 1].y;
  if (straight) {  // grid, ticks and frame: on whole pixels, so that they are sharp
    const float wide = std::max(1.0f, std::round(static_cast<float>(style.width * pixels_)));
    const auto low = [&](double a, double b) {
      return std::round(static_cast<float>(std::min(a, b) * pixels_) - wide / 2);
    };
    const auto high = [&](double a, double b) {
      return std::round(static_cast<float>(std::max(a, b) * pixels_) - wide / 2) + wide;
    };
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      room_for(4);
      list_.AddRectFilled({low(points[i].x, points[i + 1].x), low(points[i].y, points[i + 1].y)},
                          {high(points[i].x, points[i + 1].x), high(points[i].y, points[i + 1].y)},
                          ink(style.color, 1));
    }
    return;
  }
  // A closed contour has no ends, whose edges would darken where they meet.
  const bool closed = solid && points.size() > 3 && points.size() <= kStrokePoints &&
                      points.front().x == points.back().x && points.front().y == points.back().y;
  if (closed) {
    line_.clear();
    // The direction between two points in one pixel is random, and would turn the line's edges.
    const auto apart = [&](ImVec2 a, ImVec2 b) { return std::hypot(a.x - b.x, a.y - b.y) >= kLeastStep; };
    for (const Point& point : points.first(points.size() - 1)) {
      const ImVec2 at(static_cast<float>(point.x * pixels_), static_cast<float>(point.y * pixels_));
      if (line_.empty() || apart(line_.back(), at)) line_.push_back(at);
    }
    while (line_.size() > 3 && !apart(line_.back(), line_.front())) line_.pop_back();
    if (line_.size() < 3) return;
    const auto count = static_cast<int>(line_.size());
    room_for(4 * (count + 1));
    list_.AddPolyline(line_.data(), count, ink(style.color, 1), ImDrawFlags_Closed, thickness);
    return;
  }
  reduce(points);
  if (solid) {
    stroke(line_.data(), static_cast<int>(line_.size()), ink(style.color, 1), thickness);
    return;
  }
  float length = 0, left = line_[0].x, right = left;
  for (std::size_t i = 0; i + 1 < line_.size(); ++i) {
    length += std::hypot(line_[i + 1].x - line_[i].x, line_[i + 1].y - line_[i].y);
    left = std::min(left, line_[i + 1].x);
    right = std::max(right, line_[i + 1].x);
  }
  const bool dotted = style.style == LineStyle::dotted;
  const double unit = style.width * pixels_;
  if (length > kLongestDashed * std::max(right - left, 100.0f))
    stroke(line_.data(), static_cast<int>(line_.size()), ink(style.color, kCloudAlpha), std::min(thickness, 2.0f));
  else
    dashes(static_cast<float>(unit * (dotted ? chart::kDot : chart::kDash)),
           static_cast<float>(unit * (dotted ? chart::kDotGap : chart::kDashGap)), ink(style.color, 1), thickness);
}

// Bands: two chains from the leftmost to the rightmost point, filled as strips between the places where either turns.
void DrawListCanvas::polygon(std::span<const Point> points, std::uint32_t color, double alpha) {
  const auto count = static_cast<int>(points.size());
  if (count < 3) return;
  const auto [left, right] =
      std::minmax_element(points.begin(), points.end(), [](Point a, Point b) { return a.x < b.x; });
  const int start = static_cast<int>(left - points.begin()), stop = static_cast<int>(right - points.begin());
  const auto point = [&](int i) { return points[static_cast<std::size_t>((i % count + count) % count)]; };
  int a = start, b = start;  // a walks forwards, b backwards
  const int a_end = stop >= start ? stop : stop + count, b_end = stop <= start ? stop : stop - count;
  const auto on = [](Point p, Point q, double x) {
    return q.x > p.x ? p.y + (q.y - p.y) * ((x - p.x) / (q.x - p.x)) : q.y;
  };
  const ImU32 fill = ink(color, alpha), clear = fill & ~IM_COL32_A_MASK;
  const ImVec2 white = list_._Data->TexUvWhitePixel;
  double x = point(start).x;
  while (a < a_end && b > b_end) {
    const double next = std::min(point(a + 1).x, point(b - 1).x);
    if (next > x) {
      float top[2], bottom[2];
      int k = 0;
      for (const double at : {x, next}) {
        const double one = on(point(a), point(a + 1), at), other = on(point(b), point(b - 1), at);
        top[k] = static_cast<float>(std::min(one, other) * pixels_);
        bottom[k++] = static_cast<float>(std::max(one, other) * pixels_);
      }
      const float x0 = static_cast<float>(x * pixels_), x1 = static_cast<float>(next * pixels_);
      room_for(8);
      list_.PrimReserve(18, 8);
      const auto base = static_cast<ImDrawIdx>(list_._VtxCurrentIdx);
      const std::array<std::pair<float, ImU32>, 4> rows = {
          {{-0.5f, clear}, {0.5f, fill}, {-0.5f, fill}, {0.5f, clear}}};
      for (std::size_t row = 0; row < 4; ++row) {
        const float *y = row < 2 ? top : bottom, shift = rows[row].first;
        const auto middle = [&](int end) { return (top[end] + bottom[end]) / 2; };
        for (int end = 0; end < 2; ++end) {
          float at = y[end] + shift;  // thin bands do not turn inside out
          if (row == 1) at = std::min(at, std::max(y[end], middle(end)));
          if (row == 2) at = std::max(at, std::min(y[end], middle(end)));
          list_.PrimWriteVtx({end ? x1 : x0, at}, white, rows[row].second);
        }
      }
      for (int strip = 0; strip < 3; ++strip)
        for (const int corner : {0, 1, 3, 0, 3, 2})
          list_.PrimWriteIdx(static_cast<ImDrawIdx>(base + 2 * strip + corner));
      x = next;
    }
    while (a < a_end && point(a + 1).x <= x) ++a;
    while (b > b_end && point(b - 1).x <= x) --b;
  }
}

void DrawListCanvas::rectangle(const Rect& rect, std::uint32_t color, double alpha) {
  room_for(4);
  list_.AddRectFilled({static_cast<float>(rect.x * pixels_), static_cast<float>(rect.y * pixels_)},
                      {static_cast<float>(rect.right() * pixels_), static_cast<float>(rect.bottom() * pixels_)},
                      ink(color, alpha));
}

void DrawListCanvas::circle(Point center, double radius, std::uint32_t color, double alpha) {
  const float size = static_cast<float>(radius * pixels_);
  room_for(64);
  list_.AddCircleFilled({static_cast<float>(center.x * pixels_), static_cast<float>(center.y * pixels_)}, size,
                        ink(color, alpha),
                        size < 2.5f ? 8
                        : size < 5  ? 14
                                    : 30);
}

void DrawListCanvas::picture_as_rectangles(const Rect& rect, std::int64_t width, std::int64_t height,
                                           std::span<const std::uint8_t> rgb) {
  const double dx = rect.width / static_cast<double>(width), dy = rect.height / static_cast<double>(height);
  const auto pixel = [&](std::int64_t i, std::int64_t j) {
    const std::uint8_t* p = rgb.data() + (j * width + i) * 3;
    return IM_COL32(p[0], p[1], p[2], 255);
  };
  for (std::int64_t j = 0; j < height; ++j)
    for (std::int64_t i = 0; i < width;) {
      std::int64_t end = i + 1;
      while (end < width && pixel(end, j) == pixel(i, j)) ++end;
      const double x = rect.x + dx * static_cast<double>(i), y = rect.y + dy * static_cast<double>(j);
      room_for(4);
      list_.AddRectFilled({static_cast<float>(x * pixels_), static_cast<float>(y * pixels_)},
                          {static_cast<float>((x + dx * static_cast<double>(end - i)) * pixels_),
                           static_cast<float>((y + dy) * pixels_)},
                          pixel(i, j));
      i = end;
    }
}

void DrawListCanvas::image(const Rect& rect, std::int64_t width, std::int64_t height,
                           std::span<const std::uint8_t> rgb) {
  const std::int64_t stride = (std::max(width, height) + kMostPixels - 1) / kMostPixels;
  Picture picture;
  picture.width = static_cast<int>((width + stride - 1) / stride);
  picture.height = static_cast<int>((height + stride - 1) / stride);
  std::vector<std::uint8_t> thinned;
  if (stride > 1) {
    for (std::int64_t j = 0; j < height; j += stride)
      for (std::int64_t i = 0; i < width; i += stride)
        for (int c = 0; c < 3; ++c) thinned.push_back(rgb[static_cast<std::size_t>((j * width + i) * 3 + c)]);
    rgb = thinned;
  }
  if (!has_texture_store()) {
    picture_as_rectangles(rect, picture.width, picture.height, rgb);
    return;
  }
  picture.rgba.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 4, 255);
  for (std::size_t i = 0; i * 3 < rgb.size(); ++i) std::copy_n(rgb.data() + 3 * i, 3, picture.rgba.data() + 4 * i);
  start_segment(-1);
  picture.segment = static_cast<int>(segments_.size()) - 1;
  picture.vertex = list_.VtxBuffer.Size;
  list_.PrimReserve(6, 4);
  list_.PrimRectUV({static_cast<float>(rect.x * pixels_), static_cast<float>(rect.y * pixels_)},
                   {static_cast<float>(rect.right() * pixels_), static_cast<float>(rect.bottom() * pixels_)}, {0, 0},
                   {1, 1}, IM_COL32_WHITE);
  pictures_.push_back(std::move(picture));
  start_segment(-1);
}

void DrawListCanvas::text(std::string_view raw, Point at, double size, bool bold, double anchor, bool upright,
                          std::uint32_t color) {
  const std::string shown = chart::display_text(raw);
  if (shown.empty()) return;
  const Face face = face_of(size, bold, pixels_);
  const float scale = face.pixels / face.font->FontSize, width = width_of(face, shown);
  // Centers capital letters vertically at `at`.
  const ImFontGlyph* capital = face.font->FindGlyph('H');
  const float middle = capital ? (capital->Y0 + capital->Y1) / 2 * scale : face.pixels / 2;
  const float x = static_cast<float>(at.x * pixels_), y = static_cast<float>(at.y * pixels_);
  const float before = width * static_cast<float>(anchor);
  const ImU32 fill = dim_ ? palette().muted : ink(color, 1);
  room_for(4 * static_cast<int>(shown.size()) + 4);
  const int first = list_.VtxBuffer.Size;
  const ImVec2 start = upright ? ImVec2(0, 0) : ImVec2(std::round(x - before), std::round(y - middle));
  list_.AddText(face.font, face.pixels, start, fill, shown.data(), shown.data() + shown.size());
  Text done{shown, start, {start.x + width, start.y + face.pixels}, fill};
  if (upright) {  // a quarter turn against the clock: right becomes up
    const ImVec2 origin = {std::round(x - middle), std::round(y + before)};
    for (int v = first; v < list_.VtxBuffer.Size; ++v) {
      const ImVec2 p = list_.VtxBuffer[v].pos;
      list_.VtxBuffer[v].pos = {origin.x + p.y, origin.y - p.x};
    }
    done.min = {origin.x, origin.y - width};
    done.max = {origin.x + face.pixels, origin.y};
  }
  if (dim_) {
    const float line = std::round(start.y + middle);
    room_for(4);
    list_.AddRectFilled({start.x, line}, {start.x + width, line + std::max(1.0f, std::round(scale))}, fill);
  }
  texts_.push_back(std::move(done));
}

}  // namespace pairs::gui
