#include "app/model/hub/posterior_page.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

namespace pairs::model {

std::string views_refusal(const std::filesystem::path& path, const std::string& seer) {
  const std::string name = printable(path.string(), 300);
  return fmt::format(
      "{} cannot be shown here: the window casts views of scenes of its own; views of yours are read by pairs --batch "
      "infer {} --data {}",
      name, seer, name);
}

void PosteriorPage::set_n(std::int64_t n) {
  if (!can_choose_n()) return;
  n_chosen();
  player_.set(n);
  follow_player();
}

void PosteriorPage::step_n(int direction) {
  if (!can_choose_n()) return;
  n_chosen();
  player_.step(direction);
  follow_player();
}

void PosteriorPage::toggle_play() {
  if (!can_choose_n()) return;
  player_.toggle();
  if (player_.playing()) n_chosen();
}

void PosteriorPage::advance(double seconds) {
  player_.advance(seconds, ready());
  follow_player();
}

bool PosteriorPage::play() {
  if (!player_.playing()) return false;
  player_.tick(ready());
  follow_player();
  return true;
}

}  // namespace pairs::model
