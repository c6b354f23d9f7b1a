#include "app/posterior/figures/forest_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/eval/metrics/interval.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr double kLineHeight = 13, kForestWidth = 260;  // points
constexpr std::size_t kLongestForestName = 28;

std::optional<double> number_in_name(const std::string& name) {
  double value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return value;
}

}  // namespace

bool set_name_before(const std::string& a, const std::string& b) {
  const std::optional<double> x = number_in_name(a), y = number_in_name(b);
  if (x && y) return *x < *y;
  if (x || y) return x.has_value();
  return a < b;
}

ForestOrder forest_order(const std::string& word, const std::string& option) {
  if (word == "file") return ForestOrder::file;
  if (word == "name") return ForestOrder::name;
  if (word == "mean") return ForestOrder::mean;
  fail_usage("{} {} is none of file, name and mean", option, printable(word));
}

void Forest::add(const SetRow& row) {
  if (!row.problem.empty()) {
    ++unanswered_;
    return;
  }
  Entry entry{row.name, {}, {}};
  for (const TargetNumbers& numbers : row.numbers) {
    entry.mean.push_back(numbers.mean);
    entry.most.push_back(numbers.most(options_.interval));
  }
  entries_.push_back(std::move(entry));
}

std::int64_t Forest::left_out() const {
  return std::max<std::int64_t>(static_cast<std::int64_t>(entries_.size()) - options_.most, 0);
}

std::vector<const Forest::Entry*> Forest::ordered() const {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_) order.push_back(&entry);
  if (options_.order == ForestOrder::name)
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return set_name_before(a->name, b->name); });
  if (options_.order == ForestOrder::mean)
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->mean.front() > b->mean.front(); });
  order.resize(order.size() - static_cast<std::size_t>(left_out()));
  return order;
}

Figure Forest::figure() const {
  PAIRS_CHECK(!entries_.empty(), "None of the {} can be answered, so there is nothing to draw",
              counted(static_cast<std::size_t>(unanswered_), "set"));
  const std::vector<const Entry*> order = ordered();
  Figure figure;
  figure.title = left_out() > 0 ? fmt::format("Posteriors of {} of {} sets", count_text(options_.most),
                                              count_text(static_cast<std::int64_t>(entries_.size())))
                                : fmt::format("Posteriors of {}", counted(entries_.size(), "set"));
  figure.source = options_.source;
  figure.columns = static_cast<std::int64_t>(info_.targets.size());
  figure.plot_width = kForestWidth;
  figure.plot_height = kLineHeight * static_cast<double>(order.size()) + 60;
  const auto count = static_cast<double>(order.size());
  const std::string interval = fmt::format("90 %, {}", interval_title(options_.interval));
  for (std::size_t t = 0; t < info_.targets.size(); ++t) {
    Plot plot;
    plot.x.label = info_.targets[t].label;
    plot.y.low = -0.8;
    plot.y.high = count - 0.2;
    Scatter means{"mean", options_.role, {}, {}};
    for (std::size_t k = order.size(); k-- > 0;) {  // the first on top
      const Entry& entry = *order[k];
      const std::string& name = entry.name;
      const double y = count - 1 - static_cast<double>(k);
      plot.y.names.push_back(name.size() > kLongestForestName ? printable(name, kLongestForestName) : name);
      plot.contours.push_back(
          {interval, options_.role, LineStyle::solid, {entry.most[t].low, entry.most[t].high}, {y, y}});
      means.x.push_back(entry.mean[t]);
      means.y.push_back(y);
    }
    plot.scatters.push_back(std::move(means));
    plot.legend = t == 0;
    figure.plots.push_back(std::move(plot));
  }
  return figure;
}

}  // namespace pairs
