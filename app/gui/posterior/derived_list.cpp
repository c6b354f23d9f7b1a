#include "app/gui/posterior/derived_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "app/gui/widgets/ui.h"
#include "app/kinds/target/parameters_room.h"

namespace pairs::gui {
namespace {

std::string line_of(const DerivedNumbers& one, IntervalKind interval) {
  if (!std::isfinite(one.numbers.mean)) return fmt::format("{}: no finite number at any draw", one.source);
  return fmt::format("{}: mean {:.4g}, sd {:.3g}, 90 % {}", one.source, one.numbers.mean, one.numbers.sd,
                     most_text(one.numbers, interval));
}

}  // namespace

void DerivedList::draw(model::Posterior& posterior, const model::PosteriorSnapshot& shown,
                       const model::PosteriorScene& scene) {
  if (posterior.follow.state() || scene.names.empty()) return;
  ui::text("Derived quantities", ui::Look::small_strong);
  const float button = px(26);
  const std::vector<std::string> texts = posterior.options.derived();
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const float room = ImGui::GetContentRegionAvail().x - button - px(4);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::wrapped(texts[k], ui::Look::small, room);
    const float below = ImGui::GetCursorPosY();
    ImGui::SetCursorScreenPos({at.x + room + px(4), at.y});
    if (ui::button(fmt::format("posterior/derived/{}/remove", k + 1), "×", ui::Button::quiet, "", "Removes it", button))
      posterior.options.remove_derived(k);
    ImGui::SetCursorPosY(below);
    const std::string name = DerivedQuantity(texts[k], scene.names).name();
    for (const DerivedNumbers& one : shown.derived) {
      if (one.name != name) continue;
      ui::wrapped(line_of(one, shown.interval), ui::Look::small_muted);
      if (const std::string left = undefined_text(one); one.ours && !left.empty())
        ui::wrapped(left, ui::Look::small_bad);
    }
  }
  const std::string about = fmt::format(
      "NAME = EXPRESSION in {}, with + - * / ^, parentheses, sqrt, exp, log, abs, sin, cos, min and max; its numbers "
      "are those of {} draws",
      fmt::join(scene.names, ", "), kDerivedDraws);
  const float add = ui::button_width("Add");
  const std::string& first = scene.names.front();
  const std::string hint = scene.names.size() > 1 ? fmt::format("ratio = {}/{}", first, scene.names[1])
                                                  : fmt::format("root = sqrt({})", first);
  bool enter = ui::input("posterior/derived/text", typed_, hint, about, ImGui::GetContentRegionAvail().x - add - px(8));
  ImGui::SameLine(0, px(8));
  enter |= ui::button("posterior/derived/add", "Add", ui::Button::normal,
                      typed_.empty() ? "Write a quantity first" : "", "Shows it next to the posterior");
  if (enter && !typed_.empty()) {
    refused_ = posterior.options.add_derived(typed_);
    if (refused_.empty()) typed_.clear();
  }
  if (typed_.empty()) refused_.clear();
  if (!refused_.empty()) ui::wrapped(refused_, ui::Look::small_bad, 0, "posterior/derived/refused");
  ui::space(8);
}

}  // namespace pairs::gui
