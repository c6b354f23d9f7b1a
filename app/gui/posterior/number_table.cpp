#include "app/gui/posterior/number_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/ui.h"
#include "app/scores/glossary.h"
#include "core/eval/metrics/interval.h"
#include "core/eval/references/learned_product.h"
#include "core/report/number_text.h"

namespace pairs::gui {
namespace {

using model::PosteriorScene;
using model::PosteriorSnapshot;

// As many decimals as the spread supports.
std::string rounded(double value, double spread) {
  if (!std::isfinite(value)) return std::isnan(value) ? "–" : "∞";
  int digits = 3;
  if (spread > 0) digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(spread / 3))), 0, 8);
  return number_text(value, digits);
}

std::string interval_text(const Interval& one, IntervalKind kind, double spread) {
  if (kind == IntervalKind::upper_limit) return "below " + rounded(one.high, spread);
  return rounded(one.low, spread) + " to " + rounded(one.high, spread);
}

std::string nat(double kl) {
  if (std::isnan(kl)) return "–";
  if (!std::isfinite(kl)) return "∞";
  return kl < 0.0005 ? "< 0.001" : number_text(kl, kl < 10 ? 3 : 1);
}

// A column and its text; `spread`, the smallest sd of the table, determines the decimals. `reserve`: the maximum width
// of its numbers over N for the shipped tasks, so that columns do not move while N changes.
struct TableColumn {
  const char *title, *reserve;
  std::string (*cell)(const PosteriorNumbers&, const TargetNumbers&, IntervalKind kind, double spread);
};
constexpr std::array<TableColumn, NumberTable::kColumnCount> kColumns = {{
    {"mean", "−0.00000",
     [](const PosteriorNumbers&, const TargetNumbers& s, IntervalKind, double spread) {
       return rounded(s.mean, spread);
     }},
    {"sd", "0.000000",
     [](const PosteriorNumbers&, const TargetNumbers& s, IntervalKind, double spread) {
       return rounded(s.sd, spread / 10);
     }},
    {"50 %", "0.00000 to 0.00000",
     [](const PosteriorNumbers&, const TargetNumbers& s, IntervalKind kind, double spread) {
       return interval_text(s.half(kind), kind, spread);
     }},
    {"90 %", "0.00000 to 0.00000",
     [](const PosteriorNumbers&, const TargetNumbers& s, IntervalKind kind, double spread) {
       return interval_text(s.most(kind), kind, spread);
     }},
    {"KL / nat", "0.000",
     [](const PosteriorNumbers& series, const TargetNumbers&, IntervalKind, double) { return nat(series.kl); }},
}};
constexpr std::size_t kHalf = 2, kMost = 3, kDivergence = 4;

// A sample of a series' line, as in the plots.
void swatch(ImVec2 at, float width, SeriesRole role) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 color = series_color(role);
  const float step = role == SeriesRole::exact ? px(6) : px(4);
  const bool broken = role == SeriesRole::exact || role == SeriesRole::naive || role == SeriesRole::other;
  if (!broken) return list.AddLine(at, {at.x + width, at.y}, color, px(2));
  for (float x = 0; x < width; x += step)
    list.AddLine({at.x + x, at.y}, {at.x + std::min(x + step * 0.6f, width), at.y}, color, px(2));
}

std::string tip_of(const PosteriorNumbers& series, const TargetNumbers& s) {
  std::string text = fmt::format("{}\nmean {}, sd {}, median {}", series.name, rounded(s.mean, s.sd),
                                 rounded(s.sd, s.sd / 10), rounded(s.quantiles[2], s.sd));
  for (const auto& [kind, word, title] : kIntervalNames)
    text += fmt::format("\n{}: 50 % {}, 90 % {}", title, interval_text(s.half(kind), kind, s.sd),
                        interval_text(s.most(kind), kind, s.sd));
  if (!std::isnan(s.mean_shift))
    text += fmt::format("\nmean {:+.2f} exact sd from the exact one, sd {:.2f} times", s.mean_shift, s.sd_ratio);
  if (!std::isnan(series.kl)) text += fmt::format("\nKL from exact {} nat", nat(series.kl));
  if (const std::string about = explanation(series.name); !about.empty()) text += "\n" + about;
  return text + fmt::format("\nworked out in {:.1f} ms", series.milliseconds);
}

// A switch of the row of intervals, its width, and the space before it.
float toggle_width(const char* title) {
  const ImGuiStyle& style = ImGui::GetStyle();
  return ImGui::GetFrameHeight() + style.ItemInnerSpacing.x + ImGui::CalcTextSize(title).x + style.ItemSpacing.x;
}

