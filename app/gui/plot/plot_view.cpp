#include "app/gui/plot/plot_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/plot/plot_state.h"
#include "app/gui/widgets/ui.h"
#include "core/base/text/error.h"
#include "core/report/draw.h"
#include "core/report/marks/mark_kind.h"
#include "core/report/ranges.h"

namespace pairs::gui {
namespace {

constexpr float kNarrowPlot = 220, kLowPlot = 130;  // pixels at scale 1 below which a grid has fewer columns or rows

std::string current_subject;

// The plot to which a shortcut applies: the one under the mouse, else the largest, in the last frame.
struct SaveRequest {
  struct Seen {
    float largest = 0;
    bool hovered = false;
  };
  Seen last, now;
  int frame = 0;
  std::string extension;  // what to save as; "" when nothing was asked for

  void turn() {
    const int current = ImGui::GetFrameCount();
    if (current == frame) return;
    last = current == frame + 1 ? now : Seen();
    now = {};
    frame = current;
  }
  bool meant_for(bool hovered, float area) {
    turn();
    now.largest = std::max(now.largest, area);
    now.hovered |= hovered;
    return !extension.empty() && (last.hovered ? hovered : area >= last.largest);
  }
} save_request;

}  // namespace

void PlotView::State::take(const std::shared_ptr<const Figure>& next) {
  if (next != figure) {
    figure = next;
    data_changed = true;
  }
  if (figure && views.size() != figure->plots.size()) views.resize(figure->plots.size());
}

void PlotView::State::choose_grid(ImVec2 size) {
  const auto count = static_cast<std::int64_t>(figure->plots.size());
  std::int64_t columns = std::max<std::int64_t>(1, std::min(figure->columns, count));
  const auto height = [&](std::int64_t c) { return size.y / static_cast<float>((count + c - 1) / c); };
  while (!figure->joined() && columns > 1 && size.x / static_cast<float>(columns) < px(kNarrowPlot) &&
         height(columns - 1) >= px(kLowPlot))
    --columns;
  shown.columns = columns;
  const double width = size.x / pixels();
  const double frame = chart::frame_height(shown, width, [&](std::string_view text, double text_size, bool bold) {
    return draw_list_text_width(text, text_size, bold, pixels());
  });
  const std::int64_t rows = (count + columns - 1) / columns;
  const double least = figure->joined() ? chart::kLeastJoined : chart::kLeastPlot;
  shown.plot_width = std::clamp(width / static_cast<double>(columns), least, 5000.0);
  shown.plot_height = std::clamp((size.y / pixels() - frame) / static_cast<double>(rows), least, 5000.0);
}

// Changes to an axis since the last layout apply to all plots that share it.
void PlotView::State::share_axes() {
  if (laid_out.size() != views.size()) return;
  const auto share = [&](const std::string& shared, const AxisZoom& changed) {
    if (shared.empty()) return;
    for (std::size_t i = 0; i < views.size(); ++i) {
      if (figure->plots[i].x.shared == shared) views[i].x = changed;
      if (figure->plots[i].y.shared == shared) views[i].y = changed;
    }
  };
  const std::vector<Zoom> now = views;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].x != laid_out[i].x) share(figure->plots[i].x.shared, now[i].x);
    if (now[i].y != laid_out[i].y) share(figure->plots[i].y.shared, now[i].y);
  }
}

void PlotView::State::rebuild(ImVec2 size) {
  share_axes();
  const Look now{size, gui::scale(), theme(), fonts().body, ImGui::GetIO().Fonts, texture_generation()};
  if (!data_changed && now == look && views == laid_out) return;
  ++rebuilds;
  // Space for the widest labels so far, so that the areas do not move while data change.
  if (now != look || labels.size() != views.size()) {
    const auto width = [&](const char* text) { return draw_list_text_width(text, chart::kTickText, false, pixels()); };
    labels.assign(views.size(), {width("0.000"), width("0.000") / 2});
  }
  failure.clear();
  layout = {};
  entries.clear();
  names.clear();
  try {
    if (data_changed) {
      shown = *figure;
      shown.source.clear();
      if (caption == Caption::none) shown.title.clear();
      order.clear();
      if (!hidden.empty())
        for (Plot& plot : shown.plots)
          for (const chart::MarkKind* kind : chart::mark_kinds())
            kind->empty(plot, [&](const SeriesKey& key) { return hidden.contains(key); });
    }
    choose_grid(size);
    for (std::size_t i = 0; i < views.size(); ++i) {
      shown.plots[i].x = views[i].x.applied(figure->plots[i].x);
      shown.plots[i].y = views[i].y.applied(figure->plots[i].y);
    }
    const double scale = pixels();
    layout = chart::layout_figure(
        shown,
        [scale](std::string_view text, double text_size, bool bold) {
          return draw_list_text_width(text, text_size, bold, scale);
        },
        labels);
    for (std::size_t i = 0; i < layout.plots.size(); ++i) {
      labels[i] = layout.plots[i].labels;
      std::vector<chart::LegendEntry> named;
      if (layout.plots[i].legend.box.width > 0) named = chart::legend_entries(shown.plots[i]);
      entries.emplace_back();
      names.emplace_back();
      for (const chart::LegendEntry& entry : named) {
        entries.back().push_back(entry.key);
        names.back().push_back(entry.name);
      }
    }
    canvas.begin(scale);
    canvas.dim([this](int plot, int entry) {
      return hidden.contains(entries[static_cast<std::size_t>(plot)][static_cast<std::size_t>(entry)]);
    });
    chart::draw_figure(shown, layout, canvas);
    canvas.finish();
  } catch (const std::exception& error) {
    failure = sentence(error);
    layout = {};
    entries.clear();
    names.clear();
  }
  data_changed = false;
  look = now;
  laid_out = views;
}

