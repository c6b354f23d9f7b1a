#include "core/report/joined_layout.h"

#include <algorithm>
#include <numeric>

namespace pairs::chart {
namespace {

constexpr double kLeastSide = 8;  // smallest side of an area

struct Span {
  double from, length;
  double end() const { return from + length; }
};

std::vector<Span> spans(const std::vector<double>& shares, double from, double to) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0),
               room = to - from - kJoinedGap * static_cast<double>(shares.size() - 1);
  std::vector<Span> out;
  for (const double share : shares) {
    out.push_back({from, std::max(kLeastSide, room * share / all)});
    from = out.back().end() + kJoinedGap;
  }
  return out;
}

}  // namespace

std::vector<JoinedPlace> joined_places(const Figure& figure, const Rect& page, const JoinedMargins& margins) {
  const std::vector<Span> columns = spans(figure.column_shares, page.x + margins.left, page.right() - margins.right),
                          rows = spans(figure.row_shares, page.y + margins.top, page.bottom() - margins.bottom);
  const auto edge = [](const std::vector<Span>& all, std::size_t k, double first, double last) {
    return k == 0 ? first : k == all.size() ? last : all[k].from - kJoinedGap / 2;
  };
  std::vector<JoinedPlace> places(figure.plots.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (figure.plots[i].blank) continue;
    const std::size_t column = i % columns.size(), row = i / columns.size();
    std::size_t end = column + 1;
    while (end < columns.size() && row * columns.size() + end < places.size() &&
           figure.plots[row * columns.size() + end].blank)
      ++end;
    const double left = edge(columns, column, page.x, page.right()), right = edge(columns, end, page.x, page.right()),
                 top = edge(rows, row, page.y, page.bottom()), bottom = edge(rows, row + 1, page.y, page.bottom());
    places[i].cell = {left, top, right - left, bottom - top};
    places[i].area = {columns[column].from, rows[row].from, columns[column].length, rows[row].length};
  }
  return places;
}

}  // namespace pairs::chart