constexpr const char* kProduct = "Product";
constexpr float kSourceWidth = 92;

// The switch for the learned product among the references, if the shown run has one.
void product_choice(model::Posterior& posterior, const PosteriorScene& scene) {
  if (!scene.no_product.empty()) return;
  ImGui::SameLine();
  bool on = posterior.options.learned_product();
  if (ui::toggle("posterior/product", kProduct, on,
                 fmt::format("Learned product: also multiply the run's posteriors of each observation alone, for sets "
                             "of up to {}, and compare them with the posterior of the set",
                             count_text(kMostLearnedProduct))))
    posterior.options.set_learned_product(on);
}

// The choice between the run's own posterior and the one that its learned likelihood refines, if it has one.
void source_choice(model::Posterior& posterior, const PosteriorScene& scene) {
  if (!scene.no_refined.empty()) return;
  ImGui::SameLine();
  static const std::vector<std::string> kTitles = {"Better", "Run", "Refined", "Both"};
  int chosen = static_cast<int>(posterior.options.source());
  const std::string about = fmt::format(
      "The run's own posterior, or the one refined by its learned likelihood of one observation, which is often "
      "sharper. Better: at each N the better one first, where the run compared both on held-out sets{}. Run: its own "
      "alone. Refined: that one first. Both: the run's own first.",
      scene.compared ? "" : " (this one did not, and shows its own)");
  if (ui::combo("posterior/source", chosen, kTitles, about, px(kSourceWidth)))
    posterior.options.set_source(static_cast<SourceWish>(chosen));
}

// The choice of intervals for the table, the plot and the sentence. Central ones that exclude the peak state so in
// their name, so that nothing moves when N changes.
void interval_choice(model::Posterior& posterior, const PosteriorSnapshot& shown, const PosteriorScene& scene) {
  const bool outside = !shown.series.empty() && shown.interval == IntervalKind::central &&
                       std::any_of(shown.series.front().targets.begin(), shown.series.front().targets.end(),
                                   [](const TargetNumbers& one) { return one.peak_outside(); });
  std::vector<std::string> titles;
  for (const IntervalName& name : kIntervalNames) {
    titles.emplace_back(name.title);
    if (outside && name.kind == IntervalKind::central) titles.back() += ", no peak";
  }
  std::string about =
      "Central: as much probability below as above. Highest density: the shortest, which reaches a peak at the end of "
      "the range. Upper limit: all from the lowest possible value on.";
  if (outside)
    about +=
        "\nThe density is highest where the central interval of 90 % does not reach: the highest-density interval or "
        "an upper limit is more informative.";
  int chosen = static_cast<int>(posterior.options.interval());
  // In a narrow window with both other choices the label is left out; the box, which is then narrower, shows its tip.
  const float others = (scene.no_product.empty() ? toggle_width(kProduct) : 0) +
                       (scene.no_refined.empty() ? px(kSourceWidth) + ImGui::GetStyle().ItemSpacing.x : 0);
  if (ImGui::GetContentRegionAvail().x >= px(72) + px(160) + others) ui::label("Intervals", about, 72);
  const float room = std::clamp(ImGui::GetContentRegionAvail().x - others, px(110), px(160));
  if (ui::combo("posterior/interval", chosen, titles, about, room))
    posterior.options.set_interval(kIntervalNames[static_cast<std::size_t>(chosen)].kind);
  product_choice(posterior, scene);
  source_choice(posterior, scene);
}

}  // namespace

void NumberTable::forget_places() {
  widths_.clear();
  row_ends_.clear();
  height_ = 0;
  has_exact_ = false;
}

