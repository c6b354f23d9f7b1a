#include "app/gui/posterior/given_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/gui/widgets/ui.h"
#include "core/base/tables/csv_line.h"

namespace pairs::gui {
namespace {

constexpr float kField = 84;

// A finite number, and nothing else.
std::optional<double> typed_number(const std::string& text) {
  double value = 0;
  const bool number = parse_csv_number(trimmed(text), value) == CsvNumber::good;
  return number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

void GivenRows::draw(model::Posterior& posterior, const model::PosteriorScene& scene) {
  float column = 0;
  for (const model::SetGiven& one : scene.given) column = std::max(column, ui::text_size(one.label).x);
  for (std::size_t k = 0; k < scene.given.size(); ++k) {
    const model::SetGiven& one = scene.given[k];
    const std::string name = "posterior/given/" + one.name;
    const std::string about = fmt::format(
        "{}. Given: a condition of the set, known in addition to its observations; the posterior depends on it. A file "
        "states it in a column of its name, or it is set here. Training saw {:.4g} to {:.4g}",
        one.label, one.low, one.high);
    ui::label(one.label, about, (column + px(16)) / scale());
    const auto along = [&](double value) { return one.decades ? std::log10(value) : value; };
    double low = std::min(one.low, one.value), high = std::max(one.high, one.value);
    if (one.decades && one.value <= 0) low = one.low;
    double place = along(std::clamp(one.value, low, high));
    const float rail = ImGui::GetContentRegionAvail().x - px(kField) - px(8);
    if (ui::slider(name, place, along(low), along(high), "", about, rail))
      posterior.set.set_condition(k, one.decades ? std::pow(10, place) : place);
    ImGui::SameLine(0, px(8));
    std::string& text = typed_[one.name];
    if (typing_ != one.name) text = fmt::format("{:.6g}", one.value);
    if (ui::input(name + "/text", text, "", one.label + ": type a number", px(kField), {}, true))
      if (const auto value = typed_number(text); value && *value != one.value) posterior.set.set_condition(k, *value);
    if (ImGui::IsItemActive())
      typing_ = one.name;
    else if (typing_ == one.name)
      typing_.clear();
  }
}

}  // namespace pairs::gui
