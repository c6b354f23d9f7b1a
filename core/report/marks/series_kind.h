#pragma once

#include <algorithm>
#include <cmath>

#include "core/report/marks/mark_kind.h"

namespace pairs::chart {

// A kind whose marks are named series, kept in one list of a plot.
template <class Mark>
class SeriesKind : public MarkKind {
 public:
  SeriesKind(std::vector<Mark> Plot::*all, KeyKind key) : all_(all), key_(key) {}

  std::size_t count(const Plot& plot) const override { return (plot.*all_).size(); }
  void remove(Plot& plot, const Chosen& chosen) const override {
    std::erase_if(plot.*all_, [&](const Mark& mark) { return chosen(key(mark)); });
  }
  void empty(Plot& plot, const Chosen& chosen) const override {
    for (Mark& mark : plot.*all_)
      if (chosen(key(mark))) clear(mark);
  }

 protected:
  const std::vector<Mark>& all(const Plot& plot) const { return plot.*all_; }
  SeriesKey key(const Mark& mark) const {
    SeriesKey key{key_, mark.name, SeriesRole::other, LineStyle::solid};
    if constexpr (requires { mark.role; }) key.role = mark.role;
    if constexpr (requires { mark.style; }) key.style = mark.style;
    return key;
  }
  // Removes a series' data.
  virtual void clear(Mark& mark) const = 0;

 private:
  std::vector<Mark> Plot::*all_;
  KeyKind key_;
};

inline bool any_above_zero(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return v > 0 && std::isfinite(v); });
}

// Which values lie between the ends of an axis.
std::vector<bool> inside(const std::vector<double>& x, double low, double high);

// Refuses unequal numbers of x and y values of a mark.
void check_lengths(const std::string& where, const char* kind, const std::string& name, std::size_t x, std::size_t y);

}  // namespace pairs::chart
