#pragma once

#include "app/model/train/training.h"

namespace pairs::gui {

// The three stages side by side: each with its description, progress, and start, pause and stop
// ("train/pretrain/start").
void draw_stage_cards(model::Training& training);

}  // namespace pairs::gui