Figure PlotView::State::seen() const {
  if (!figure) return {};
  Figure now = *figure;
  for (std::size_t i = 0; i < now.plots.size() && i < views.size(); ++i) {
    Plot& plot = now.plots[i];
    plot.x = views[i].x.applied(plot.x);
    plot.y = views[i].y.applied(plot.y);
    for (const chart::MarkKind* kind : chart::mark_kinds())
      kind->remove(plot, [&](const SeriesKey& key) { return hidden.contains(key); });
  }
  return now;
}

PlotView::PlotView(std::string name, Caption caption) : state_(std::make_unique<State>()) {
  state_->name = std::move(name);
  state_->caption = caption;
}
PlotView::~PlotView() = default;
PlotView::PlotView(PlotView&&) noexcept = default;
PlotView& PlotView::operator=(PlotView&&) noexcept = default;

void PlotView::let_turn(std::function<void(ImVec2)> by, std::function<void()> back) {
  state_->turn_by = std::move(by);
  state_->turn_back = std::move(back);
}

void PlotView::draw(const std::shared_ptr<const Figure>& figure, ImVec2 size) {
  State& s = *state_;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  size = {std::floor(std::max(size.x > 0 ? size.x : room.x, 1.0f)),
          std::floor(std::max(size.y > 0 ? size.y : room.y, 1.0f))};
  if (s.subject != current_subject) {
    s.subject = current_subject;
    reset();
  }
  s.take(figure);
  if (!figure) {
    ImGui::Dummy(size);
    return;
  }
  ImGui::PushID(s.name.c_str());
  const ImVec2 corner = ImGui::GetCursorScreenPos(), origin = {std::floor(corner.x), std::floor(corner.y)};
  ImGui::InvisibleButton("plots", size, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const bool hovered = ImGui::IsItemHovered();
  const bool visible = ImGui::IsItemVisible();
  if (visible && save_request.meant_for(hovered, size.x * size.y))
    s.saver.ask(*figure, std::exchange(save_request.extension, ""));
  s.rebuild(size);
  s.interact(origin, hovered);
  s.rebuild(size);  // what the mouse has just changed
  s.offer_to_keys(origin);
  const ImVec2 end = {origin.x + size.x, origin.y + size.y};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (visible) {
    list.AddRectFilled(origin, end, palette().plot);
    list.PushClipRect(origin, end, true);
    if (s.failure.empty()) {
      s.canvas.replay(list, origin);
      s.draw_lit(origin);
      s.draw_over(origin, hovered);
    }
    list.PopClipRect();
  }
  if (!s.failure.empty()) {
    const ui::Surface on(palette().plot);
    const ImVec2 after = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({origin.x + px(16), origin.y + px(16)});
    ui::wrapped(s.failure, ui::Look::bad, std::max(size.x - px(32), px(40)));
    ImGui::SetCursorScreenPos(after);
  } else if (recorder().on() && visible) {
    s.record(origin, size, hovered);
  }
  s.menu();
  s.saver.draw(s.name, [&] { return s.seen(); });
  ImGui::PopID();
}

void PlotView::light(std::set<std::string> names) {
  state_->lit = std::move(names);
}

bool PlotView::names_line(std::string_view name, std::string_view line) {
  if (!line.starts_with(name)) return false;
  const std::string_view rest = line.substr(name.size());
  return rest.empty() || rest.starts_with(", ") || rest.starts_with(" (");
}

const std::string& PlotView::line_under_mouse() const {
  return state_->near_line;
}

std::string PlotView::take_clicked_line() {
  return std::exchange(state_->clicked_line, "");
}

void PlotView::set_subject(std::string subject) {
  current_subject = std::move(subject);
}

void PlotView::reset() {
  state_->views.assign(state_->views.size(), {});
  state_->hidden.clear();
  state_->data_changed = true;
}

bool PlotView::ask_to_save(std::string_view extension) {
  save_request.turn();
  if (save_request.last.largest <= 0) return false;
  save_request.extension = extension;
  return true;
}

Figure PlotView::seen() const {
  return state_->seen();
}

std::int64_t PlotView::rebuilds() const {
  return state_->rebuilds;
}
std::size_t PlotView::vertices() const {
  return state_->canvas.vertices();
}

}  // namespace pairs::gui
