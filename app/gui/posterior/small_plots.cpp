#include "app/gui/posterior/small_plots.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pairs::gui {
namespace {

constexpr float kSmallWidth = 224, kWideSmall = 248;
constexpr const char* kComputing = "It is being computed.";

}  // namespace

SmallPlots::Grid::Grid(std::size_t count, float room, float least) : columns(count) {
  const auto each = [&] {
    return std::floor((room - static_cast<float>(columns - 1) * px(kGap)) / static_cast<float>(columns));
  };
  while (columns > 2 && each() < px(least)) columns = columns > 3 ? columns / 2 : columns - 1;
  width = each();
  rows = (count + columns - 1) / columns;
}

// Three axes side by side need more room than two.
SmallPlots::Grid SmallPlots::grid(float room) const {
  const bool wide = std::any_of(all_.begin(), all_.end(),
                                [](const Small& one) { return one.figure && one.figure->plots.size() > 2; });
  return {std::max<std::size_t>(all_.size(), 2), room, wide ? kWideSmall : kSmallWidth};
}

// Each of its plots in its own place under its title: side by side they would be illegible.
void SmallPlots::look_at_confidence(const std::shared_ptr<const model::SetInquiry::Answer>& answer, bool works) {
  if (!answer && works) all_.push_back({&confidence_, nullptr, "Confidence", "", kComputing});
  if (!answer || !answer->figure) return;
  if (answer->figure != confidence_whole_) {
    confidence_whole_ = answer->figure;
    confidence_parts_.clear();
    for (const Plot& plot : confidence_whole_->plots) {
      auto part = std::make_shared<Figure>(*confidence_whole_);
      part->title.clear();
      part->columns = 1;
      part->plots = {plot};
      part->plots.front().title.clear();
      confidence_parts_.push_back(std::move(part));
    }
  }
  PlotView* const views[] = {&confidence_, &confidence_p_};
  for (std::size_t k = 0; k < std::min(confidence_parts_.size(), std::size(views)); ++k)
    all_.push_back({views[k], confidence_parts_[k], confidence_whole_->plots[k].title, "", answer->note});
}

void SmallPlots::look(const model::Posterior& posterior) {
  all_ = {{&width_, posterior.width(), "Width against N", "",
           "The sd of each posterior of this set at every N; the rule marks the N above."}};
  if (const auto checked = posterior.check())
    all_.push_back({&check_, checked->figure, "Predictive check", checked->line, checked->note,
                    checked->extreme ? ui::Look::small_bad : ui::Look::small_muted});
  if (const auto nuisance = posterior.nuisance())
    all_.push_back({&nuisances_, nuisance->figure, nuisance->title, nuisance->line, nuisance->note});
  const auto scene = posterior.scene();
  model::SetInquiries& inquiries = posterior.inquiries();
  const std::string key = posterior.inquiry_key();
  const auto asked = [&](model::SetInquiry& inquiry, const std::string& named, PlotView& view, const char* title) {
    const auto answer = scene ? inquiry.answer(named) : nullptr;
    if (answer && answer->figure) all_.push_back({&view, answer->figure, title, "", answer->note});
    // Its place is there from when it was asked for, so that nothing moves when it comes.
    if (!answer && inquiry.works_on(named)) all_.push_back({&view, nullptr, title, "", kComputing});
  };
  asked(inquiries.predictive, inquiries.predictive_key(key), simulated_, "Observed vs simulated");
  if (!inquiries.prior.empty()) asked(inquiries.other_prior, inquiries.prior_key(key), under_, "Under another prior");
  look_at_confidence(scene ? inquiries.confidence.answer(key) : nullptr, inquiries.confidence.works_on(key));
  // The test of single observations marks them in the picture of the data.
  const auto marked = scene ? inquiries.observations.answer(key) : nullptr;
  if ((marked && marked->figure) || !posterior.observed())
    asked(inquiries.observations, key, observed_, "Observed data");
  else
    all_.push_back(
        {&observed_, posterior.observed(), "Observed data", "", "The observations that the posterior is of."});
}

void SmallPlots::draw(ImVec2 size) {
  const float height = size.y;
  const Grid grid = this->grid(size.x);
  const float title = ui::text_size("x", ui::Look::small_strong).y + px(4);
  // Enough lines for the longest text, whose numbers may become longer.
  for (const Small& small : all_)
    if (!small.line.empty())
      kept_lines_ = std::max(kept_lines_, std::ceil((ui::text_size(small.line, small.look).x + px(16)) / grid.width));
  const float head = title + kept_lines_ * (ui::text_size("x", ui::Look::small).y + px(2));
  const ImVec2 start = ImGui::GetCursorScreenPos();
  for (std::size_t k = 0; k < all_.size(); ++k) {
    const Small& small = all_[k];
    const ImVec2 at = {start.x + static_cast<float>(k % grid.columns) * (grid.width + px(kGap)),
                       start.y + static_cast<float>(k / grid.columns) * (height + px(kGap))};
    ImGui::SetCursorScreenPos(at);
    ui::text_at(at, small.title, ui::Look::small_strong, grid.width);
    if (!small.line.empty()) {
      ImGui::SetCursorScreenPos({at.x, at.y + title});
      ui::wrapped(small.line, small.look, grid.width);
    }
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({grid.width, head});
    ui::tip(small.line.empty() ? small.tip : small.line + "\n" + small.tip);
    ImGui::SetCursorScreenPos({at.x, at.y + head});
    small.view->draw(small.figure, {grid.width, height - head});
  }
}

}  // namespace pairs::gui
