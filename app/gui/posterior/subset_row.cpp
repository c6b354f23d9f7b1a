#include "app/gui/posterior/subset_row.h"

#include <fmt/format.h>

#include "app/gui/widgets/typed_count.h"
#include "app/gui/widgets/ui.h"
#include "core/report/number_text.h"

namespace pairs::gui {

void SubsetRow::draw(model::Posterior& posterior, const model::PosteriorScene& scene) {
  draw_missing(posterior, scene);
  if (!scene.drawable) return;
  if (scene.choice.random) seed_ = *scene.choice.random;
  const std::string held = count_text(scene.set_size);
  if (ui::segment("posterior/subset/first", "First N", !scene.choice.random,
                  fmt::format("Uses the first N of the file's {} observations", held)))
    posterior.set.choose_random({});
  ImGui::SameLine(0, px(2));
  if (ui::segment("posterior/subset/random", "Random N", scene.choice.random.has_value(),
                  fmt::format("Uses N of the file's {} observations, each equally likely", held)))
    posterior.set.choose_random(seed_);
  if (!scene.choice.random) return;
  ImGui::SameLine(0, px(12));
  if (!typing_) typed_ = std::to_string(seed_);
  constexpr const char* about = "Seed of the draw: the same seed draws the same observations";
  if (ui::input("posterior/subset/seed", typed_, "seed", about, px(56), {}, true))
    if (const auto seed = typed_count(typed_, 0)) posterior.set.choose_random(static_cast<std::uint64_t>(*seed));
  typing_ = ImGui::IsItemActive();
  ImGui::SameLine(0, px(8));
  if (ui::button("posterior/subset/again", "Another draw", ui::Button::normal, "", "Draws by the next seed"))
    posterior.set.choose_random(seed_ + 1);
}

void SubsetRow::draw_missing(model::Posterior& posterior, const model::PosteriorScene& scene) {
  if (!scene.drawable && posterior.set.failure().empty() && !posterior.sets.table().is_open()) return;
  const bool drop = posterior.set.missing() == Missing::drop;
  if (ui::segment("posterior/missing/refuse", "Refuse missing", !drop,
                  "A file with a value that is missing or not finite is not shown"))
    posterior.set.set_missing(Missing::refuse);
  ImGui::SameLine(0, px(2));
  if (ui::segment("posterior/missing/drop", "Leave out", drop,
                  "Observations with a value that is missing or not finite are left out; the posterior assumes that "
                  "values are missing at random"))
    posterior.set.set_missing(Missing::drop);
}

}  // namespace pairs::gui