void NumberTable::draw(model::Posterior& posterior, const model::PosteriorSnapshot& shown,
                       const model::PosteriorScene& scene) {
  const float row = px(22), second_line = px(17), key = px(18), spacing = ImGui::GetStyle().ItemSpacing.y,
              top = ImGui::GetCursorPosY();
  for (std::size_t t = 0; t < scene.targets.size(); ++t) {
    const float width = ImGui::GetContentRegionAvail().x;
    float gap = px(12);
    double spread = INFINITY;
    for (const PosteriorNumbers& series : shown.series) spread = std::min(spread, series.targets[t].sd);
    const auto cell = [&](const PosteriorNumbers& series, std::size_t c) {
      return kColumns[c].cell(series, series.targets[t], shown.interval, spread);
    };
    Widths widths{};
    float names = 0;
    const std::string heading = "Posterior of " + scene.targets[t];
    const float title = ui::text_size(heading, ui::Look::small_strong).x + 1;
    bool exact = false;
    std::vector<std::string> all_names;
    for (const PosteriorNumbers& series : shown.series) all_names.push_back(series.name);
    for (const PosteriorNumbers& series : shown.series) {
      names = std::max(names, ui::text_size(series.name, ui::Look::small).x);
      exact |= !std::isnan(series.kl);
    }
    names = std::max(std::min(names, px(116)), title - key - px(6));
    widths_.resize(std::max(widths_.size(), t + 1));
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      widths[c] = std::max({ui::text_size(kColumns[c].title, ui::Look::small_muted).x,
                            ui::text_size(kColumns[c].reserve, ui::Look::small).x + px(3), widths_[t][c]});
      for (const PosteriorNumbers& series : shown.series)
        widths[c] = std::max(widths[c], ui::text_size(cell(series, c), ui::Look::small).x);
    }
    widths_[t] = widths;
    // A slow reference arrives after the others while N is dragged: its column and row stay in place.
    has_exact_ |= exact;
    if (!has_exact_ || t > 0) widths[kDivergence] = 0;  // it belongs to all targets together
    const auto total = [&] {
      float sum = key + px(6) + names;
      for (const float one : widths) sum += one > 0 ? one + gap : 0;
      return sum;
    };
    // If the intervals have no space, runs and the exact posterior show them in a second line.
    const bool apart = total() > width;
    if (apart) widths[kHalf] = widths[kMost] = 0;
    if (total() > width) gap = px(8);
    if (total() > width) names = std::max(px(40), names - (total() - width));

    const auto columns = [&](ImVec2 at, ui::Look look, auto&& text) {
      float right = at.x + width;
      for (std::size_t c = kColumns.size(); c-- > 0;) {
        if (widths[c] <= 0) continue;
        const std::string shown_cell = text(c);
        ui::text_at({right - ui::text_size(shown_cell, look).x, at.y}, shown_cell, look);
        right -= widths[c] + gap;
      }
    };
    const ImVec2 head = ImGui::GetCursorScreenPos();
    ui::text_at(head, heading, ui::Look::small_strong, names + key + px(6));
    columns(head, ui::Look::small_muted, [](std::size_t c) { return std::string(kColumns[c].title); });
    ImGui::Dummy({width, row - spacing});
    float right = head.x + width;
    for (std::size_t c = kColumns.size(); c-- > 0;) {
      if (widths[c] <= 0) continue;
      const float mouse = ImGui::GetIO().MousePos.x;
      if (mouse <= right && mouse >= right - widths[c]) ui::tip(explanation(kColumns[c].title));
      right -= widths[c] + gap;
    }
    for (const PosteriorNumbers& series : shown.series) {
      const bool second = apart && (series.ours || series.role == SeriesRole::exact);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::Dummy({width, row + (second ? second_line : 0) - spacing});
      ui::tip(tip_of(series, series.targets[t]));
      swatch({at.x, at.y + ui::text_size("x", ui::Look::small).y / 2}, key, series.role);
      ui::text_at({at.x + key + px(6), at.y}, ui::fitted_name(series.name, all_names, ui::Look::small, names),
                  ui::Look::small);
      columns(at, ui::Look::small, [&](std::size_t c) { return cell(series, c); });
      if (second)
        ui::text_at({at.x + key + px(6), at.y + second_line},
                    fmt::format("50 %  {}    90 %  {}", cell(series, kHalf), cell(series, kMost)),
                    ui::Look::small_muted, width - key - px(6));
    }
    ui::space(2);
    row_ends_.resize(std::max(row_ends_.size(), t + 1));
    row_ends_[t] = std::max(row_ends_[t], ImGui::GetCursorPosY() - top);
    ImGui::SetCursorPosY(top + row_ends_[t]);
  }
  interval_choice(posterior, shown, scene);
  if (!shown.null.empty()) {
    ui::wrapped(shown.null, ui::Look::small_muted, 0, "posterior/null");
    ui::tip(
        "The posterior density at this value over the prior's (Savage–Dickey): above one the data speak for it, "
        "below one against it. Exact is the Bayes factor; a network's is as good as its density is at this one "
        "value.");
  }
  ui::space(2);
  height_ = std::max(height_, ImGui::GetCursorPosY() - top);
  ImGui::SetCursorPosY(top + height_);
}

}  // namespace pairs::gui
